package import Foundation

/// The part of JSON Schema that `docs/events.schema.json` uses.
package struct EventSchema {
    private let root: [String: Any]

    /// The package's folder.
    package static let packageFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    package init() throws {
        let data = try Data(contentsOf: Self.packageFolder.appendingPathComponent("docs/events.schema.json"))
        root = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }

    /// What is wrong with the line; empty when it is valid.
    package func faults(inLine line: String) throws -> [String] {
        let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
        guard let object = value as? [String: Any], let name = object["event"] as? String else {
            return ["no object with an event"]
        }
        // An event may have several shapes: the line has the faults of the one that it is nearest to.
        let all = shapes(ofEvent: name).map { faults(in: object, $0, at: name) }
        return all.min { $0.count < $1.count } ?? ["unknown event \(name)"]
    }

    /// The words that an enumerated field allows.
    package func words(ofEvent name: String, field: String) -> [String] {
        shapes(ofEvent: name).flatMap { shape in
            let properties = shape["properties"] as? [String: [String: Any]]
            return properties?[field]?["enum"] as? [String] ?? []
        }
    }

    private func shapes(ofEvent name: String) -> [[String: Any]] {
        let choices = root["oneOf"] as? [[String: Any]] ?? []
        return choices.map(resolve).filter { choice in
            let properties = choice["properties"] as? [String: [String: Any]]
            return properties?["event"]?["const"] as? String == name
        }
    }

    private func resolve(_ schema: [String: Any]) -> [String: Any] {
        guard let reference = schema["$ref"] as? String, let name = reference.split(separator: "/").last else {
            return schema
        }
        return (root["$defs"] as? [String: [String: Any]])?[String(name)] ?? [:]
    }

    private func faults(in value: Any, _ unresolved: [String: Any], at place: String) -> [String] {
        let schema = resolve(unresolved)
        if let allowed = schema["enum"] as? [String], !allowed.contains(value as? String ?? "") {
            return ["\(place) is not among \(allowed)"]
        }
        switch schema["type"] as? String {
        case "string": return value is String ? [] : ["\(place) is no string"]
        case "number", "integer": return value is NSNumber ? [] : ["\(place) is no number"]
        case "boolean":
            // Foundation casts 0 and 1 to Bool as well; only true and false are of C's type.
            let type = (value as? NSNumber).map { String(cString: $0.objCType) }
            return type == "c" || type == "B" ? [] : ["\(place) is no truth value"]
        case "array":
            guard let values = value as? [Any] else { return ["\(place) is no array"] }
            return values.flatMap { faults(in: $0, schema["items"] as? [String: Any] ?? [:], at: place) }
        case "object":
            guard let object = value as? [String: Any] else { return ["\(place) is no object"] }
            let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
            let required = schema["required"] as? [String] ?? []
            return required.filter { object[$0] == nil }.map { "no field \($0)" }
                + object.keys.filter { properties[$0] == nil }.map { "unknown field \($0)" }
                + object.flatMap { name, value in properties[name].map { faults(in: value, $0, at: name) } ?? [] }
        default: return schema["const"] == nil ? ["\(place) has no type in the schema"] : []
        }
    }
}
