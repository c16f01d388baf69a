package import SessionBus

/// What a method's arguments and a service's properties have, besides texts and lists.
extension BusValue {
    /// Any integer.
    package var integer: Int64? {
        switch plain {
        case .byte(let value): Int64(value)
        case .int16(let value): Int64(value)
        case .uint16(let value): Int64(value)
        case .int32(let value): Int64(value)
        case .uint32(let value): Int64(value)
        case .int64(let value): value
        case .uint64(let value): Int64(exactly: value)
        default: nil
        }
    }

    package var double: Double? { if case .double(let value) = plain { value } else { nil } }

    /// The values of an `a{sv}`, without their variants.
    package var properties: [String: BusValue]? {
        elements?.reduce(into: [:]) { values, element in
            guard case .entry(let key, let value) = element, let key = key.string else { return }
            if case .variant(let inner) = value { values[key] = inner } else { values[key] = value }
        }
    }
}

/// What objects of ours answer.
extension BusValue {
    package static func strings(_ strings: [String]) -> BusValue { .array(of: "s", strings.map { .string($0) }) }

    /// An `a{sv}`, with its keys in order.
    package static func properties(_ values: [String: BusValue]) -> BusValue {
        .array(
            of: "{sv}",
            values.sorted { $0.key < $1.key }.map { .entry(.string($0.key), .variant($0.value)) })
    }
}

extension BusError {
    package static func notSupported(_ message: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.NotSupported", message: message)
    }
}
