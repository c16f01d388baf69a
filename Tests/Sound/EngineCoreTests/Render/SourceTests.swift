import AudioModel
import EngineCore
import RenderBench
import Testing

/// Literal samples at 1 kHz: a ramp is five frames.
@Suite struct SourceTests {
    @Test func samples_atVolumeOne_passBitByBit() {
        var random = SystemRandomNumberGenerator()
        let samples: [Float] =
            [-0.0, 0, .leastNonzeroMagnitude, -.leastNormalMagnitude, 1, -1, .greatestFiniteMagnitude]
            + (0..<57).map { _ in Float.random(in: -1...1, using: &random) }
        let bench = SourceBench([.left, .right])
        #expect(bench.write(samples) == 32)
        bench.source.play()
        let rendered = bench.render(20) + bench.render(12)
        let left = rendered[0] + rendered[2]
        let right = rendered[1] + rendered[3]
        #expect(left.map(\.bitPattern) == (0..<32).map { samples[2 * $0].bitPattern })
        #expect(right.map(\.bitPattern) == (0..<32).map { samples[2 * $0 + 1].bitPattern })
    }

    @Test func nothing_beforePlay_soundsOrMoves() {
        let bench = SourceBench()
        bench.write(constant: 1, 10)
        #expect(bench.renderMono(4) == [0, 0, 0, 0])
        #expect(bench.source.positionFrames == 0)
        #expect(bench.history() == [])
    }

    @Test func pause_whilePlaying_fadesOutAndHolds() {
        let bench = SourceBench.playing(20)
        #expect(bench.renderMono(3) == [1, 1, 1])
        bench.source.pause()
        #expect(isClose(bench.renderMono(3), [0.8, 0.6, 0.4]))
        #expect(bench.history() == [])
        #expect(isClose(bench.renderMono(4), [0.2, 0, 0, 0]))
        #expect(bench.renderMono(2) == [0, 0])
        #expect(bench.source.positionFrames == 8)
        #expect(bench.history() == [.fadeEnded])
    }

    @Test func pause_whilePausedAlready_isAnsweredAgain() {
        let bench = SourceBench()
        bench.source.pause()
        bench.renderMono(1)
        #expect(bench.history() == [.fadeEnded])
        bench.source.pause()
        #expect(bench.history() == [])
        bench.renderMono(1)
        #expect(bench.history() == [.fadeEnded])
        bench.renderMono(1)
        #expect(bench.history() == [])
    }

    @Test func play_afterPause_fadesInFromWhereItStood() {
        let bench = SourceBench()
        bench.write(constant: 1, 8)
        bench.write(constant: 0.5, 20)
        bench.source.play()
        bench.renderMono(3)
        bench.source.pause()
        bench.renderMono(9)
        bench.source.play()
        #expect(isClose(bench.renderMono(7), [0.1, 0.2, 0.3, 0.4, 0.5, 0.5, 0.5]))
        #expect(bench.source.positionFrames == 15)
    }

    @Test func play_whileFadingOut_turnsAround() {
        let bench = SourceBench.playing(20, rendered: 1)
        bench.source.pause()
        #expect(isClose(bench.renderMono(3), [0.8, 0.6, 0.4]))
        bench.source.play()
        #expect(isClose(bench.renderMono(4), [0.6, 0.8, 1, 1]))
        #expect(bench.history() == [])
    }

    @Test func pauseAtOnce_whileFadingOut_leavesNotOneSample() {
        let bench = SourceBench.playing(40, rendered: 3)
        bench.source.pause()
        bench.renderMono(2)
        bench.source.pauseAtOnce()
        #expect(bench.renderMono(10).allSatisfy { $0.bitPattern == 0 })
        #expect(bench.source.positionFrames == 5)
        #expect(bench.history() == [.fadeEnded])
    }

    @Test func pauseAtOnce_whileASeekDecays_leavesNotOneSample() {
        let bench = SourceBench.playing(40, rendered: 3)
        bench.source.flush(toFrame: 100)
        bench.renderMono(2)
        bench.source.pauseAtOnce()
        #expect(bench.renderMono(10).allSatisfy { $0.bitPattern == 0 })
    }

    @Test func pauseAtOnce_followedByPlayBeforeACycle_fadesInFromSilence() {
        let bench = SourceBench.playing(40, rendered: 3)
        bench.source.pauseAtOnce()
        bench.source.play()
        #expect(isClose(bench.renderMono(6), [0.2, 0.4, 0.6, 0.8, 1, 1]))
        #expect(bench.history() == [])
    }

    @Test func volume_whilePlaying_slides() {
        let bench = SourceBench.playing(40, rendered: 1)
        bench.source.setVolume(0)
        #expect(isClose(bench.renderMono(2), [0.8, 0.6]))
        bench.source.setVolume(1)
        #expect(isClose(bench.renderMono(6), [0.68, 0.76, 0.84, 0.92, 1, 1]))
        bench.source.setVolume(0.5)
        #expect(isClose(bench.renderMono(6), [0.9, 0.8, 0.7, 0.6, 0.5, 0.5]))
    }

    @Test func volume_whileSilent_needsNoSlide() {
        let bench = SourceBench()
        bench.write(constant: 1, 10)
        bench.source.setVolume(0.5)
        bench.source.play()
        #expect(bench.renderMono(2) == [0.5, 0.5])
    }

    @Test(arguments: [-1, Float.nan, .infinity, -.infinity]) func volume_withoutMeaning_isSilence(volume: Float) {
        let bench = SourceBench()
        bench.write(constant: 1, 10)
        bench.source.setVolume(volume)
        bench.source.play()
        #expect(bench.renderMono(2) == [0, 0])
    }

    @Test func gate_whilePlaying_silencesHoldsAndFadesInAgain() {
        let bench = SourceBench()
        bench.write((1...20).map { Float($0) })
        bench.source.play()
        #expect(bench.renderMono(3) == [1, 2, 3])
        #expect(bench.renderMono(4, isGated: true) == [0, 0, 0, 0])
        #expect(bench.source.positionFrames == 3)
        let rendered = bench.renderMono(6)
        // Products of gains below 1 and samples up to 10: an ulp at 8.
        #expect(zip(rendered, [0.8, 2, 3.6, 5.6, 8, 9]).allSatisfy { abs($0 - $1) < 1e-6 * 8 })
        #expect(bench.source.underrunFrames == 0)
    }

    @Test func gate_whileFadingOut_endsTheFade() {
        let bench = SourceBench.playing(20, rendered: 3)
        bench.source.pause()
        bench.renderMono(2)
        #expect(bench.renderMono(2, isGated: true) == [0, 0])
        #expect(bench.history() == [.fadeEnded])
        #expect(bench.renderMono(2) == [0, 0])
    }

    @Test func oversizedCycle_isSilentAndHolds() {
        let bench = SourceBench(maximumFrames: 4)
        bench.write(constant: 1, 40)
        bench.source.play()
        #expect(bench.renderMono(2) == [1, 1])
        #expect(bench.renderMono(5) == [0, 0, 0, 0, 0])
        #expect(bench.source.positionFrames == 2)
        #expect(isClose(bench.renderMono(2), [0.2, 0.4]))
    }

    @Test func nonFiniteSamples_becomeZero() {
        let bench = SourceBench()
        bench.write([0.5, .nan, .infinity, -.infinity, -0.5])
        bench.source.play()
        #expect(bench.renderMono(5) == [0.5, 0, 0, 0, -0.5])
        #expect(bench.engine.takeLevels(outputChannels: 1) == [0.5])
    }

    @Test func nonFiniteSamples_ofStereo_becomeZero_whereverTheyAre() {
        var checked = 0
        for frames in 1...17 {
            for index in 0..<2 * frames {
                for bad in [Float.nan, .infinity, -.infinity] {
                    let bench = SourceBench([.left, .right])
                    var samples = (0..<2 * frames).map { Float($0 + 1) / 64 }
                    samples[index] = bad
                    bench.write(samples)
                    bench.source.play()
                    samples[index] = 0
                    let left = stride(from: 0, to: 2 * frames, by: 2).map { samples[$0] }
                    let right = stride(from: 1, to: 2 * frames, by: 2).map { samples[$0] }
                    #expect(bench.render(frames) == [left, right])
                    checked += 1
                }
            }
        }
        #expect(checked == 918)
    }

    @Test func nonFiniteSamples_thatCancelEachOther_becomeZero() {
        let bench = SourceBench([.left, .right])
        var samples = [Float](repeating: 0.5, count: 32)
        (samples[0], samples[1], samples[9]) = (.infinity, -.infinity, -.infinity)
        bench.write(samples)
        bench.source.play()
        let rows = bench.render(16)
        #expect(rows[0] == [0] + [Float](repeating: 0.5, count: 15))
        #expect(rows[1] == [0, 0.5, 0.5, 0.5, 0] + [Float](repeating: 0.5, count: 11))
    }

    @Test func samples_whoseSumIsTooLarge_stayAsTheyAre() {
        let bench = SourceBench([.left, .right])
        let largest = Float.greatestFiniteMagnitude
        bench.write([Float](repeating: largest, count: 20))
        bench.source.play()
        #expect(bench.render(10) == [[Float](repeating: largest, count: 10), [Float](repeating: largest, count: 10)])
    }
}
