/// What the streams of programs that know nothing of sessions mean to ours, by their `media.role`.
///
/// Roles are compared without regard to case.
///
/// Source: PipeWire `src/pipewire/keys.h` (the roles), pipewire-pulse's names for them ("event", "a11y") and names that programs use
/// ("navigation", "assistant"); the effects are ours (decisions 0005 and 0098).
package struct ForeignRoles: Hashable, Sendable, Codable {
    package enum Effect: String, Hashable, Sendable, CaseIterable, Codable {
        /// As a call's session: all sessions are interrupted, and non-mixable ones may not begin under it.
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

    /// The name that stands for streams without a role.
    package static let noRole = "none"
    /// The name that stands for the roles that the table does not name.
    package static let otherRoles = "other"

    package static let standard = ForeignRoles()

    /// The keys are in lower case.
    private var effects: [String: Effect] = [
        "communication": .interrupts, "phone": .interrupts,
        "notification": .ducks, "event": .ducks, "alarm": .ducks, "accessibility": .ducks, "a11y": .ducks,
        "navigation": .ducks, "assistant": .ducks,
        "music": .plays, "movie": .plays, "video": .plays, noRole: .plays, otherRoles: .plays,
        "game": .mixes, "production": .mixes,
        "test": .ignored,
    ]

    private init() {}

    /// The roles that the table names, in lower case.
    package var names: Set<String> { Set(effects.keys) }

    /// - Parameter role: in any case; `noRole` and `otherRoles` name their streams.
    package mutating func setEffect(_ effect: Effect, ofRole role: String) { effects[role.lowercased()] = effect }

    /// - Parameter role: as the program wrote it; nil or empty for none.
    package func effect(ofRole role: String?) -> Effect {
        let role = (role ?? "").trimmed.lowercased()
        let key = role.isEmpty ? Self.noRole : role
        return effects[key] ?? effects[Self.otherRoles] ?? .plays
    }
}

extension StringProtocol {
    /// Without the spaces around it.
    package var trimmed: String {
        // Most texts have none, and this is called for each stream at each event of a guard.
        guard first?.isWhitespace == true || last?.isWhitespace == true else { return String(self) }
        return String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
