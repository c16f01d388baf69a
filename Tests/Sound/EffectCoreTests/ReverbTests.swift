import EffectCore
import Foundation
import TestSupport
import Testing

@Suite struct ReverbTests {
    private static func impulse(_ values: [UInt64: Float], frames: Int, rate: Double) -> (EffectRig, [[Float]]) {
        let rig = EffectRig(.reverb, sampleRate: rate, maximumFrames: 512, values)
        var input = [[Float]](repeating: [Float](repeating: 0, count: frames), count: 2)
        input[0][0] = 1
        input[1][0] = 1
        return (rig, rig.process(input))
    }

    /// Seconds in which the energy that is still to come falls by 60 dB, from the fall between -5 and -35 dB.
    ///
    /// Source: M. R. Schroeder, "New Method of Measuring Reverberation Time", JASA 37, 1965.
    private static func decay(_ response: [Float], rate: Double) -> Double {
        var rest = 0.0
        let levels = Array(
            response.reversed().map { sample -> Double in
                rest += Double(sample) * Double(sample)
                return rest
            }.reversed())
        func first(below level: Double) -> Int {
            levels.firstIndex { $0 < levels[0] * pow(10, level / 10) } ?? levels.count
        }
        return Double(first(below: -35) - first(below: -5)) / rate * 2
    }

    @Test(arguments: ReverbPreset.allCases)
    func preset_decaysInItsTime(_ preset: ReverbPreset) {
        let rate = 8000.0
        let wanted = Double(preset.values[4]!)
        let (_, output) = Self.impulse(preset.values, frames: Int(1.5 * wanted * rate), rate: rate)
        // The lows, which decay in the time of 0 Hz.
        var low: Float = 0
        let lows = output[0].map { sample -> Float in
            low += 0.1 * (sample - low)
            return low
        }
        let measured = Self.decay(lows, rate: rate)
        // Some of what passes the low pass decays faster; the allpass filters take 0.15 s more.
        #expect(
            measured > 0.7 * wanted && measured < 1.1 * wanted + 0.15, "\(preset): \(measured) s, wanted \(wanted) s")
        #expect(output[0] != output[1])
        #expect(output.joined().allSatisfy { abs($0) < 1 })
    }

    @Test func presets_allSoundDifferent() {
        let responses = ReverbPreset.allCases.map { Self.impulse($0.values, frames: 4000, rate: 8000).1 }
        #expect(Set(responses).count == 13)
    }

    @Test func noise_isAsLoudWetAsDry() {
        var random = Seeded(seed: 3)
        let input = (0..<2).map { _ in (0..<48_000).map { _ in Float.random(in: -0.5...0.5, using: &random) } }
        func power(_ sound: [Float]) -> Double { sound.suffix(16_000).reduce(0) { $0 + Double($1) * Double($1) } }
        for preset in [ReverbPreset.smallRoom, .plate, .largeChamber] {
            let output = EffectRig(.reverb, sampleRate: 8000, preset.values.merging([5: preset.values[4]!]) { $1 })
                .process(input)
            let level = 10 * log10(power(output[0]) / power(input[0]))
            // By its formula; the lines' modes make it a little uneven.
            #expect(abs(level) < 3, "\(preset): \(level) dB")
        }
    }

    @Test func lines_takeAVectorAFrame() {
        let (rig, _) = Self.impulse([:], frames: 5000, rate: 48_000)
        #expect(rig.processor.vectors == 5000)
    }

    @Test func newRoom_whilePlaying_fadesOutAndIn_withoutAClick() {
        let rig = EffectRig(.reverb, channels: 1, maximumFrames: 480, ReverbPreset.mediumHall.values)
        let output = rig.process([tone(220, frames: 48_000, level: 0.25)]) { frame in
            if frame == 24_000 { rig.parameters.set(ReverbPreset.smallRoom.values) }
        }[0]
        // Silent for a moment, and no step: 10 ms are 480 frames.
        #expect(abs(output[24_480]) < 1e-3)
        #expect(EqualizerTests.roughness(Array(output[20_000...])) < 0.004)
        #expect(output.suffix(4800).map(abs).max()! > 0.01)
    }
}
