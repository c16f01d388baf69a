import AudioModel
import EngineCore

/// Lets a file play faster or slower at the pitch it has.
///
/// One thread at a time uses it, as the one that reads keeps a lock meanwhile.
struct FileStretch {
    private let effect = EffectController(.timePitch)
    private let stage: EffectStage
    private let channels: Int
    /// Frames out for each frame in.
    private(set) var ratio = 1.0

    private static let drainedFrames = 1024

    /// - Returns: nil for more channels, or a higher rate of samples, than the stretcher takes, and without memory.
    init?(sampleRate: Double, channels: [ChannelLabel]) {
        guard let stage = effect.makeStage(StreamFormat(sampleRate: sampleRate, channels: channels)) else { return nil }
        self.stage = stage
        self.channels = channels.count
    }

    /// Forgets the sound so far; at rate 1 the next passes bit by bit until another rate is set.
    mutating func begin(atRate rate: Float) {
        effect.change { $0.rate = rate }
        stage.reset()
        ratio = stage.takeRatio()
    }

    /// For the frames that are converted next, and those that the stretcher holds.
    ///
    /// - Returns: whether it is another than before.
    mutating func setRate(_ rate: Float) -> Bool {
        effect.change { $0.rate = rate }
        let old = ratio
        ratio = stage.takeRatio()
        return ratio != old
    }

    /// - Parameter frames: interleaved, [frame][channel].
    /// - Returns: what is ready.
    func convert(_ frames: UnsafeBufferPointer<Float>) -> [Float] {
        // A stretcher takes everything.
        stage.convertAll(frames, channels: channels) ?? []
    }

    /// What the stretcher still holds; the next frames are a new sound.
    func drain() -> [Float] {
        var drained: [Float] = []
        var produced = 0
        repeat {
            drained += [Float](unsafeUninitializedCapacity: Self.drainedFrames * channels) { output, count in
                let room = UnsafeMutableBufferPointer(rebasing: output[..<(Self.drainedFrames * channels)])
                produced = stage.convert(UnsafeBufferPointer(start: nil, count: 0), isEnd: true, into: room).produced
                count = produced * channels
            }
        } while produced > 0
        return drained
    }
}
