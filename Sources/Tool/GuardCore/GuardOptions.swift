package import AudioModel

/// What the user has asked of the guard.
package struct GuardOptions: Hashable, Sendable {
    /// What happens when an output comes back.
    package enum OnReturn: Hashable, Sendable {
        /// What was lost with it goes on, if it was away no longer than this.
        case resume(withinSeconds: Double)
        /// It stays held until its user acts.
        case stay

        static let usualSeconds = 600.0
    }

    /// What it does besides obeying those that hold the focus.
    package enum Scope: Hashable, Sendable {
        case everything
        /// It is there for them alone, and watches no outputs and no calls.
        case focus
        /// As `everything`, and it hands over to any guard that comes.
        case keeping
    }

    package var scope = Scope.everything
    package var onReturn = OnReturn.resume(withinSeconds: OnReturn.usualSeconds)
    /// A call holds music and films.
    package var holdsForCalls = true
    /// What a program that records a microphone has the others do; nil: nothing.
    package var whileRecording: FocusHolder.Kind?
    /// A program that begins to play holds the others.
    package var oneAtATime = false
    /// Speakers are muted while headphones sound on the same sink.
    package var armsJacks = false
    /// Names or binaries of programs that are left alone, in lower case.
    package var excluded: Set<String> = []
    /// A later rule wins.
    package var programRules: [ProgramRule] = []
    package var outputRules: [OutputRule] = []
    package var roles = ForeignRoles.standard
    /// Names or binaries of programs that speak, in lower case.
    package var speaking: Set<String> = []

    package init() {}

    /// A book, a podcast: what cannot be followed beside another voice.
    func speaks(_ stream: ProgramStream) -> Bool {
        Self.speakingRoles.contains(stream.role?.lowercased() ?? "") || speaking.contains(where: stream.program.answers)
    }

    private static let speakingRoles: Set<String> = ["speech", "podcast", "audiobook"]
}
