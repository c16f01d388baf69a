internal import AudioModel

/// What the streams of programs that know nothing of sessions mean to ours, by their `media.role`.
///
/// Roles are compared without regard to case.
///
/// Source: PipeWire `src/pipewire/keys.h` (the roles) and pipewire-pulse's names for them ("event", "a11y"); the effects
/// are ours (decision 0005).
package struct ForeignRoles: Hashable, Sendable {
    package enum Effect: String, Hashable, Sendable, CaseIterable {
        /// As a call's session: non-mixable sessions are interrupted, and may not begin under it.
        case interrupts
        /// Other audio is playing, and sessions that are no call are lowered.
        case ducks
        /// Other audio is playing, and secondary audio should be silent.
        case plays
        /// Other audio is playing.
        case mixes
        /// As if it were not there.
        case ignored
    }

    /// Stands, in a table's text, for streams without a role.
    package static let noRole = "none"
    /// Stands, in a table's text, for the roles that the table does not name.
    package static let otherRoles = "other"

    package static let standard = ForeignRoles()

    /// The keys are in lower case.
    private var effects: [String: Effect] = [
        "communication": .interrupts, "phone": .interrupts,
        "notification": .ducks, "event": .ducks, "alarm": .ducks, "accessibility": .ducks, "a11y": .ducks,
        "music": .plays, "movie": .plays, "video": .plays, noRole: .plays, otherRoles: .plays,
        "game": .mixes, "production": .mixes,
        "test": .ignored,
    ]

    private init() {}

    /// The standard table with what `text` changes, as in "Music=plays,Game=mixes".
    ///
    /// A later entry for the same role wins; an empty text changes nothing.
    /// Throws: `badParam` for what is no such list.
    package init(parsing text: String) throws(SessionError) {
        let entries = text.split(separator: ",", omittingEmptySubsequences: true).map(\.trimmed)
        for entry in entries where !entry.isEmpty {
            let parts = entry.split(separator: "=", omittingEmptySubsequences: false).map(\.trimmed)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw SessionError(
                    .badParam,
                    "\"\(entry.printable)\" does not say what a role does. Allowed: ROLE=EFFECT, several separated by "
                        + "commas, with EFFECT one of \(Self.effectNames). Write, for example, Music=plays,Game=mixes.")
            }
            guard let effect = Effect(rawValue: parts[1].lowercased()) else {
                throw SessionError(
                    .badParam,
                    "\"\(parts[1].printable)\" is no effect of role \"\(parts[0].printable)\". Allowed effects: "
                        + "\(Self.effectNames). Write, for example, \(parts[0].printable)=plays.")
            }
            effects[parts[0].lowercased()] = effect
        }
    }

    /// - Parameter role: as the program wrote it; nil or empty for none.
    package func effect(ofRole role: String?) -> Effect {
        let role = (role ?? "").trimmed.lowercased()
        let key = role.isEmpty ? Self.noRole : role
        return effects[key] ?? effects[Self.otherRoles] ?? .plays
    }

    private static var effectNames: String { Effect.allCases.map(\.rawValue).joined(separator: ", ") }
}

extension StringProtocol {
    /// Without the spaces around it.
    fileprivate var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
