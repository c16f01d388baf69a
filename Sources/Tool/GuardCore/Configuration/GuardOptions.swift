package import AudioModel

/// The user's settings for the guard.
package struct GuardOptions: Hashable, Sendable {
    /// What happens when an output comes back.
    package enum OnReturn: Hashable, Sendable {
        /// Streams lost with the output play on, if it was away no longer than this.
        case resume(withinSeconds: Double)
        /// The streams stay held until their user acts.
        case stay

        static let usualSeconds = 600.0
    }

    /// What the guard does besides obeying the focus holders.
    package enum Scope: Hashable, Sendable {
        case everything
        /// It serves only the focus holders; it ignores outputs and calls.
        case focus
        /// As `everything`, but it hands over to any guard that comes.
        case keeping
        /// As `everything`, but its user has turned it off: it obeys the focus holders, and holds nothing else.
        ///
        /// - until: when it is to be on again, in microseconds since 1970; nil: when its user turns it on.
        case off(until: UInt64?)

        package var isOff: Bool { if case .off = self { true } else { false } }

        /// When a guard that is off is to be on again; nil if that is not known, or it is on.
        package var offUntil: UInt64? { if case .off(let until) = self { until } else { nil } }

        /// Whether outputs and calls are a reason to hold, and alerts one to lower.
        var guards: Bool {
            switch self {
            case .everything, .keeping: true
            case .focus, .off: false
            }
        }
    }

    /// When the guard has an item in the desktop's tray.
    package enum Tray: String, CaseIterable, Hashable, Sendable {
        /// While something is held, or the guard is off.
        case held
        case always
        case never
    }

    package var scope = Scope.everything
    package var onReturn = OnReturn.resume(withinSeconds: OnReturn.usualSeconds)
    /// A call holds music and films.
    package var holdsForCalls = true
    /// Alarms, notifications, screen readers, navigation and assistants lower the other programs while they are heard.
    package var lowersForAlerts = true
    /// What happens to other programs while a program records a microphone; nil: nothing.
    package var whileRecording: FocusHolder.Kind?
    /// A program that begins to play holds the other programs.
    package var oneAtATime = false
    /// Speakers are muted while headphones sound on the same sink.
    package var armsJacks = false
    /// A program that is no call gets another microphone than that of a Bluetooth headset that plays music.
    package var keepsHeadset = false
    package var tray = Tray.held
    /// Names or binaries, in lower case, of programs that are left alone.
    package var excluded: Set<String> = []
    /// The rules for programs; a later rule wins.
    package var programRules: [ProgramRule] = []
    package var outputRules: [OutputRule] = []
    package var roles = ForeignRoles.standard
    /// Names or binaries, in lower case, of programs that speak.
    package var speaking: Set<String> = []

    package init() {}

    /// The options of the same guard while its user has turned it off.
    ///
    /// - Parameter until: as in `Scope.off`.
    package func turnedOff(until: UInt64?) -> GuardOptions {
        var options = self
        options.scope = .off(until: until)
        (options.holdsForCalls, options.whileRecording, options.oneAtATime) = (false, nil, false)
        (options.lowersForAlerts, options.armsJacks, options.keepsHeadset) = (false, false, false)
        return options
    }

    /// Why holds end that these options do not allow.
    var releaseCause: Hold.Release { scope.isOff ? .turnedOff : .configured }

    /// Whether the stream is speech, such as a book or a podcast, which a listener cannot follow beside another voice.
    func speaks(_ stream: ProgramStream) -> Bool {
        Self.speakingRoles.contains(stream.role?.lowercased() ?? "") || speaking.contains(where: stream.program.answers)
    }

    private static let speakingRoles: Set<String> = ["speech", "podcast", "audiobook"]
}
