import EffectCore
import Foundation
import TestSupport
import Testing

/// What holds for every effect.
@Suite struct EffectBehaviourTests {
    private static func noise(_ seed: UInt64, _ frames: Int, _ level: Float = 0.5) -> [[Float]] {
        var random = Seeded(seed: seed)
        return (0..<2).map { _ in (0..<frames).map { _ in Float.random(in: -level...level, using: &random) } }
    }

    /// No feedback, which is bounded by its own limit.
    private static func bound(_ kind: EffectKind) -> Float {
        switch kind {
        // The gains of the bands and of the whole: a tenth of the noise lies in a peak of 24 dB.
        case .equalizer: 16 * 16 * 16
        // 40 dB of gain.
        case .lowPass, .highPass, .lowShelf, .highShelf, .dynamics: 200
        case .parametricEqualizer: 20
        // The echo is at most 8, the sound beside it 0.5.
        case .delay: 8.5
        // 20 dB of gain over the level of the noise.
        case .reverb: 40
        case .bandPass, .distortion: 1.6
        case .peakLimiter: 1.000_001
        // A new effect fails until its bound is here.
        default: 0
        }
    }

    @Test(arguments: EffectKind.allCases)
    func parameters_thatChangeAtRandom_keepTheSoundFiniteAndBounded(_ kind: EffectKind) {
        var random = Seeded(seed: 7)
        let rig = EffectRig(kind, bands: 3, maximumFrames: 256)
        let rows = kind.parameters(bands: 3)
        let input = Self.noise(8, 256 * 200)
        var peak: Float = 0
        let output = rig.process(input, blocks: [256, 17, 64, 1, 130]) { _ in
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let row = rows.randomElement(using: &random)!
                // Often the ends of the range.
                let value =
                    Bool.random(using: &random)
                    ? Float.random(in: row.range, using: &random)
                    : (Bool.random(using: &random) ? row.range.lowerBound : row.range.upperBound)
                rig.parameters.set(value, at: row.address)
            }
            if Int.random(in: 0...20, using: &random) == 0 { rig.parameters.isBypassed.toggle() }
            if Int.random(in: 0...50, using: &random) == 0 { rig.reset() }
        }
        for row in output {
            #expect(row.allSatisfy { $0.isFinite })
            peak = max(peak, row.map(abs).max() ?? 0)
        }
        #expect(peak <= Self.bound(kind))
    }

    @Test(arguments: EffectKind.allCases)
    func sound_thatIsNoNumber_isForgottenByAReset(_ kind: EffectKind) {
        let rig = EffectRig(kind, bands: 2, Self.audible(kind))
        var bad = Self.noise(1, 512)
        bad[0][100] = .nan
        bad[1][200] = .infinity
        _ = rig.block(bad)
        // As the renderer does after a block that has no numbers.
        rig.reset()
        let output = rig.process(Self.noise(2, 48_000 * 2), blocks: [512])
        #expect(output.joined().allSatisfy { $0.isFinite })
        #expect(output[0].suffix(512).contains { $0 != 0 })
    }

    /// Parameters with which an effect changes the sound.
    private static func audible(_ kind: EffectKind) -> [UInt64: Float] {
        switch kind {
        case .equalizer: EqualizerTests.band(0, .parametric, frequency: 500, gain: 12)
        case .lowShelf, .highShelf: [1: 12]
        case .parametricEqualizer: [2: 12]
        case .peakLimiter: [2: 12]
        case .delay: [1: 0.01]
        case .bandPass: [0: 1000]
        default: [:]
        }
    }

    @Test(arguments: EffectKind.allCases)
    func reset_forgetsAllSound(_ kind: EffectKind) {
        let values = Self.audible(kind)
        let rig = EffectRig(kind, bands: 2, values)
        let input = Self.noise(3, 9600)
        let first = rig.process(input, blocks: [480])
        rig.reset()
        let again = rig.process(input, blocks: [480]) == first
        #expect(again)
        #expect(first != input)
    }

    /// Nothing has sounded that could click: no slide, no fade, whatever was under way when the sound was forgotten.
    @Test(arguments: EffectKind.allCases)
    func settings_beforeTheFirstBlock_holdFromItsFirstFrame(_ kind: EffectKind) {
        var random = Seeded(seed: 9)
        for round in 0..<20 {
            func randomValues() -> [UInt64: Float] {
                var values: [UInt64: Float] = [:]
                for row in kind.parameters(bands: 3) where row.isWritable {
                    values[row.address] = Float.random(in: row.range, using: &random)
                }
                // How late a limiter gives the sound is settled as it is made.
                if kind == .peakLimiter { values[0] = 0.004 }
                return values
            }
            let rig = EffectRig(kind, bands: 3, maximumFrames: 512, randomValues())
            let input = Self.noise(UInt64(round), 4096)
            if round.isMultiple(of: 2) {
                // Into the middle of the slides to other settings.
                _ = rig.process(input, blocks: [100]) { _ in rig.parameters.set(randomValues()) }
                rig.reset()
            }
            let values = randomValues()
            rig.parameters.set(values)
            let isSame =
                rig.process(input, blocks: [512])
                == EffectRig(kind, bands: 3, maximumFrames: 512, values).process(input, blocks: [512])
            #expect(isSame, "\(kind), round \(round)")
        }
    }

    @Test(arguments: EffectKind.allCases)
    func output_isTheSame_howeverTheBlocksAreCut(_ kind: EffectKind) {
        let values = Self.audible(kind)
        let input = Self.noise(4, 6000)
        let whole = EffectRig(kind, bands: 2, maximumFrames: 8192, values).process(input)
        for blocks in [[1, 7, 64], [500]] {
            let parts = EffectRig(kind, bands: 2, maximumFrames: 8192, values).process(input, blocks: blocks)
            for (a, b) in zip(whole.joined(), parts.joined()) {
                // Where a slide of a gain begins is the same; its sums round differently.
                guard abs(a - b) < 1e-5 else {
                    Issue.record("\(kind): \(a) became \(b)")
                    return
                }
            }
        }
    }

    @Test(arguments: EffectKind.allCases)
    func silence_afterSound_endsInSilence_andNotInTinyNumbers(_ kind: EffectKind) {
        let rig = EffectRig(kind, bands: 2, sampleRate: 8000, maximumFrames: 800, Self.audible(kind))
        _ = rig.process(Self.noise(5, 800))
        var tail: [[Float]] = []
        for block in 0..<200 {
            tail = rig.block([[Float]](repeating: [Float](repeating: 0, count: 800), count: 2))
            // Numbers below 10^-38 would be many times slower to compute; a filter may pass through them in one block.
            guard block > 20 else { continue }
            #expect(tail.joined().allSatisfy { $0 == 0 || abs($0) > 1e-37 })
        }
        // Sums that round may go on for ever, 340 dB below full scale.
        #expect(tail.joined().allSatisfy { abs($0) < 1e-17 })
    }

    @Test(arguments: EffectKind.allCases, [1, 2, 3, 8])
    func channels_ofAnyNumber_areAllWritten(_ kind: EffectKind, _ channels: Int) {
        let rig = EffectRig(kind, bands: 2, channels: channels, Self.audible(kind))
        var random = Seeded(seed: 6)
        let input = (0..<channels).map { _ in (0..<4096).map { _ in Float.random(in: -0.5...0.5, using: &random) } }
        for row in rig.process(input, blocks: [1024]) {
            #expect(!row.contains(EffectRig.unwritten))
            #expect(row.contains { $0 != 0 })
        }
    }
}
