internal import Threading

/// A value of D-Bus; every text is untrusted.
package indirect enum BusValue: Hashable, Sendable {
    case byte(UInt8)
    case bool(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case signature(String)
    case descriptor(BusDescriptor)
    /// `of` is the signature of every element, "s" or "{sv}".
    case array(of: String, [BusValue])
    case structure([BusValue])
    /// One key and its value, in an array.
    case entry(BusValue, BusValue)
    case variant(BusValue)

    package var signature: String {
        switch self {
        case .byte: "y"
        case .bool: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .descriptor: "h"
        case .array(let element, _): "a" + element
        case .structure(let members): "(" + members.map(\.signature).joined() + ")"
        case .entry(let key, let value): "{" + key.signature + value.signature + "}"
        case .variant: "v"
        }
    }

    /// Without the variants around it.
    package var plain: BusValue { if case .variant(let value) = self { value.plain } else { self } }

    package var string: String? {
        switch plain {
        case .string(let text), .objectPath(let text), .signature(let text): text
        default: nil
        }
    }

    package var bool: Bool? { if case .bool(let value) = plain { value } else { nil } }

    /// The values of an array or a structure.
    package var members: [BusValue]? { if case .structure(let members) = plain { members } else { elements } }

    package var elements: [BusValue]? { if case .array(_, let elements) = plain { elements } else { nil } }

    /// The texts of an array, without what is none.
    package var strings: [String]? { elements?.compactMap(\.string) }
}

/// A file that programs pass to each other; it is closed with the last reference.
package final class BusDescriptor: Hashable, Sendable {
    package let number: Int32

    package init(owning number: Int32) { self.number = number }

    /// - Returns: nil where the process has too many files open.
    package init?(copying number: Int32) {
        self.number = fcntl(number, F_DUPFD_CLOEXEC, 3)
        guard self.number >= 0 else { return nil }
    }

    deinit { close(number) }

    package static func == (one: BusDescriptor, other: BusDescriptor) -> Bool { one === other }
    package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// Why a call failed, or what one of our own objects answers instead.
package struct BusError: Error, Hashable, Sendable {
    /// As the bus names it, "org.freedesktop.DBus.Error.ServiceUnknown".
    package let name: String
    /// For people; safe to show.
    package let message: String

    package init(name: String, message: String) {
        self.name = name
        self.message = message
    }

    package static let disconnected = BusError(
        name: "org.freedesktop.DBus.Error.Disconnected", message: "the connection to the bus has ended")

    package static func invalidArguments(_ message: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.InvalidArgs", message: message)
    }
}
