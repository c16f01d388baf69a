import EffectCore
import Foundation
import TestSupport
import Testing

@Suite struct DynamicsTests {
    private static func level(_ sample: Float) -> Double { Response.decibels(Double(abs(sample))) }

    private static func steady(_ decibels: Float, _ values: [UInt64: Float]) -> (EffectRig, Float) {
        let rig = EffectRig(.dynamics, channels: 1, values)
        let samples = [Float](repeating: powf(10, decibels / 20), count: 48_000)
        return (rig, rig.process([samples])[0].last!)
    }

    @Test(arguments: [-60, -30, -20, -15, -10, 0, 10] as [Float])
    func curve_aboveTheThreshold_approachesTheHeadRoom(_ input: Float) {
        let (rig, output) = Self.steady(input, [0: -20, 1: 5])
        let above = Double(input) + 20
        let wanted = above > 0 ? -20 + 5 * (1 - exp(-above / 5)) : Double(input)
        #expect(abs(Self.level(output) - wanted) < 0.05)
        #expect(abs(Double(rig.parameters.value(at: 1000)!) - (wanted - Double(input))) < 0.05)
        #expect(abs(Double(rig.parameters.value(at: 2000)!) - Double(input)) < 0.05)
        #expect(abs(Double(rig.parameters.value(at: 3000)!) - wanted) < 0.05)
    }

    @Test func curve_belowTheExpansionThreshold_fallsByTheRatio() {
        let (_, output) = Self.steady(-60, [2: 3, 3: -50])
        #expect(abs(Self.level(output) - -80) < 0.05)
    }

    @Test func gain_fallsWithTheAttack_andRisesWithTheRelease() {
        let rig = EffectRig(.dynamics, channels: 1, [0: -20, 1: 5, 4: 0.01, 5: 0.1])
        let loud = [Float](repeating: 1, count: 4800)
        let quiet = [Float](repeating: 0.01, count: 48_000)
        let output = rig.process([loud + quiet])[0]
        func change(_ frame: Int) -> Double {
            Self.level(output[frame]) - (frame < 4800 ? 0 : -40)
        }
        let full = change(4799)
        // After one time constant e^-1 of the way is left; a piece of 8 frames of uncertainty.
        #expect(abs(change(480) / full - (1 - exp(-1))) < 0.02)
        #expect(abs(change(4800 + 4800) / full - exp(-1)) < 0.02)
        #expect(full < -14)
    }

    @Test func channels_areTurnedDownTogether() {
        let rig = EffectRig(.dynamics, [0: -20, 1: 5])
        let output = rig.process([[Float](repeating: 1, count: 9600), [Float](repeating: 0.01, count: 9600)])
        #expect(abs(Self.level(output[0].last!) - (Self.level(output[1].last!) + 40)) < 0.001)
    }

    @Test func limiter_neverLetsASampleAboveFullScale_andPassesWhatIsBelow() {
        var random = Seeded(seed: 11)
        let rig = EffectRig(.peakLimiter, [2: 0])
        let latency = rig.processor.latencyFrames
        // 12 ms in pieces of 8 frames, and one more.
        #expect(latency == 584)
        var input = (0..<2).map { _ in (0..<48_000).map { _ in Float.random(in: -0.5...0.5, using: &random) } }
        let quiet = rig.process(input, blocks: [333])
        #expect(zip(quiet[0].dropFirst(latency), input[0]).allSatisfy { $0 == $1 })
        for _ in 0..<200 {
            input[Int.random(in: 0...1, using: &random)][Int.random(in: 0..<48_000, using: &random)] =
                Float.random(in: -20...20, using: &random)
        }
        let loud = rig.process(input, blocks: [333, 8, 64])
        // Rounded sums of gains.
        #expect(loud.joined().allSatisfy { abs($0) <= 1.000_001 })
        #expect(loud.joined().contains { abs($0) > 0.99 })
    }

    @Test func limiter_raisesByThePreGain() {
        let rig = EffectRig(.peakLimiter, channels: 1, [2: 6])
        let output = rig.process([[Float](repeating: 0.25, count: 4800)])[0]
        #expect(abs(Self.level(output.last!) - (Self.level(0.25) + 6)) < 0.01)
    }
}
