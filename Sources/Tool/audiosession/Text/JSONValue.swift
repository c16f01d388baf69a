/// A JSON value that keeps the order of its fields.
///
/// Foundation's encoder does not keep the order, and prints 0.1 + 0.2 with seventeen digits.
enum JSONValue: Hashable, Sendable {
    case string(String)
    /// Printed with this many digits after the point; null if not finite, as JSON has no such numbers.
    case number(Double, digits: Int)
    case integer(Int)
    case bool(Bool)
    case null
    case array([JSONValue])
    case object([Field])

    struct Field: Hashable, Sendable {
        var name: String
        var value: JSONValue
    }

    /// One line of JSON without a line break.
    var text: String {
        switch self {
        case .string(let string): Self.quoted(string)
        case .number(let number, let digits): number.isFinite ? number.fixed(digits) : "null"
        case .integer(let integer): String(integer)
        case .bool(let bool): bool ? "true" : "false"
        case .null: "null"
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let fields):
            "{" + fields.map { Self.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",") + "}"
        }
    }

    /// Escapes what RFC 8259 requires, and also DEL, the C1 controls and the bidirectional and line separators: they are
    /// legal in JSON, but a terminal would interpret them.
    private static func quoted(_ string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default:
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: text += escaped(scalar)
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
        return text + "\""
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}

extension JSONValue {
    /// An object with its fields in this order.
    static func fields(_ fields: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(fields.map { Field(name: $0.key, value: $0.value) })
    }
}
