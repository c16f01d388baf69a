import EffectCore
import Foundation
import Testing

@Suite struct DelayTests {
    /// An impulse at 1000 Hz.
    private static func echoes(_ values: [UInt64: Float], frames: Int = 40) -> [Float] {
        let rig = EffectRig(.delay, channels: 1, sampleRate: 1000, values)
        var input = [Float](repeating: 0, count: frames)
        input[0] = 1
        return rig.process([input], blocks: [7])[0]
    }

    @Test func echoes_comeEachDelay_weakerByTheFeedback() {
        let output = Self.echoes([0: 100, 1: 0.01, 2: -50, 3: 24_000])
        var wanted = [Float](repeating: 0, count: 40)
        (wanted[10], wanted[20], wanted[30]) = (1, -0.5, 0.25)
        for (sample, wanted) in zip(output, wanted) { #expect(abs(sample - wanted) < 1e-6) }
    }

    @Test func mix_ofNothing_isTheSoundItself_andOfHalf_isBothAtMinus3Decibels() {
        var wanted = [Float](repeating: 0, count: 40)
        wanted[0] = 1
        #expect(Self.echoes([0: 0, 1: 0.01]) == wanted)
        let half = Self.echoes([0: 50, 1: 0.01, 2: 0, 3: 24_000])
        #expect(abs(half[0] - 0.70710678) < 1e-6)
        #expect(abs(half[10] - 0.70710678) < 1e-6)
    }

    @Test func lowPass_takesTheHighsOfAnEcho_asItsFormula() {
        // 1 - e^(-2π 100 / 1000) of the impulse at once, then less by e^(-2π 100 / 1000) each frame.
        let output = Self.echoes([0: 100, 1: 0.01, 2: 0, 3: 100])
        for frame in 10..<20 {
            let wanted = 0.46651 * Float(pow(0.53349, Double(frame - 10)))
            #expect(abs(output[frame] - wanted) < 1e-4)
        }
    }

    @Test func feedback_ofOne_staysWithinItsLimit() {
        let rig = EffectRig(.delay, channels: 1, sampleRate: 1000, [0: 100, 1: 0.005, 2: 100, 3: 24_000])
        let output = rig.process([[Float](repeating: 1, count: 1000)])[0]
        #expect(output.max()! == 8)
    }

    @Test func newDelay_fadesIn_withoutAJump() {
        let rig = EffectRig(.delay, channels: 1, sampleRate: 1000, [0: 100, 1: 0.1, 2: 0, 3: 24_000])
        // A slow ramp: the echo of 100 ms is 0.1 behind it, the echo of 50 ms 0.05.
        let input = [(0..<400).map { Float($0) / 1000 }]
        let output = rig.process(input, blocks: [200]) { frame in
            if frame == 200 { rig.parameters.set(0.05, at: 1) }
        }[0]
        #expect(abs(output[199] - 0.099) < 1e-5)
        #expect(abs(output[230] - 0.18) < 1e-5)
        for frame in 201..<240 { #expect(abs(output[frame] - output[frame - 1]) < 0.004) }
    }
}
