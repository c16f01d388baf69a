package import EngineCore

extension SourceBinding {
    /// How far ahead a source is fed: as it wants without effects, and 80 ms with them.
    ///
    /// A change of theirs is heard that much later; it is eight times the interval of the thread that feeds. Where the
    /// caller renders, nothing is made before it is asked for.
    package func readAheadFrames(seconds: Double) -> Int {
        if effects.isEmpty { return Int(renderer.sampleRate * seconds) }
        return isManual ? 1 : Int(renderer.sampleRate * min(seconds, 0.08))
    }

    /// What is between frames that a source makes at a rate and the renderer; nil where nothing is.
    package func makeConverter(from rate: Double, _ rateStage: RateStage?) -> (any FrameConverter)? {
        let made = StreamFormat(sampleRate: rate, channels: format.channels)
        let stages: [any FrameConverter] = effects.compactMap { $0.makeStage(made) }
        return StageChain.make(stages + [rateStage].compactMap(\.self), channels: format.channels.count)
    }
}
