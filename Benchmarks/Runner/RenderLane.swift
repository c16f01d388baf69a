import AudioModel
import CPeer
import CRealtime
import EngineCore
import Foundation
import TestAudio

/// A renderer with a source of its own, the C loop, and the same second of sound for both.
struct RenderLane: ~Copyable {
    private let channels: Int
    private let frames: Int
    private let cycles: Int
    private let samples: [Float]
    private let matrix: [Float]
    private let engine: EngineRenderer
    private let source: SourceFeed
    private let ours: UnsafeMutableBufferPointer<Float>
    private let theirs: UnsafeMutableBufferPointer<Float>

    init(channels: Int, frames: Int) {
        self.channels = channels
        self.frames = frames
        cycles = 48_000 / frames
        samples = TestSignal.quadrature(hertz: 997).samples(
            frames: 48_000, channels: channels, sampleRate: 48_000)
        let labels = ChannelLabel.standard(count: channels)
        matrix = MixMatrix.compile(from: labels, to: [.left, .right])
        engine = EngineRenderer(sampleRate: 48_000, maximumFrames: 8192)
        source = engine.makeSource(channels: channels, readAheadSeconds: 1)
        let output = Port(
            uid: "output", name: "Output", kind: .virtual, direction: .output, channels: [.left, .right])
        SourceMixer(engine: engine, source: source, channels: labels).setOutputs([output], map: nil)
        source.play()
        ours = .allocate(capacity: 2 * frames)
        theirs = .allocate(capacity: 2 * frames)
        ours.initialize(repeating: 0)
        theirs.initialize(repeating: 0)
        // Past the ramp with which the plan of the new outputs replaces the first one.
        refill()
        _ = renderOurs()
    }

    deinit {
        ours.deallocate()
        theirs.deallocate()
    }

    func refill() {
        engine.reclaim()
        let frames = cycles * frames
        samples.withUnsafeBufferPointer {
            let written = source.write(interleaved: UnsafeBufferPointer(rebasing: $0.prefix(frames * channels)))
            precondition(written == frames, "the ring has room for a round")
        }
    }

    /// Nanoseconds a frame.
    func renderOurs() -> Double {
        let renderer = engine.renderer
        let outputs = [ours.baseAddress, ours.baseAddress.map { $0 + frames }]
        return outputs.withUnsafeBufferPointer { outputs in
            var cycle = oav_cycle()
            cycle.outputs = outputs.baseAddress
            cycle.output_channels = 2
            cycle.frames = UInt32(frames)
            cycle.sample_rate = 48_000
            return withUnsafePointer(to: renderer) { renderer in
                measured { _ in oav_renderer_call(renderer, &cycle) }
            }
        }
    }

    /// Nanoseconds a frame.
    func renderPeer() -> Double {
        guard let left = theirs.baseAddress else { return .nan }
        let right = left + frames
        return samples.withUnsafeBufferPointer { samples in
            guard let first = samples.baseAddress else { return .nan }
            return matrix.withUnsafeBufferPointer { matrix in
                guard let matrix = matrix.baseAddress else { return .nan }
                return measured { cycle in
                    let input = first + cycle * frames * channels
                    if channels == 2 {
                        _ = cpeer_render_stereo(input, UInt32(frames), left, right)
                    } else {
                        _ = cpeer_render_surround(input, UInt32(frames), matrix, left, right)
                    }
                }
            }
        }
    }

    private func measured(_ cycle: (Int) -> Void) -> Double {
        let start = Clock.nanoseconds
        for index in 0..<cycles { cycle(index) }
        return Double(Clock.nanoseconds - start) / Double(cycles * frames)
    }

    /// The last cycles of both sound the same, but for the roundings of six sums in another order.
    func compare() throws {
        for (index, (own, other)) in zip(ours, theirs).enumerated() where abs(own - other) > 6 * Float.ulpOfOne {
            throw Failure("The peer does other work: sample \(index) is \(own) here and \(other) there.")
        }
        guard theirs.contains(where: { abs($0) > 0.1 }) else {
            throw Failure("The renderers were compared in silence.")
        }
    }
}
