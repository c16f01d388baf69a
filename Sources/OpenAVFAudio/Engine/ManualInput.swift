import CAudioTypes
import EngineCore
import RenderCore
import Synchronization

/// The input of an engine that the app renders by hand: asks a block of the app's for frames.
///
/// `@unchecked Sendable`: used by one thread at a time, the one that renders.
final class ManualInput: @unchecked Sendable {
    let format: AVAudioFormat
    private let block: AVAudioIONodeInputBlock
    private var stage: (converter: RateStage, rate: Double)?
    /// Interleaved in the node's channels, at the renderer's rate; given and not rendered yet.
    private var waiting: [Float] = []
    /// Of what waits.
    private var channels = 0
    private var sampleTime: Int64 = 0

    init(format: AVAudioFormat, block: @escaping AVAudioIONodeInputBlock) {
        self.format = format
        self.block = block
    }

    /// Forgets what was given and not rendered.
    func reset() {
        waiting = []
        sampleTime = 0
        stage?.converter.reset()
    }

    /// Gets what the next cycle needs.
    ///
    /// - Parameters:
    ///   - channels: of the node.
    ///   - deliver: gets what the block gave, interleaved in the format's channels, and answers with it in the node's.
    /// - Returns: the frames, which are now gone from here; nil where the block has too few. Those it gave stay.
    func take(
        _ frames: Int, rate: Double, channels: Int,
        _ deliver: (TapBlock, UnsafeBufferPointer<Float>) -> [Float]
    ) -> [Float]? {
        if channels != self.channels {
            (self.channels, waiting, stage) = (channels, [], nil)
        }
        if rate != format.sampleRate, stage?.rate != rate {
            guard let converter = RateStage(from: format.sampleRate, to: rate, channels: channels) else { return nil }
            stage = (converter, rate)
        }
        while waiting.count < frames * channels {
            let missing = frames - waiting.count / channels
            let wanted = max(1, Int((Double(missing) * format.sampleRate / rate).rounded(.up)))
            guard let given = ask(for: wanted) else { return nil }
            let count = given.count / format.places.count
            let block = TapBlock(
                frames: count, sampleTime: sampleTime,
                hostTimeNanoseconds: AVAudioTime.hostTime(forSeconds: Double(sampleTime) / format.sampleRate))
            sampleTime += Int64(count)
            let delivered = given.withUnsafeBufferPointer { deliver(block, $0) }
            if rate == format.sampleRate {
                waiting += delivered
            } else if let stage {
                waiting += delivered.withUnsafeBufferPointer { stage.converter.convertAll($0, channels: channels) }
            }
        }
        let taken = Array(waiting[..<(frames * channels)])
        waiting.removeFirst(frames * channels)
        return taken
    }

    /// Interleaved; nil where the block has nothing.
    private func ask(for frames: Int) -> [Float]? {
        guard let list = block(AVAudioFrameCount(frames)),
            let buffer = AVAudioPCMBuffer(pcmFormat: format, bufferListNoCopy: list), buffer.frameLength > 0
        else { return nil }
        let places = format.places
        let count = min(frames, Int(buffer.frameLength))
        return [Float](unsafeUninitializedCapacity: count * places.count) { samples, initialized in
            buffer.read(
                0..<count, into: UnsafeMutableBufferPointer(rebasing: samples[..<(count * places.count)]), as: places)
            initialized = count * places.count
        }
    }
}
