package import CSdBus

/// A message of sd-bus: reads values, and appends them.
///
/// The bus's thread, while the message lives.
package struct BusMessage {
    /// A message with more values, or longer texts, than any desktop program sends is cut there.
    private enum Limit {
        static let values = 10_000
        static let textBytes = 16_384
    }

    package let functions: sd_bus_functions
    package let pointer: OpaquePointer

    /// Gives up a reference: of a message of ours, or of one that was kept.
    package func free() { _ = functions.message_unref(pointer) }

    // MARK: Reading

    /// The unique name of the connection that has sent it.
    package var sender: String { String(orEmpty: functions.message_get_sender(pointer)) }
    package var interface: String { String(orEmpty: functions.message_get_interface(pointer)) }
    package var member: String { String(orEmpty: functions.message_get_member(pointer)) }

    /// Everything in it, up to the first value that cannot be read.
    package var values: [BusValue] {
        var left = Limit.values
        return readAll(&left)
    }

    private func readAll(_ left: inout Int) -> [BusValue] {
        var values: [BusValue] = []
        while let value = readOne(&left) { values.append(value) }
        return values
    }

    private func readOne(_ left: inout Int) -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard left > 0, functions.message_peek_type(pointer, &type, &contents) > 0 else { return nil }
        left -= 1
        switch UInt8(bitPattern: type) {
        case UInt8(ascii: "y"): return read(type, 0 as UInt8).map { .byte($0) }
        case UInt8(ascii: "b"): return read(type, 0 as Int32).map { .bool($0 != 0) }
        case UInt8(ascii: "n"): return read(type, 0 as Int16).map { .int16($0) }
        case UInt8(ascii: "q"): return read(type, 0 as UInt16).map { .uint16($0) }
        case UInt8(ascii: "i"): return read(type, 0 as Int32).map { .int32($0) }
        case UInt8(ascii: "u"): return read(type, 0 as UInt32).map { .uint32($0) }
        case UInt8(ascii: "x"): return read(type, 0 as Int64).map { .int64($0) }
        case UInt8(ascii: "t"): return read(type, 0 as UInt64).map { .uint64($0) }
        case UInt8(ascii: "d"): return read(type, 0 as Double).map { .double($0) }
        case UInt8(ascii: "s"): return readText(type).map { .string($0) }
        case UInt8(ascii: "o"): return readText(type).map { .objectPath($0) }
        case UInt8(ascii: "g"): return readText(type).map { .signature($0) }
        // The message closes its own when it is freed.
        case UInt8(ascii: "h"):
            // A message may name one of its files any number of times, and each copy counts at the process's limit.
            left -= Limit.values / 10
            return read(type, -1 as Int32).flatMap(BusDescriptor.init(copying:)).map { .descriptor($0) }
        case UInt8(ascii: "a"): return readContainer(type, contents, &left) { .array(of: $1, $0) }
        case UInt8(ascii: "r"): return readContainer(type, contents, &left) { values, _ in .structure(values) }
        case UInt8(ascii: "v"):
            return readContainer(type, contents, &left) { values, _ in values.first.map { .variant($0) } }
        case UInt8(ascii: "e"):
            return readContainer(type, contents, &left) { values, _ in
                values.count == 2 ? .entry(values[0], values[1]) : nil
            }
        default: return nil
        }
    }

    private func read<T: BitwiseCopyable>(_ type: CChar, _ empty: T) -> T? {
        var value = empty
        return functions.message_read_basic(pointer, type, &value) > 0 ? value : nil
    }

    private func readText(_ type: CChar) -> String? {
        guard let text = read(type, nil as UnsafePointer<CChar>?) ?? nil else { return nil }
        var bytes: [UInt8] = []
        while bytes.count < Limit.textBytes, text[bytes.count] != 0 {
            bytes.append(UInt8(bitPattern: text[bytes.count]))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func readContainer(
        _ type: CChar, _ contents: UnsafePointer<CChar>?, _ left: inout Int,
        _ make: ([BusValue], String) -> BusValue?
    ) -> BusValue? {
        guard let contents else { return nil }
        let signature = String(cString: contents)
        guard functions.message_enter_container(pointer, type, contents) > 0 else { return nil }
        let values = readAll(&left)
        guard functions.message_exit_container(pointer) >= 0 else { return nil }
        return make(values, signature)
    }

    // MARK: Appending

    /// False where a value is not valid.
    func append(_ values: [BusValue]) -> Bool { values.allSatisfy(append) }

    private func append(_ value: BusValue) -> Bool {
        switch value {
        case .byte(let value): append("y", value)
        case .bool(let value): append("b", Int32(value ? 1 : 0))
        case .int16(let value): append("n", value)
        case .uint16(let value): append("q", value)
        case .int32(let value): append("i", value)
        case .uint32(let value): append("u", value)
        case .int64(let value): append("x", value)
        case .uint64(let value): append("t", value)
        case .double(let value): append("d", value)
        case .string(let text): appendText("s", text)
        case .objectPath(let text): appendText("o", text)
        case .signature(let text): appendText("g", text)
        // sd-bus sends a copy.
        case .descriptor(let descriptor): append("h", descriptor.number)
        case .array(let element, let elements): appendContainer("a", element, elements)
        case .structure(let members): appendContainer("r", members.map(\.signature).joined(), members)
        case .entry(let key, let value): appendContainer("e", key.signature + value.signature, [key, value])
        case .variant(let value): appendContainer("v", value.signature, [value])
        }
    }

    private func append<T: BitwiseCopyable>(_ type: Unicode.Scalar, _ value: T) -> Bool {
        withUnsafePointer(to: value) { functions.message_append_basic(pointer, CChar(type), $0) } >= 0
    }

    private func appendText(_ type: Unicode.Scalar, _ text: String) -> Bool {
        text.withCString { functions.message_append_basic(pointer, CChar(type), $0) } >= 0
    }

    private func appendContainer(_ type: Unicode.Scalar, _ contents: String, _ values: [BusValue]) -> Bool {
        functions.message_open_container(pointer, CChar(type), contents) >= 0 && append(values)
            && functions.message_close_container(pointer) >= 0
    }
}

extension CChar {
    fileprivate init(_ type: Unicode.Scalar) { self = CChar(truncatingIfNeeded: type.value) }
}

extension String {
    init(orEmpty text: UnsafePointer<CChar>?) { self = text.map { String(cString: $0) } ?? "" }
}
