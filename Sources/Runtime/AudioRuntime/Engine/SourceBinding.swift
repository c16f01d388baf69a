import EngineCore

/// What a source node feeds at present.
struct SourceBinding {
    var control: EngineController
    var renderer: EngineRenderer
    var feed: SourceFeed
    /// Feeds the renderer's sources.
    var feeder: ReadAheadScheduler
    /// Of the node's output bus.
    var format: StreamFormat
    /// Between the source and the renderer.
    var timeEffects: [TimeEffectController]
    /// The caller of the render methods feeds, and nothing is made that it has not asked for.
    var isManual: Bool
    /// From rendering a frame to hearing it, at the renderer's rate.
    var latencyFrames: Int64

    /// False where everything that was fed must be fed again.
    func isSame(as other: SourceBinding?) -> Bool {
        guard let other else { return false }
        return feed === other.feed && feeder === other.feeder && renderer === other.renderer && format == other.format
            && timeEffects.elementsEqual(other.timeEffects) { $0 === $1 }
    }

    /// The renderer's sample time; nil where that is not known.
    func sampleTime(at time: NodeTime) -> Int64? {
        time.frames(at: renderer.sampleRate) { control.sampleTime(atHostTime: $0, of: renderer) }
    }

    /// How far ahead a source is fed: as it wants without time effects, and 80 ms with them.
    ///
    /// A change of theirs is heard that much later; it is eight times the interval of the thread that feeds. Where the
    /// caller renders, nothing is made before it is asked for.
    func readAheadFrames(seconds: Double) -> Int {
        if timeEffects.isEmpty { return Int(renderer.sampleRate * seconds) }
        return isManual ? 1 : Int(renderer.sampleRate * min(seconds, 0.08))
    }

    /// What is between frames that a source makes at a rate and the renderer; nil where nothing is.
    func makeConverter(from rate: Double, _ rateStage: RateStage?) -> (any FrameConverter)? {
        let made = StreamFormat(sampleRate: rate, channels: format.channels)
        let stages: [any FrameConverter] = timeEffects.compactMap { $0.makeStage(made) }
        return StageChain.make(stages + [rateStage].compactMap(\.self), channels: format.channels.count)
    }
}
