import AudioModel
import SessionCore

/// What is to be played, and how.
struct PlayPlan: Sendable {
    struct Item: Hashable, Sendable {
        var path: String
        /// What events call it.
        var name: String
        /// It sounds there and nowhere else, beside the others; nil follows the session's route.
        var output: PortFacts?
    }

    /// What happens when the sound server goes away.
    enum ServerLoss: String, CaseIterable, Sendable {
        /// The run ends with an error.
        case quit
        /// The person at the keyboard may go on once a server is there again.
        case wait
        /// What played goes on by itself once a server is there again.
        case resume
    }

    var items: [Item]
    var configuration: SessionConfiguration
    var policy: StreamPolicy
    /// PipeWire's `media.role`.
    var role: String
    /// 0...1, linear amplitude.
    var volume: Float
    /// Where the sound is to go; it is chosen before the run begins.
    var choice = OutputChoice.automatic
    /// For each channel of the output a channel of the file, or -1.
    var channelMap: [Int]?
    /// nil: `wait` where somebody may press keys, else `quit`.
    var onServerLoss: ServerLoss?
    /// Somebody may press keys, so that it makes sense to wait for one.
    var isInteractive: Bool

    var serverLoss: ServerLoss { onServerLoss ?? (isInteractive ? .wait : .quit) }

    /// The files that play one after another; those with outputs of their own play at once.
    var lanes: [[Item]] { canChooseOutput ? [items] : items.map { [$0] } }

    /// No file has an output of its own.
    var canChooseOutput: Bool { items.allSatisfy { $0.output == nil } }

    init(
        items: [Item], configuration: SessionConfiguration = SessionConfiguration(category: .playback),
        policy: StreamPolicy = StreamPolicy(), role: String = "Music", volume: Float = 1,
        onServerLoss: ServerLoss? = nil, isInteractive: Bool = false
    ) {
        self.items = items
        self.configuration = configuration
        self.policy = policy
        self.role = role
        self.volume = volume
        self.onServerLoss = onServerLoss
        self.isInteractive = isInteractive
    }

    /// Files under their own names.
    static func items(_ files: [String]) -> [Item] { files.map { Item(path: $0, name: $0) } }
}
