import Foundation
import TestSupport
import Testing

@testable import AudioRuntime
@testable import OpenAVFAudio

/// Buffers of other rates than the output's: what comes while the end of a converter comes out is heard
/// behind it.
@Suite("Buffer gap contract", .serialized)
struct BufferGapContractTests {
    private static let rates: [Double] = [
        8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000,
    ]

    /// `AUDIOSESSION_TEST_SEED` repeats a failed run: on the simulated host exactly.
    private static var seed: UInt64 {
        ProcessInfo.processInfo.environment["AUDIOSESSION_TEST_SEED"].flatMap { UInt64($0) } ?? 21
    }

    @Test(arguments: [(WorldKind.simulated, 1000), (.pipeWire, 1000 / rates.count)])
    func buffers_ofAllRates_withGaps_areHeardWhole_andCompletedInOrder(_ kind: WorldKind, _ count: Int) async throws {
        let seed = Self.seed
        try await withWorld(kind, plugged: [.speaker]) { world in
            let engine = world.engine()
            let speeches = try Self.rates.map { try Speech(sampleRate: $0, count: count, seed: seed) }
            for speech in speeches {
                engine.attach(speech.node)
                engine.connect(speech.node, to: engine.mainMixerNode, format: speech.format)
                speech.node.installTap(
                    onBus: 0, bufferSize: 4800,
                    format: AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 1)
                ) { buffer, _ in speech.hear(buffer) }
            }
            let clock = try GapClock(engine, seed: seed) { for speech in speeches { speech.tick() } }
            try engine.start()
            for speech in speeches { speech.node.play() }
            clock.start()
            for _ in 0..<2000 where !speeches.allSatisfy(\.isOver) { try await world.run(seconds: 0.1) }
            // Two pieces of the taps.
            try await world.run(seconds: 0.3)
            let underruns = engine.control.state.withLock { state in
                state.nodes.values.reduce(0) { $0 + ($1.feed?.underrunFrames ?? 0) }
            }
            clock.stop()
            engine.stop()
            for speech in speeches {
                let about = "\(speech.format.sampleRate) Hz, AUDIOSESSION_TEST_SEED=\(seed)"
                #expect(speech.completed == Array(0..<count), "\(about)")
                // Each buffer may be a stream of its own, whose end falls between two frames. Where a busy machine feeds
                // too late, what sounds decays in 5 ms and what comes fades in.
                let most = Double(count) + (kind == .pipeWire ? Double(underruns) : 0)
                #expect(
                    abs(Double(speech.heardFrames) - speech.expectedFrames) <= most,
                    "\(about): \(speech.heardFrames) frames of \(speech.expectedFrames)")
            }
        }
    }
}

/// Ticks while an engine plays: completions of silent buffers of 1 to 10 ms.
///
/// `@unchecked Sendable`: the node may be used on any thread, and the rest is set before `start`.
private final class GapClock: @unchecked Sendable {
    private let node = AVAudioPlayerNode()
    private let buffers: [AVAudioPCMBuffer]
    private let onTick: @Sendable () -> Void

    init(_ engine: AVAudioEngine, seed: UInt64, onTick: @escaping @Sendable () -> Void) throws {
        self.onTick = onTick
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 1))
        var random = Seeded(seed: seed)
        buffers = try (0..<101).map { _ in
            let frames = AVAudioFrameCount.random(in: 48...480, using: &random)
            let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: frames))
            buffer.frameLength = frames
            return buffer
        }
        engine.attach(node)
        engine.connect(node, to: engine.mainMixerNode, format: format)
    }

    func start() {
        // Some ahead, as completions come at the end of a cycle.
        for number in 0..<20 { schedule(number) }
        node.play()
    }

    func stop() { node.stop() }

    private func schedule(_ number: Int) {
        node.scheduleBuffer(buffers[number % buffers.count], completionCallbackType: .dataRendered) { [weak self] _ in
            guard let self, self.node.isPlaying else { return }
            self.schedule(number + 20)
            self.onTick()
        }
    }
}
