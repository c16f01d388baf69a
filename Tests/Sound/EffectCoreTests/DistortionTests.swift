import EffectCore
import Foundation
import TestSupport
import Testing

@Suite struct DistortionTests {
    /// All wet and without any part: the gain is 0 dB.
    private static let plain: [UInt64: Float] = [2: 0, 5: 0, 9: 0, 13: 0, 14: 0, 15: 100]

    /// The level of a frequency in the last whole tenth of a second.
    private static func level(_ sound: [Float], _ frequency: Double) -> Double {
        let part = Array(sound.suffix(4800))
        return Response.decibels(2 * Response.amplitude(part, frequency, 48_000) / 4800)
    }

    @Test func latency_isThatOfBothHalfBands_andOfTheDrySoundToo() {
        for mix in [0, 100] as [Float] {
            let rig = EffectRig(.distortion, channels: 1, Self.plain.merging([15: mix]) { $1 })
            var input = [Float](repeating: 0, count: 64)
            input[0] = 0.01
            let output = rig.process([input])[0]
            #expect(rig.processor.latencyFrames == 15)
            #expect(output.firstIndex(of: output.max()!) == 15)
        }
    }

    @Test func cubic_makesTheThirdHarmonic_andHardlyFoldsOne() {
        let rig = EffectRig(.distortion, channels: 1, Self.plain.merging([6: 1, 8: 1, 9: 100, 14: -12]) { $1 })
        // sin³ has its third harmonic at a quarter.
        let output = rig.process([tone(1000, frames: 9600)])[0]
        let fundamental = Self.level(output, 1000)
        // The soft clip takes 8/27 of the cube of what is small.
        let expected = Response.decibels(pow(0.5 * pow(10, -12.0 / 20), 3) / 4 * (1 - 8.0 / 27))
        // Higher terms of the clip.
        #expect(abs(Self.level(output, 3000) - expected) < 0.5)
        #expect(fundamental > Self.level(output, 3000) + 20)
        // The third harmonic of 10 kHz would fold to 18 kHz.
        let high = rig.process([tone(10_000, frames: 9600)])[0]
        #expect(Self.level(high, 18_000) < Self.level(high, 10_000) - 50)
    }

    @Test func squared_makesTheSecondHarmonic_andLeavesNoMean() {
        let rig = EffectRig(.distortion, channels: 1, Self.plain.merging([6: 0, 7: 1, 9: 100]) { $1 })
        let output = rig.process([tone(1000, frames: 48_000, level: 0.25)])[0]
        #expect(Self.level(output, 2000) > Self.level(output, 1000) + 40)
        #expect(abs(output.suffix(4800).reduce(0, +) / 4800) < 1e-3)
    }

    @Test func ring_makesSumAndDifference_andTakesTheToneAway() {
        let rig = EffectRig(.distortion, channels: 1, Self.plain.merging([10: 300, 12: 0, 13: 100]) { $1 })
        let output = rig.process([tone(1000, frames: 9600, level: 0.1)])[0]
        #expect(abs(Self.level(output, 1300) - Response.decibels(0.05)) < 0.5)
        #expect(abs(Self.level(output, 700) - Response.decibels(0.05)) < 0.5)
        #expect(Self.level(output, 1000) < -70)
    }

    @Test func decimation_holdsSamples_andRoundingTakesBits() {
        let rig = EffectRig(.distortion, channels: 1, Self.plain.merging([3: 100, 4: 100, 5: 100]) { $1 })
        let output = rig.process([tone(100, frames: 4800, level: 0.9)])[0]
        // One sample in 50, of two bits: levels half a unit apart. The half band rings at the steps, the clip bends.
        #expect(Self.level(output, 860) > Self.level(output, 100) - 40)
        #expect(Set(output.suffix(2400).map { ($0 * 2).rounded() }).count <= 5)
    }

    @Test(arguments: DistortionPreset.allCases)
    func preset_changesTheSound_andStaysBelowFullScale(_ preset: DistortionPreset) {
        let rig = EffectRig(.distortion, channels: 1, Self.plain.merging(preset.values) { $1 })
        let input = [tone(440, frames: 48_000)]
        let output = rig.process(input)[0]
        // A clip of ±1 that a half band rings after.
        #expect(output.allSatisfy { abs($0) < 1.3 })
        #expect(output.suffix(4800).map(abs).max()! > 0.01)
        let late = Array([Float](repeating: 0, count: 15) + input[0].dropLast(15))
        #expect(zip(output, late).contains { abs($0 - $1) > 0.05 })
    }

    @Test func presets_areAllDifferent() { #expect(Set(DistortionPreset.allCases.map(\.values)).count == 22) }
}
