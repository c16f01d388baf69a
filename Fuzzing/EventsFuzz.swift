import Foundation

/// The writer of `--events json`: whatever the texts and numbers are, a line is one line of JSON that says the same.
enum EventsFuzz {
    static func run(_ bytes: ByteSource) {
        var bytes = bytes
        let value = value(&bytes, depth: 0)
        let text = value.text
        for scalar in text.unicodeScalars {
            require(scalar.value >= 0x20 && scalar.value != 0x7F, "a control character in \(text.debugDescription)")
        }
        let parsed = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        guard let parsed else { fatalError("not JSON: \(text.debugDescription)") }
        require(isSame(value, parsed), "\(value)\n\(parsed)")
    }

    private static func value(_ bytes: inout ByteSource, depth: Int) -> JSONValue {
        switch bytes.int(below: depth < 4 ? 7 : 5) {
        case 0: .string(bytes.text(or: ["song.wav", "\u{202E}", "\u{1B}[2J", "\u{85}", "\u{2028}"]))
        case 1: .number(bytes.double(), digits: bytes.int(below: 7))
        case 2: .integer(bytes.word(Int.self))
        case 3: .bool(bytes.bool())
        case 4: .null
        case 5: .array((0..<bytes.int(below: 5)).map { _ in value(&bytes, depth: depth + 1) })
        default:
            // The names are the program's own, each once.
            .object(
                (0..<bytes.int(below: 5)).map { index in
                    .init(name: "\(index)\(bytes.text(or: ["file"]))", value: value(&bytes, depth: depth + 1))
                })
        }
    }

    private static func isSame(_ value: JSONValue, _ parsed: Any) -> Bool {
        switch value {
        case .string(let text):
            return (parsed as? String).map { $0.unicodeScalars.elementsEqual(text.unicodeScalars) } ?? false
        case .number(let number, digits: _): return number.isFinite ? parsed is NSNumber : parsed is NSNull
        case .integer(let integer): return (parsed as? NSNumber)?.intValue == integer
        case .bool(let bool): return (parsed as? NSNumber)?.boolValue == bool
        case .null: return parsed is NSNull
        case .array(let values):
            guard let list = parsed as? [Any], list.count == values.count else { return false }
            return zip(values, list).allSatisfy(isSame)
        case .object(let fields):
            guard let object = parsed as? [String: Any], object.count == fields.count else { return false }
            return fields.allSatisfy { field in object[field.name].map { isSame(field.value, $0) } ?? false }
        }
    }
}
