import Foundation

/// One program of a round: what it is started with, how loud it is, and what it has told so far.
final class RoundActor {
    /// What a session says of itself, as far as the others' rights depend on it.
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

        /// Whether the activation of this one interrupts that one: Apple's rules, written down a second time.
        func interrupts(_ other: Role) -> Bool {
            if self == .interruptingSpoken { return other == .spoken }
            return !isMixable && !other.isMixable
        }
    }

    let role: Role
    let run: ToolRun
    /// What the meter hears of it.
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

    /// What it has told since the mark.
    var news: [String] { Array(run.story.dropFirst(mark)) }

    /// Forgets what it has told, all of which is known.
    func forgetNews() { mark = run.lines.count }

    func wait(for summaries: String...) throws {
        for summary in summaries { try run.wait(for: summary, from: mark) }
    }

    /// A player's news and the session's come by different ways: each is in order.
    var playerNews: [String] { news.filter { $0.hasSuffix(" \(file)") } }
    var interruptionNews: [String] { news.filter { $0.hasPrefix("interruption") } }
    var hints: [String] { news.filter { $0.hasPrefix("hint") } }
}
