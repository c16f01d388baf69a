/// A node of the graph with all that was set on it.
package struct GraphNode: Hashable, Sendable {
    package let id: NodeID
    package let kind: NodeKind
    /// For people, in errors.
    package var name: String
    /// Of the output bus; for an output the device's, for a sink without meaning.
    package var format: StreamFormat
    /// Linear amplitude of everything that leaves a mixer or reaches an output.
    package var outputVolume: Float = 1
    package var isMuted = false
    /// What new connections from here begin with.
    package var mixing = Mixing()
    /// Which channel feeds each channel of `format`; nil: see `EngineGraph.soundingMap(of:)`.
    ///
    /// Index: the channel fed; value: the one that feeds it, below 0 for silence.
    package var channelMap: [Int]?
    /// Of an output on the machine's ports; nil for others.
    package var layout: RouteLayout?
    /// Whether the app hears what leaves the output bus.
    package var isTapped = false

    /// "the mixer \"main\"".
    package var title: String { "the \(kind.word) \"\(name)\"" }

    /// What leaves is multiplied by this.
    var gain: Float { isMuted ? 0 : outputVolume }
}
