package import EngineCore

/// What a source node feeds at present.
package struct SourceBinding {
    package var renderer: EngineRenderer
    package var feed: SourceFeed
    /// Of the node's output bus.
    package var format: StreamFormat
    /// Between the source and the renderer.
    var effects: [EffectController]
    /// The caller of the render methods feeds, and nothing is made that it has not asked for.
    package var isManual: Bool
    /// From rendering a frame to hearing it, at the renderer's rate.
    package var latencyFrames: Int64

    package init(
        renderer: EngineRenderer, feed: SourceFeed, format: StreamFormat, effects: [EffectController], isManual: Bool,
        latencyFrames: Int64
    ) {
        self.renderer = renderer
        self.feed = feed
        self.format = format
        self.effects = effects
        self.isManual = isManual
        self.latencyFrames = latencyFrames
    }

    /// False where everything that was fed must be fed again.
    package func isSame(as other: SourceBinding?) -> Bool {
        guard let other else { return false }
        return feed === other.feed && renderer === other.renderer && format == other.format
            && effects.elementsEqual(other.effects) { $0 === $1 }
    }
}
