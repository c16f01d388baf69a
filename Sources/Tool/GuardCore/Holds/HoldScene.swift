internal import AudioModel

/// The facts about the machine that the rules of holds read, in a consistent state.
struct HoldScene: Sendable {
    /// The session manager, without which no stream can be moved.
    enum Manager: Hashable, Sendable {
        /// Exit: it leaves -> `absent`.
        case present
        /// Exit: a session manager comes -> `returning`.
        case absent
        /// Exits: the next consistent state -> `present`; it leaves -> `absent`.
        case returning
    }

    var options: GuardOptions
    let patterns: PatternLanguage
    /// The guard creates no sink of its own.
    let isDryRun: Bool
    var outputs = GuardOutputs()
    var manager = Manager.present
    /// Everything that existed at the beginning was reported.
    var hasSettled = false
    /// Streams without a role that are calls by what their programs do (`CallRule.foundAt`).
    var foundCalls: Set<UInt64> = []
    var now = HostTime.zero

    /// Forgets the server, which is gone.
    mutating func reset() { (outputs, manager, hasSettled, foundCalls) = (GuardOutputs(), .present, false, []) }

    func policy(of program: Program, role: String? = nil) -> ProgramPolicy {
        options.policy(of: program, role: role, patterns)
    }

    /// Whether streams that sound on the output are held when it leaves.
    func isGuarded(_ output: GuardOutput) -> Bool { options.policy(of: output, patterns).onLoss == .hold }

    func effect(of stream: ProgramStream) -> ForeignRoles.Effect {
        foundCalls.contains(stream.id) ? .interrupts : options.roles.effect(ofRole: stream.role)
    }
}
