import AudioModel
import EngineCore
import Testing

/// Seeks, underruns and ends.
@Suite struct SourceSeekTests {
    @Test func seek_whilePlaying_fadesOutThenIn() {
        let bench = SourceBench.playing(40)
        #expect(bench.renderMono(2) == [1, 1])
        bench.source.flush(toFrame: 500)
        #expect(bench.source.positionFrames == 500)
        bench.write(constant: -1, 40)
        #expect(isClose(bench.renderMono(6), [0.8, 0.6, 0.4, 0.2, 0, -0.2]))
        #expect(isClose(bench.renderMono(5), [-0.4, -0.6, -0.8, -1, -1]))
        #expect(bench.source.positionFrames == 506)
        #expect(bench.history() == [])
    }

    @Test func truncation_whilePlaying_continuesWithoutASeam() {
        let bench = SourceBench.playing(40, rendered: 2)
        bench.source.truncate(toFrame: 10)
        #expect(bench.source.positionFrames == 2)
        bench.write(constant: -1, 40)
        // Before the renderer is there, also what follows can be taken back.
        bench.source.truncate(toFrame: 13)
        bench.write(constant: 0.5, 40)
        #expect(bench.renderMono(13) == [Float](repeating: 1, count: 8) + [-1, -1, -1, 0.5, 0.5])
        #expect(bench.source.positionFrames == 15)
        #expect(bench.history() == [])
    }

    @Test func truncation_ofASeek_keepsTheSeek() {
        let bench = SourceBench.playing(40, rendered: 2)
        bench.source.flush(toFrame: 100)
        bench.write(constant: -1, 40)
        bench.source.truncate(toFrame: 103)
        bench.write(constant: 0.5, 40)
        // The decay of 1, then -1 and 0.5 as they fade in.
        #expect(isClose(bench.renderMono(10), [0.8, 0.6, 0.4, 0.2, 0, -0.2, -0.4, -0.6, 0.4, 0.5]))
        #expect(bench.source.positionFrames == 105)
    }

    @Test func truncation_thatComesTooLate_goesBackAsASeek() {
        let bench = SourceBench.playing(40, rendered: 20)
        bench.source.truncate(toFrame: 10)
        bench.write(constant: -1, 40)
        #expect(isClose(bench.renderMono(6), [0.8, 0.6, 0.4, 0.2, 0, -0.2]))
        #expect(bench.source.positionFrames == 11)
    }

    @Test func seek_afterATruncation_isObeyedAtOnce() {
        let bench = SourceBench.playing(40, rendered: 2)
        bench.source.truncate(toFrame: 10)
        bench.write(constant: -1, 40)
        bench.source.flush(toFrame: 500)
        bench.write(constant: 0.5, 40)
        #expect(isClose(bench.renderMono(7), [0.8, 0.6, 0.4, 0.2, 0, 0.1, 0.2]))
        #expect(bench.source.positionFrames == 502)
    }

    @Test func seek_toTheFirstFrame_startsAsTheAuthorMadeIt() {
        let bench = SourceBench.playing(40, rendered: 2)
        bench.source.flush(toFrame: 0)
        bench.write(constant: 0.25, 40)
        #expect(isClose(bench.renderMono(7), [0.8, 0.6, 0.4, 0.2, 0, 0.25, 0.25]))
    }

    @Test func seek_whileNothingRenders_movesAndFreesTheWholeReadAheadEachTime() {
        let bench = SourceBench(readAheadFrames: 64)
        for target in [100, 200, 300] as [Int64] {
            #expect(bench.write(constant: 1, 100) == 64)
            #expect(bench.source.writableFrames == 0)
            bench.source.flush(toFrame: target)
            #expect(bench.source.writableFrames == 64)
            #expect(bench.source.positionFrames == target)
        }
        bench.write(constant: 0.5, 64)
        bench.source.play()
        #expect(isClose(bench.renderMono(6), [0.1, 0.2, 0.3, 0.4, 0.5, 0.5]))
        #expect(bench.source.positionFrames == 306)
    }

    @Test func seek_duringTheDecayOfASeek_keepsDecaying() {
        let bench = SourceBench.playing(40, rendered: 2)
        bench.source.flush(toFrame: 100)
        bench.write(constant: 0.5, 40)
        #expect(isClose(bench.renderMono(2), [0.8, 0.6]))
        bench.source.flush(toFrame: 200)
        bench.write(constant: -0.5, 40)
        #expect(isClose(bench.renderMono(5), [0.4, 0.2, 0, -0.1, -0.2]))
        #expect(bench.source.positionFrames == 202)
    }

    @Test func seek_whilePaused_isSilentUntilPlay() {
        let bench = SourceBench.playing(40, rendered: 2)
        bench.source.pause()
        bench.renderMono(5)
        bench.source.flush(toFrame: 100)
        bench.write(constant: 1, 40)
        #expect(bench.renderMono(3) == [0, 0, 0])
        #expect(bench.source.positionFrames == 100)
        bench.source.play()
        #expect(isClose(bench.renderMono(2), [0.2, 0.4]))
    }

    @Test func underrun_whilePlaying_decaysIsCountedAndGoesOn() {
        let bench = SourceBench.playing(4)
        #expect(isClose(bench.renderMono(6), [1, 1, 1, 1, 0.8, 0.6]))
        #expect(isClose(bench.renderMono(6), [0.4, 0.2, 0, 0, 0, 0]))
        bench.write(constant: 1, 40)
        #expect(isClose(bench.renderMono(6), [0.2, 0.4, 0.6, 0.8, 1, 1]))
        #expect(bench.source.underrunFrames == 8)
        #expect(bench.source.positionFrames == 10)
    }

    @Test func underrun_endedByASeek_isCountedNoMore() {
        let bench = SourceBench.playing(4, rendered: 6)
        bench.source.flush(toFrame: 50)
        bench.renderMono(6)
        #expect(bench.source.underrunFrames == 2)
        #expect(bench.source.positionFrames == 50)
    }

    @Test func start_beforeTheFirstFrames_isNoUnderrun() {
        let bench = SourceBench()
        bench.source.play()
        #expect(bench.renderMono(2) == [0, 0])
        bench.write(constant: 1, 4)
        #expect(bench.renderMono(2) == [1, 1])
        #expect(bench.history() == [])
        #expect(bench.source.underrunFrames == 0)
    }

    @Test func end_isRenderedToTheLastFrame_thenDrains() {
        let bench = SourceBench()
        bench.source.drainFrames = 6
        bench.write(constant: 1, 4)
        bench.markEnd()
        bench.source.play()
        #expect(bench.renderMono(4) == [1, 1, 1, 1])
        #expect(bench.source.positionFrames == 4)
        #expect(bench.renderMono(4) == [0, 0, 0, 0])
        #expect(bench.history() == [])
        #expect(bench.renderMono(4) == [0, 0, 0, 0])
        bench.renderMono(20)
        #expect(bench.history() == [.drained])
        #expect(bench.source.positionFrames == 4)
        #expect(bench.source.underrunFrames == 0)
    }

    @Test func drain_whilePausedOrGated_waits() {
        let bench = SourceBench()
        bench.source.drainFrames = 4
        bench.write(constant: 1, 2)
        bench.markEnd()
        bench.source.play()
        bench.renderMono(3)
        bench.source.pause()
        bench.renderMono(10)
        #expect(bench.history() == [.fadeEnded])
        bench.source.play()
        bench.renderMono(10, isGated: true)
        bench.renderMono(2)
        #expect(bench.history() == [])
        bench.renderMono(1)
        #expect(bench.history() == [.drained])
        #expect(bench.source.positionFrames == 2)
    }

    @Test func end_ofNothing_drainsAtOnce() {
        let bench = SourceBench()
        bench.markEnd()
        bench.source.play()
        bench.renderMono(1)
        #expect(bench.history() == [.drained])
    }

    @Test func end_leftByASeekBeforeItWasTaken_isNotReported() {
        let bench = SourceBench()
        bench.write(constant: 1, 2)
        bench.markEnd()
        bench.source.play()
        bench.renderMono(3)
        bench.source.flush(toFrame: 0)
        bench.write(constant: 0.5, 4)
        #expect(bench.history() == [])
        #expect(bench.renderMono(4) == [0.5, 0.5, 0.5, 0.5])
        #expect(bench.history() == [])
        #expect(bench.source.positionFrames == 4)
    }

    @Test func end_duringAnUnderrun_endsIt() {
        let bench = SourceBench()
        bench.write(constant: 0, 2)
        bench.source.play()
        bench.renderMono(4)
        bench.markEnd()
        bench.renderMono(4)
        #expect(bench.history() == [.drained])
        #expect(bench.source.underrunFrames == 2)
    }

    @Test func write_beyondTheReadAhead_takesWhatFits() {
        let bench = SourceBench([.left, .right], readAheadFrames: 100)
        #expect(bench.source.writableFrames == 100)
        #expect(bench.write(constant: 1, 151) == 75)
        #expect(bench.write(constant: 1, 151) == 25)
        #expect(bench.write(constant: 1, 2) == 0)
        bench.source.play()
        _ = bench.render(10)
        #expect(bench.source.writableFrames == 10)
    }
}
