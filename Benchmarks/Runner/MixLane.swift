import CPeer
import CRealtime
import EngineCore
import Foundation
import TestAudio

/// An engine's renderer with stereo sources and six outputs, the C loop, and the same sound for both.
final class MixLane {
    static let outputs = 6
    /// Of one round; each source's part of it stays in the processor's caches, as a read-ahead does.
    static let roundFrames = 4096
    /// Samples from one of the peer's inputs to the next: not a power of two, or they would all compete for the same lines
    /// of the processor's caches.
    private static let inputStride = 2 * roundFrames + 128

    let sources: Int
    let frames: Int
    private let samples: [[Float]]
    private let matrix: [Float]
    private let engine: EngineRenderer
    private let feeds: [SourceFeed]
    private let ours: UnsafeMutableBufferPointer<Float>
    private let theirs: UnsafeMutableBufferPointer<Float>
    private let inputs: [UnsafePointer<Float>]
    private let inputMemory: UnsafeMutableBufferPointer<Float>

    /// - Parameter matrix: [output][source channel].
    init(sources: Int, frames: Int, matrix: [Float]) {
        self.sources = sources
        self.frames = frames
        self.matrix = matrix
        samples = (0..<sources).map { source in
            // So quiet that a mixer that clips has nothing to clip.
            TestSignal.quadrature(hertz: 200 + 37 * Double(source)).samples(
                frames: Self.roundFrames, channels: 2, sampleRate: 48_000
            ).map { $0 / Float(sources) }
        }
        inputMemory = .allocate(capacity: sources * Self.inputStride)
        inputMemory.initialize(repeating: 0)
        let first = UnsafePointer(inputMemory.baseAddress.unsafelyUnwrapped)
        inputs = (0..<sources).map { first + $0 * Self.inputStride }
        engine = EngineRenderer(sampleRate: 48_000, maximumFrames: 1024)
        feeds = (0..<sources).map { [engine] _ in
            engine.makeSource(channels: 2, readAheadSeconds: Double(Self.roundFrames) / 48_000)
        }
        ours = .allocate(capacity: Self.outputs * frames)
        theirs = .allocate(capacity: Self.outputs * frames)
        ours.initialize(repeating: 0)
        theirs.initialize(repeating: 0)
        engine.publish(sources: feeds, outputChannels: Self.outputs, matrix: matrix)
        for feed in feeds { feed.play() }
    }

    deinit {
        ours.deallocate()
        theirs.deallocate()
        inputMemory.deallocate()
    }

    /// What a peer reads; as it was when `refillPeer` was called.
    func input(_ source: Int) -> UnsafePointer<Float> { inputs[source] }

    /// The last cycle of ours, [output][frame].
    var rendered: [Float] { Array(ours) }

    func refill() {
        engine.reclaim()
        for (feed, samples) in zip(feeds, samples) {
            let written = samples.withUnsafeBufferPointer { feed.write(interleaved: $0) }
            precondition(written == Self.roundFrames, "the ring has room for a round")
        }
    }

    /// Writes what the peer reads, right before it does, as `refill` writes the rings: the caches are equally warm for both.
    func refillPeer() {
        for (source, samples) in samples.enumerated() {
            _ = inputMemory[(source * Self.inputStride)...].update(from: samples)
        }
    }

    /// Nanoseconds a frame.
    func renderOurs() -> Double {
        let renderer = engine.renderer
        let outputs = pointers(ours).map { Optional($0) }
        return outputs.withUnsafeBufferPointer { outputs in
            var cycle = oav_cycle()
            cycle.outputs = outputs.baseAddress
            cycle.output_channels = UInt32(Self.outputs)
            cycle.frames = UInt32(frames)
            cycle.sample_rate = 48_000
            return withUnsafePointer(to: renderer) { renderer in
                Self.measured(frames) { _ in oav_renderer_call(renderer, &cycle) }
            }
        }
    }

    /// Nanoseconds a frame.
    func renderPeer() -> Double {
        let outputs = pointers(theirs)
        return matrix.withUnsafeBufferPointer { matrix in
            inputs.withUnsafeBufferPointer { inputs in
                outputs.withUnsafeBufferPointer { outputs in
                    guard let matrix = matrix.baseAddress, let inputs = inputs.baseAddress,
                        let outputs = outputs.baseAddress
                    else { return .nan }
                    return Self.measured(frames) { cycle in
                        _ = cpeer_mix(
                            inputs, UInt32(sources), UInt32(cycle * frames), UInt32(frames), matrix, outputs,
                            UInt32(Self.outputs))
                    }
                }
            }
        }
    }

    private func pointers(_ memory: UnsafeMutableBufferPointer<Float>) -> [UnsafeMutablePointer<Float>] {
        let first = memory.baseAddress.unsafelyUnwrapped
        return (0..<Self.outputs).map { first + $0 * frames }
    }

    static func measured(_ frames: Int, _ cycle: (Int) -> Void) -> Double {
        let cycles = roundFrames / frames
        let start = Clock.nanoseconds
        for index in 0..<cycles { cycle(index) }
        return Double(Clock.nanoseconds - start) / Double(cycles * frames)
    }

    /// The last cycles of both sound the same, but for the roundings of sums in another order.
    func compare() throws {
        try Self.compare(rendered, Array(theirs), sources)
    }

    static func compare(_ ours: [Float], _ theirs: [Float], _ sources: Int) throws {
        for (index, (own, other)) in zip(ours, theirs).enumerated()
        where abs(own - other) > Float(2 * sources) * Float.ulpOfOne {
            throw Failure("The peer does other work: sample \(index) is \(own) here and \(other) there.")
        }
        guard theirs.contains(where: { abs($0) > 0.002 }) else {
            throw Failure("The mixers were compared in silence.")
        }
    }
}
