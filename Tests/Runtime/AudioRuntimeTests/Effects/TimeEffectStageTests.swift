import EngineCore
import TestAudio
import Testing
import TimePitch

@testable import AudioRuntime

/// The stages between a player and the renderer, at the end of a sound that does not stay the end.
@Suite struct TimeEffectStageTests {
    enum Kind: String, CaseIterable {
        case timePitch, varispeed, rate, timePitchAndRate

        func make() throws -> any FrameConverter {
            switch self {
            case .timePitch: try Self.effect(.timePitch)
            case .varispeed: try Self.effect(.varispeed)
            case .rate: try Self.rate(from: 24_000)
            case .timePitchAndRate:
                try #require(
                    StageChain.make([Self.effect(.timePitch), Self.rate(from: 32_000)], channels: 1))
            }
        }

        var ratio: Double { self == .timePitchAndRate ? 3 : 2 }

        private static func effect(_ kind: TimeEffectController.Kind) throws -> any FrameConverter {
            SoundTouch.register()
            let effect = TimeEffectController(kind)
            effect.change { $0.rate = 0.5 }
            return try #require(effect.makeStage(StreamFormat(sampleRate: 48_000, channels: [.mono])))
        }

        private static func rate(from rate: Double) throws -> any FrameConverter {
            try #require(RateStage(from: rate, to: 48_000, channels: 1))
        }
    }

    private static let tone = TestSignal.sine(hertz: 500).samples(frames: 4800, channels: 1, sampleRate: 48_000)

    private func give(_ stage: any FrameConverter, _ output: inout [Float]) throws {
        var converted = FrameQueue(channels: 1)
        try #require(Self.tone.withUnsafeBufferPointer { stage.convertAll($0, channels: 1, into: &converted) })
        output += converted.take(converted.frames)
    }

    private func end(_ stage: any FrameConverter, room: Int, _ output: inout [Float]) -> Int {
        var memory = [Float](repeating: 0, count: room)
        let produced = memory.withUnsafeMutableBufferPointer {
            stage.convert(UnsafeBufferPointer(start: nil, count: 0), isEnd: true, into: $0).produced
        }
        output += memory[..<produced]
        return produced
    }

    @Test(arguments: Kind.allCases)
    func input_whileTheEndComesOut_comesBehindIt_andIsHeardWhole(_ kind: Kind) throws {
        let (stage, other) = (try kind.make(), try kind.make())
        var output: [Float] = []
        var expected: [Float] = []
        for part in 1...5 {
            try give(stage, &output)
            // Less than is left.
            if part < 5 { #expect(end(stage, room: 64, &output) == 64) }
            try give(other, &expected)
            while end(other, room: 512, &expected) > 0 {}
        }
        while end(stage, room: 512, &output) > 0 {}
        let partFrames = Int(Double(Self.tone.count) * kind.ratio)
        try #require(output.count == 5 * partFrames && expected.count == 5 * partFrames)
        // The reach of libsoxr's filter, which may take two parts that meet behind a time pitch for one stream.
        for frame in output.indices where (200..<partFrames - 200).contains(frame % partFrames) {
            // -100 dB: libsoxr's own precision, with other block boundaries.
            guard abs(output[frame] - expected[frame]) < 1e-5 else {
                Issue.record("frame \(frame) is \(output[frame]), not \(expected[frame])")
                break
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func end_withoutRoom_keepsTheRest(_ kind: Kind) throws {
        let stage = try kind.make()
        var output: [Float] = []
        try give(stage, &output)
        #expect(end(stage, room: 0, &output) == 0)
        while end(stage, room: 512, &output) > 0 {}
        #expect(output.count == Int(Double(Self.tone.count) * kind.ratio))
    }
}
