import AudioFiles
import AudioModel
import CRealtime
package import EngineCore
import Synchronization

/// What a file player plays: a renderer with one source, fed by a player of one item.
///
/// Any thread, and waits for no file.
package final class FileSource: Sendable {
    static let maximumFrames = 8192
    /// At 48 kHz these frames fit into a lane of 2^15; 2 s would take one of 2^17, 0.75 MB more for a stereo file.
    private static let readAheadSeconds = 0.65
    /// While a rate can be set or a filter changes the sound, so that a change is heard soon.
    package static let shortReadAheadSeconds = 0.08

    package let item: any PlayedItem
    /// The output's, in hertz.
    let sampleRate: Double
    /// Of every file.
    let channels: [ChannelLabel]
    package var format: StreamFormat { StreamFormat(sampleRate: sampleRate, channels: channels) }
    package let engine: EngineRenderer
    package let player: EnginePlayer
    let mixer: SourceMixer
    private let stretch: Mutex<Stretch>
    private let loopCount = Mutex(0)

    /// What changes the sound on its way to the renderer.
    private struct Stretch {
        let effect = TimeEffectController(.timePitch)
        /// Of effects, in their order; behind the change of rate.
        var stages: [any FrameConverter] = []
        /// Of playback; nil where it cannot be set.
        var rate: Float?
        /// Nil until it is needed, and where the stretcher does not take the file.
        var stage: TimeEffectStage?
    }

    /// - Parameter info: of its first file.
    init(_ item: any PlayedItem, _ info: AudioFileInfo) {
        self.item = item
        sampleRate = item.sampleRate
        engine = EngineRenderer(sampleRate: sampleRate, maximumFrames: Self.maximumFrames)
        let feed = engine.makeSource(channels: info.channels.count, readAheadSeconds: Self.readAheadSeconds)
        mixer = SourceMixer(engine: engine, source: feed, channels: info.channels)
        stretch = Mutex(Stretch())
        channels = info.channels
        player = EnginePlayer(engine: engine, source: feed, items: item)
        player.schedule(ScheduledItem(id: 1, frames: nil))
    }

    // MARK: Place

    /// The file that is rendered, or that a seek goes to.
    var info: AudioFileInfo { item.file(at: player.itemFrame).info }

    /// Of the frame that is rendered next, or where a seek goes; in its file.
    var positionSeconds: Double {
        let frame = player.itemFrame
        let file = item.file(at: frame)
        return min(Double(frame - file.origin) / sampleRate, Self.longestSeconds(file.info))
    }

    /// A file's length in seconds; far away where the file does not say.
    private static func longestSeconds(_ info: AudioFileInfo) -> Double {
        info.frameCount > 0 ? info.duration : 0x1p40
    }

    /// - Parameter seconds: into the file that is rendered; clamped to its length; NaN counts as 0.
    func seek(toSeconds seconds: Double, generation: UInt64) {
        let frame = player.itemFrame
        let file = item.file(at: frame)
        let clamped = seconds.isNaN ? 0 : min(max(seconds, 0), Self.longestSeconds(file.info))
        let target = file.origin + Int64(nearest: clamped * sampleRate)
        // A file that ends before its own end may be followed by another there.
        player.seek(toFrame: min(target, item.nextStart(after: frame) ?? target), generation: generation)
    }

    /// The frame of a file at a time in seconds; nil where it has no number.
    package func frame(seconds: Double?) -> Int64? {
        seconds.flatMap { $0.isFinite ? Int64(nearest: min(max($0, 0), 0x1p40) * sampleRate) : nil }
    }

    /// Seconds of the output until the next file begins, at the file's own speed; infinite while that is not known.
    var secondsToNextFile: Double {
        let frame = player.itemFrame
        return item.nextStart(after: frame).map { Double($0 - frame) / sampleRate } ?? .infinity
    }

    // MARK: Loops

    /// How often the file begins again at its end, without a gap; negative: for ever.
    var loops: Int {
        get { loopCount.withLock { $0 } }
        set {
            loopCount.withLock {
                $0 = newValue
                player.setLoops(newValue)
            }
        }
    }

    /// Counts the loops from their beginning.
    func restartLoops() { loopCount.withLock { player.setLoops($0) } }

    // MARK: Rate

    /// Of playback, above 0; nil, as at first, is the file's own speed, and bit by bit.
    ///
    /// A number follows another soon. Where there is one for the first time, or none any more, what has been read ahead is
    /// read again.
    var rate: Float? {
        get { stretch.withLock { $0.rate } }
        set {
            stretch.withLock { stretch in
                stretch.rate = newValue
                if let newValue {
                    stretch.effect.change { $0.rate = newValue }
                    stretch.stage =
                        stretch.stage
                        ?? stretch.effect.makeStage(format)
                }
                convert(stretch)
            }
        }
    }

    private func convert(_ stretch: Stretch) {
        let stage: [any FrameConverter] = stretch.rate == nil ? [] : [stretch.stage].compactMap(\.self)
        let converter = StageChain.make(stage + stretch.stages, channels: channels.count)
        let seconds = converter == nil ? Self.readAheadSeconds : Self.shortReadAheadSeconds
        player.setConverter(converter, readAheadFrames: Int(sampleRate * seconds))
    }

    // MARK: Effects

    /// Has the sound go through these stages, one after the other; before it plays.
    package func setStages(_ stages: [any FrameConverter]) {
        stretch.withLock { stretch in
            stretch.stages = stages
            convert(stretch)
        }
    }
}
