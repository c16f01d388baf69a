/// What came of one run of a scene: what happened, what each output played, and which expectations were not met.
///
/// The same scene and the same app give the same history, byte for byte in its ``text``, unless the app asks a clock or
/// chance.
public struct SceneHistory: Hashable, Sendable {
    /// What was run.
    public let scene: AudioScene
    /// How long it ran.
    public let duration: AudioScene.Time
    package let entries: [Entry]
    package let sounds: [OutputSound]
    /// Faults of the library against its own rules, and mistakes of the scene, such as an unplug of what is not plugged.
    public let objections: [String]
    /// The expectations that were not met, in the order of their lines.
    public let failures: [Failure]

    /// One thing that happened.
    package struct Entry: Hashable, Sendable {
        package var time: AudioScene.Time
        package var what: What

        package init(_ time: AudioScene.Time, _ what: What) {
            self.time = time
            self.what = what
        }
    }

    /// What happened, in the library's words; names come from scenes and devices.
    package enum What: Hashable, Sendable {
        case event([AudioScene.Action])
        /// The route as it is at the start of the scene.
        case startRoute(RouteNames)
        case routeChange(reason: String, from: RouteNames, to: RouteNames)
        case interruptionBegins(because: Cause)
        case interruptionEnds(mayResume: Bool)
        case session(AudioScene.SessionState)
        /// - Parameter number: of the app's players and recorders, from 1.
        case player(number: Int, isRecorder: Bool, AudioScene.PlayerState, Cause)
        case mediaServicesLost, mediaServicesReset
        case secondaryAudioHint(begins: Bool)
        case availableInputsChange
        case resumptionRecommended
        /// The app could not do what the scene has it do.
        case appFailed(String)
        /// The app did what iOS punishes, in a strict test.
        case mistake(String)
    }

    /// Why something is as it is.
    package enum Cause: Hashable, Sendable {
        case none
        case user
        /// The names of what left.
        case deviceLeft(String)
        case deviceCame
        case noRoute
        case otherApp(String)
        case call(String)
        case sleep
        case sessionManager
        case claimLost
        case serverLost
        case deactivation
        case interruption
        /// The interruption ended without the advice to resume.
        case notGivenBack
        case refusal
        case endOfSound
        case failure(String)
    }

    package struct RouteNames: Hashable, Sendable {
        /// The names of the scene's devices, outputs and inputs.
        package var outputs: [String]
        package var inputs: [String]

        package init(outputs: [String], inputs: [String]) {
            self.outputs = outputs
            self.inputs = inputs
        }

        package var text: String {
            let sides =
                [outputs.isEmpty ? "no output" : outputs.joined(separator: " + ")] + inputs.map { "input \($0)" }
            return sides.joined(separator: ", ")
        }
    }

    /// An expectation that was not met.
    public struct Failure: Hashable, Sendable, CustomStringConvertible {
        /// The line of the scene's file; 0 for a scene that was made in code.
        public let line: Int
        /// The expectation as the scene has it.
        public let expectation: String
        /// What was the case instead.
        public let message: String

        /// "line 8: expected speaker silent from 2s to 6s, but it played 12 frames from 2.003s".
        public var description: String {
            (line > 0 ? "line \(line): " : "") + "expected \(expectation), but \(message)"
        }
    }

    package init(
        scene: AudioScene, duration: AudioScene.Time, entries: [Entry], sounds: [OutputSound], objections: [String]
    ) {
        self.scene = scene
        self.duration = duration
        self.entries = entries
        self.sounds = sounds
        self.objections = objections
        failures = SceneJudge(scene: scene, duration: duration, entries: entries, sounds: sounds).failures
    }

    /// What the app did that iOS punishes, a sentence each; empty unless the simulator is strict.
    public var mistakes: [String] {
        entries.compactMap { if case .mistake(let text) = $0.what { text } else { nil } }
    }

    /// The entries without those that only repeat a notice.
    var told: [Entry] { entries.filter { $0.what != .session(.interrupted) } }

    package var expectationCount: Int {
        scene.lines.count { if case .expectation = $0.statement { true } else { false } }
    }

    /// Whether everything was as expected, as a sentence.
    package var verdict: String {
        let count = expectationCount
        guard failures.isEmpty else {
            if count == 1, failures.count == 1 { return "The expectation was not met." }
            return "\(failures.count) of \(count) expectations \(failures.count == 1 ? "was" : "were") not met."
        }
        guard objections.isEmpty else { return "Not all that the scene asks for could be done: see its objections." }
        return switch count {
        case 0: "The scene expects nothing."
        case 1: "The expectation was met."
        default: "All \(count) expectations were met."
        }
    }

    /// Whether a player came to the end of what it plays before the scene was over.
    package var playersEnded: Bool {
        entries.contains { if case .player(_, _, .paused, .endOfSound) = $0.what { true } else { false } }
    }

    /// One line an entry, then a strip of each output's level, then what was not met.
    public var text: String {
        lines(level: OutputSound.glyph(ofLevel:)).joined(separator: "\n") + "\n"
    }

    /// The lines of ``text``.
    ///
    /// - Parameter level: the character for a peak, 0...1 and above.
    package func lines(level: (Float) -> String) -> [String] {
        let columns = 72
        let lines = told.map { "\($0.time.column)  \($0.what.lane.padded(to: 10))  \($0.what.words)" }
        let width = sounds.map { $0.name.count }.max() ?? 0
        let strips = sounds.map { sound in
            "\(sound.name.padded(to: width)) |\(sound.strip(columns: columns, of: duration, level: level))| "
                + (sound.frames == 0 ? "silent" : "\(sound.frames) frames")
        }
        let ruler = [String(repeating: " ", count: width + 2) + duration.ruler(columns: columns)]
        let ends = objections.map { "objection: \($0)" } + failures.map { "failed: \($0)" }
        return lines + (strips.isEmpty ? [] : [""] + ruler + strips) + (ends.isEmpty ? [] : [""]) + ends
    }
}

extension AudioScene.Time {
    /// "   2.000000 s": microseconds, so that nothing is rounded.
    var column: String {
        let fraction = String(microseconds % 1_000_000 + 1_000_000).dropFirst()
        let whole = String(microseconds / 1_000_000)
        return String(repeating: " ", count: max(0, 5 - whole.count)) + "\(whole).\(fraction)s"
    }

    /// "0s      1s      2s": marks at whole seconds, for a strip from zero to this time.
    func ruler(columns: Int) -> String {
        let step =
            [1, 2, 5, 10, 20, 60, 120, 300, 600].first { $0 * 8_000_000 >= microseconds } ?? Int(seconds / 8) + 1
        return stride(from: 0, to: Int(seconds.rounded(.up)), by: step).reduce(into: "") { line, second in
            line = line.padded(to: second * 1_000_000 * columns / microseconds) + "\(second)s"
        }
    }
}

extension String {
    func padded(to width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }
}
