import CRealtime
import EngineCore

/// An effect of the render cycle where a file is fed: as many frames come out as go in, and then its tail.
///
/// The delay of the effect is taken out: what comes out begins with the first frame that went in.
///
/// `@unchecked Sendable`: one thread at a time uses it, as the one that feeds keeps a lock meanwhile.
final class ProcessorStage: FrameConverter, @unchecked Sendable {
    private let unit: any ProcessorUnit
    private let shape: ProcessorShape
    private let channels: Int
    private let input: ChannelRows
    private let output: ChannelRows
    private var processor: any UnitProcessor
    private var sampleTime: Int64 = 0
    /// Frames that come out before the first that went in.
    private var framesToDrop: Int
    /// Of the end: what has come out of it and waits for room, and how much silence went in.
    private var tail: FrameQueue
    private var tailFrames = 0

    static let blockFrames = 1024
    /// -100 dBFS.
    private static let threshold: Float = 1e-5
    /// The tail is over when it has been silent for the first time, and at the latest after the second.
    private static let (silentSeconds, mostTailSeconds) = (1.0, 30.0)

    /// - Throws: the effect does not take the sound.
    init(_ unit: any ProcessorUnit, _ format: StreamFormat) throws(GraphError) {
        self.unit = unit
        shape = ProcessorShape(inputs: [format], output: format, maximumFrames: Self.blockFrames)
        channels = format.channels.count
        try unit.check(shape, title: "the effect")
        processor = try unit.makeProcessor(shape)
        (input, output) = (ChannelRows(channels, Self.blockFrames), ChannelRows(channels, Self.blockFrames))
        framesToDrop = processor.latencyFrames
        tail = FrameQueue(channels: channels)
    }

    func takeRatio() -> Double { 1 }

    func convert(
        _ input: UnsafeBufferPointer<Float>, isEnd: Bool, into output: UnsafeMutableBufferPointer<Float>
    ) -> (consumed: Int, produced: Int) {
        let room = output.count / channels
        let frames = min(input.count / channels, Self.blockFrames, room)
        guard frames > 0 else { return (0, isEnd ? drain(into: output, room) : 0) }
        self.input.read(input, frames)
        let range = process(frames)
        self.output.write(range, into: output)
        return (frames, range.count)
    }

    /// - Returns: 0 once nothing but silence comes.
    private func drain(into output: UnsafeMutableBufferPointer<Float>, _ room: Int) -> Int {
        if tail.frames == 0 { renderTail() }
        let frames = min(room, tail.frames)
        _ = output.update(fromContentsOf: tail.take(frames))
        if frames == 0 { reset() }
        return frames
    }

    /// Renders to the next block that sounds; silence comes with it, and is dropped where nothing sounds behind it.
    private func renderTail() {
        let rate = shape.output.sampleRate
        var silentFrames = 0
        input.clear()
        while tailFrames < Int(Self.mostTailSeconds * rate), silentFrames < Int(Self.silentSeconds * rate) {
            // What comes before the first frame that went in is no part of the tail.
            let range = process(Self.blockFrames)
            tailFrames += range.count
            tail.append(room: range.count) { room in
                output.write(range, into: room)
                return range.count
            }
            if output.peak(range) > Self.threshold { return }
            silentFrames += range.count
        }
        tail.removeAll()
    }

    /// - Returns: the frames that came out; not those before the first that went in.
    private func process(_ frames: Int) -> Range<Int> {
        input.withBus { input in
            output.withBus { output in
                withUnsafePointer(to: input) { input in
                    var process = oav_process(
                        inputs: input, input_count: 1, frames: UInt32(frames), output: output,
                        sample_rate: shape.output.sampleRate, sample_time: sampleTime, host_time_ns: 0)
                    processor.processor.process(processor.processor.context, &process)
                }
            }
        }
        sampleTime += Int64(frames)
        let dropped = min(framesToDrop, frames)
        framesToDrop -= dropped
        return dropped..<frames
    }

    func reset() {
        (sampleTime, tailFrames) = (0, 0)
        tail.removeAll()
        if let reset = processor.processor.reset {
            reset(processor.processor.context)
        } else if let fresh = try? unit.makeProcessor(shape) {
            // Without memory for another, what is left of the sound before is heard.
            processor = fresh
        }
        framesToDrop = processor.latencyFrames
    }
}

/// Planar memory, [channel][frame].
private final class ChannelRows {
    private let channels: Int
    private let frames: Int
    private let samples: UnsafeMutablePointer<Float>
    private let pointers: UnsafeMutablePointer<UnsafeMutablePointer<Float>>

    init(_ channels: Int, _ frames: Int) {
        (self.channels, self.frames) = (channels, frames)
        samples = .allocate(capacity: channels * frames)
        samples.initialize(repeating: 0, count: channels * frames)
        pointers = .allocate(capacity: channels)
        for channel in 0..<channels { (pointers + channel).initialize(to: samples + channel * frames) }
    }

    deinit {
        samples.deallocate()
        pointers.deallocate()
    }

    func withBus(_ body: (oav_bus) -> Void) {
        body(oav_bus(channels: pointers, channel_count: UInt32(channels), flags: 0))
    }

    func clear() { samples.update(repeating: 0, count: channels * frames) }

    func read(_ interleaved: UnsafeBufferPointer<Float>, _ count: Int) {
        for channel in 0..<channels {
            for frame in 0..<count { pointers[channel][frame] = interleaved[frame * channels + channel] }
        }
    }

    func write(_ range: Range<Int>, into interleaved: UnsafeMutableBufferPointer<Float>) {
        for channel in 0..<channels {
            for (index, frame) in range.enumerated() {
                interleaved[index * channels + channel] = pointers[channel][frame]
            }
        }
    }

    func peak(_ range: Range<Int>) -> Float {
        var peak: Float = 0
        for channel in 0..<channels {
            for frame in range { peak = max(peak, abs(pointers[channel][frame])) }
        }
        return peak
    }
}
