import EffectCore
import Testing

@Suite struct BypassTests {
    @Test func bypass_fromTheStart_passesEveryBit() {
        let parameters = EffectParameters(.lowPass)
        parameters.isBypassed = true
        let rig = EffectRig(parameters)
        let input = [[Float]](repeating: (0..<300).map { Float($0 % 7) / 7 }, count: 2)
        let isSame = rig.process(input, blocks: [64]) == input
        #expect(isSame)
    }

    /// Nothing has sounded that could click.
    @Test func bypass_beforeTheFirstBlock_hasNoFade() {
        for kind in EffectKind.allCases {
            let rig = EffectRig(kind, channels: 1, [:])
            rig.parameters.isBypassed = true
            let ones = [[Float](repeating: 1, count: 300)]
            #expect(rig.process(ones) == ones, "\(kind)")
        }
    }

    /// And it comes back without a gap as long as its latency.
    @Test(arguments: [EffectKind.peakLimiter, .distortion])
    func bypass_ofALateEffect_isNotLate_andTheEffectIsThereWhenItEnds(_ kind: EffectKind) {
        // A distortion without a mix passes the sound, late.
        let rig = EffectRig(kind, channels: 1, kind == .distortion ? [15: 0] : [:])
        let input = [(0..<4000).map { 0.5 + Float($0 % 7) / 70 }]
        let output = rig.process(input, blocks: [100]) { rig.parameters.isBypassed = (1000..<2000).contains($0) }[0]
        let latency = rig.processor.latencyFrames
        #expect(latency > 0)
        // 5 ms, and what was late before.
        #expect(Array(output[1300..<2000]) == Array(input[0][1300..<2000]))
        #expect(output[2000...].allSatisfy { $0 > 0.45 })
        #expect(zip(output[2300...], input[0][(2300 - latency)...]).allSatisfy { abs($0 - $1) < 1e-6 })
    }

    @Test func bypass_whilePlaying_fadesFor5Milliseconds() {
        // 1 for all time: a high pass gives 0 of it, a bypass 1.
        let rig = EffectRig(.highPass, channels: 1, sampleRate: 1000, [0: 100])
        let ones = [[Float](repeating: 1, count: 100)]
        #expect(abs(rig.process(ones)[0].last!) < 1e-6)
        rig.parameters.isBypassed = true
        let toBypass = rig.process([[Float](repeating: 1, count: 8)])[0]
        for (sample, wanted) in zip(toBypass, [0.2, 0.4, 0.6, 0.8, 1, 1, 1, 1] as [Float]) {
            #expect(abs(sample - wanted) < 1e-5)
        }
        rig.parameters.isBypassed = false
        let back = rig.process([[Float](repeating: 1, count: 100)])[0]
        #expect(back[0] > 0.7)
        #expect(abs(back.last!) < 1e-5)
    }

    @Test func block_thatIsTooLongOrHasTooFewChannels_isSilent() {
        let rig = EffectRig(.lowPass, maximumFrames: 16)
        #expect(
            rig.block([[Float]](repeating: [Float](repeating: 1, count: 17), count: 2)).joined().allSatisfy { $0 == 0 })
        #expect(rig.block([[Float](repeating: 1, count: 16)])[0].allSatisfy { $0 == 0 })
    }
}
