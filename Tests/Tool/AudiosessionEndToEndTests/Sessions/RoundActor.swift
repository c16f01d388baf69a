import Foundation

/// One program of a round: its arguments, its level, and its events so far.
final class RoundActor {
    /// The properties of a session that the arbitration depends on.
    enum Role: String, CaseIterable {
        case exclusive, soloAmbient, spoken, mixing, ambient, ducking, interruptingSpoken, voiceChat, call

        var arguments: [String] {
            switch self {
            case .exclusive, .call: []
            case .soloAmbient: ["--category", "soloAmbient"]
            case .spoken: ["--mode", "spokenAudio"]
            case .mixing: ["--options", "mixWithOthers"]
            case .ambient: ["--category", "ambient"]
            case .ducking: ["--options", "duckOthers"]
            case .interruptingSpoken: ["--options", "interruptSpokenAudioAndMixWithOthers"]
            case .voiceChat: ["--category", "playAndRecord", "--mode", "voiceChat"]
            }
        }

        var isCallLike: Bool { self == .voiceChat || self == .call }

        var isMixable: Bool {
            switch self {
            case .mixing, .ambient, .ducking, .interruptingSpoken: true
            case .exclusive, .soloAmbient, .spoken, .voiceChat, .call: false
            }
        }

        /// Whether the activation of this one interrupts the other: Apple's rules, written a second time.
        func interrupts(_ other: Role) -> Bool {
            if self == .interruptingSpoken { return other == .spoken }
            return isCallLike || !isMixable && !other.isMixable
        }
    }

    let role: Role
    let run: ToolRun
    /// Its peak at the meter.
    let level: ClosedRange<Float>
    private let file: String
    private var mark = 0

    init(_ role: Role, _ run: ToolRun, file: String, level: ClosedRange<Float>) {
        (self.role, self.run, self.file, self.level) = (role, run, file, level)
    }

    var playing: String { "playing (user) \(file)" }
    var paused: String { "paused (interruption) \(file)" }
    static let began = "interruption began (default)"
    static let resume = "interruption ended, resume"
    static let noResume = "interruption ended, no resume"

    /// Its events since the mark.
    var events: [String] { Array(run.story.dropFirst(mark)) }

    /// Moves the mark behind all events so far.
    func forgetEvents() { mark = run.lines.count }

    func wait(for summaries: String...) throws {
        for summary in summaries { try run.wait(for: summary, from: mark) }
    }

    /// Different threads report the player's and the session's events: each kind is in order.
    var playerEvents: [String] { events.filter { $0.hasSuffix(" \(file)") } }
    var interruptionEvents: [String] { events.filter { $0.hasPrefix("interruption") } }
    var hints: [String] { events.filter { $0.hasPrefix("hint") } }
}
