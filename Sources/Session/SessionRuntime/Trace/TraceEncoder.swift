internal import AudioModel
package import Foundation
internal import SessionCore

/// Makes the lines of a trace: JSON objects with one field that names the line.
///
/// Values are written as `Codable` writes them, so that a test can read them back. In that form, the words of the library
/// are field names, and text from outside is always a string. Every string is therefore replaced by a pseudonym, or made
/// printable where names are wanted, but for the few words that `isKept` knows. A field that is added later is covered.
package struct TraceEncoder {
    /// Newer versions of the library change the format as they need.
    static let version = 1

    private let hasNames: Bool
    private let pseudonyms: Pseudonyms
    /// The roles of the session's table, in lower case.
    private var knownRoles: Set<String> = []
    private let encoder: JSONEncoder

    init(hasNames: Bool, pseudonyms: Pseudonyms = Pseudonyms()) {
        self.hasNames = hasNames
        self.pseudonyms = pseudonyms
        encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    }

    // MARK: Lines

    private struct Format: Encodable {
        let format = "open-avfaudio trace"
        let version = TraceEncoder.version
        let stability = "unstable"
        let library = LibraryVersion.current
        let hasNames: Bool
    }

    /// What a new `SessionMachine` needs to replay the events that follow.
    private struct Session: Encodable {
        let host: String
        let roles: ForeignRoles
        let multiRouteSpeaker: MultiRouteSpeaker
    }

    func format() throws -> Data { try Self.line("trace", written(Format(hasNames: hasNames))) }

    mutating func session(on host: String, _ state: SessionState) throws -> Data {
        know(state.roles)
        let session = Session(host: host, roles: state.roles, multiRouteSpeaker: state.multiRouteSpeaker)
        return try Self.line("session", written(session))
    }

    /// The words of the session's table of roles stay as they are.
    mutating func know(_ roles: ForeignRoles) { knownRoles = roles.names }

    /// The event with pseudonyms.
    mutating func cleaned(_ event: SessionEvent) throws -> SessionEvent {
        let data = try JSONSerialization.data(withJSONObject: cleaned(written(event)))
        return try Self.decoder.decode(SessionEvent.self, from: data)
    }

    /// Reads what `written` has written.
    package static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
    }

    func dropped(_ count: Int) throws -> Data { try Self.line("dropped", count) }

    /// The event, and each effect that the session decided on.
    mutating func lines(_ event: SessionEvent, _ effects: [SessionEffect]) throws -> [Data] {
        var lines = [try Self.line("event", cleaned(written(event)))]
        for effect in effects { lines.append(try Self.line("effect", cleaned(written(effect)))) }
        return lines
    }

    func end(dropped: Int) throws -> Data { try Self.line("end", ["dropped": dropped]) }

    private func written(_ value: some Encodable) throws -> Any {
        try JSONSerialization.jsonObject(with: encoder.encode(value))
    }

    private static func line(_ name: String, _ value: Any) throws -> Data {
        var line = try JSONSerialization.data(
            withJSONObject: [name: value], options: [.sortedKeys, .withoutEscapingSlashes])
        line.append(UInt8(ascii: "\n"))
        return line
    }

    // MARK: Text from outside

    /// - Parameter field: the name of the field with this value; in a list, that of the list.
    private mutating func cleaned(_ value: Any, field: String = "") -> Any {
        switch value {
        case let text as String: return cleaned(text, field: field)
        case let list as [Any]:
            return list.map { cleaned($0, field: field) }
        case let object as [String: Any]:
            var result: [String: Any] = [:]
            // Sorted, so that the same events give the same pseudonyms.
            for name in object.keys.sorted() {
                // The one table that has uids for names.
                let newName = field == "volumes" ? cleaned(name, field: "uid") : name
                result[newName] = object[name].map { cleaned($0, field: name) }
            }
            return result
        default: return value
        }
    }

    private mutating func cleaned(_ text: String, field: String) -> String {
        if isKept(text, field: field) || hasNames { return text.printable }
        return pseudonyms.word(for: text, kind: Self.kind(ofField: field))
    }

    private func isKept(_ text: String, field: String) -> Bool {
        switch field {
        case "category", "mode": true
        case "role": knownRoles.contains(text.trimmed.lowercased())
        default: text.isEmpty || ["inf", "-inf", "nan"].contains(text)
        }
    }

    private static func kind(ofField field: String) -> String {
        switch field {
        case "name", "role": field
        case "alternatives": "port"
        default: field.lowercased().contains("uid") ? "port" : "text"
        }
    }
}
