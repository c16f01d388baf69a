import EngineCore

/// What a source node feeds at present.
struct SourceBinding {
    var renderer: EngineRenderer
    var feed: SourceFeed
    /// Of the node's output bus.
    var format: StreamFormat
    /// Between the source and the renderer.
    var effects: [EffectController]
    /// The caller of the render methods feeds, and nothing is made that it has not asked for.
    var isManual: Bool
    /// From rendering a frame to hearing it, at the renderer's rate.
    var latencyFrames: Int64

    /// False where everything that was fed must be fed anew.
    func isSame(as other: SourceBinding?) -> Bool {
        guard let other else { return false }
        return feed === other.feed && renderer === other.renderer && format == other.format
            && effects.elementsEqual(other.effects) { $0 === $1 }
    }
}
