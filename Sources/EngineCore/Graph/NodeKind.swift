/// What a node of the graph does.
package enum NodeKind: Hashable, Sendable {
    /// Makes frames: a player, a block, an input. No input bus, one output bus.
    case source
    /// Sums its inputs in the format of its output. Any number of input buses, one output bus.
    case mixer
    /// Changes the sound of one source before it is mixed, where that is fed. One input bus, one output bus.
    case effect
    /// The device. One input bus, no output bus.
    case output
    /// Hands frames to the app. One input bus, no output bus.
    case sink

    /// Output buses.
    package var outputCount: Int {
        switch self {
        case .source, .mixer, .effect: 1
        case .output, .sink: 0
        }
    }

    /// Input buses; nil for as many as wanted.
    package var inputCount: Int? {
        switch self {
        case .source: 0
        case .mixer: nil
        case .effect, .output, .sink: 1
        }
    }

    var word: String {
        switch self {
        case .source: "source"
        case .mixer: "mixer"
        case .effect: "effect"
        case .output: "output"
        case .sink: "sink"
        }
    }
}
