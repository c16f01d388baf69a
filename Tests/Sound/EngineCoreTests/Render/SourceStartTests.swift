import AudioModel
import Testing

/// Playing from an instant of the host's clock on; a frame lasts a millisecond.
@Suite struct SourceStartTests {
    private let bench = SourceBench()

    private func render(_ frames: Int, atMilliseconds time: Double) -> [Float] {
        bench.render(frames, hostTimeNanoseconds: UInt64(time * 1_000_000))[0]
    }

    private func play(atMilliseconds time: Double) {
        bench.source.play(at: HostTime(nanoseconds: UInt64(time * 1_000_000)))
    }

    @Test func instant_inACycle_isItsFrame() {
        bench.write(constant: 1, 32)
        play(atMilliseconds: 110.4)
        #expect(render(4, atMilliseconds: 100) == [0, 0, 0, 0])
        #expect(render(4, atMilliseconds: 104) == [0, 0, 0, 0])
        #expect(render(4, atMilliseconds: 108) == [0, 0, 1, 1])
        #expect(bench.source.positionFrames == 2)
    }

    @Test func instant_thatIsPast_isTheNextFrame() {
        bench.write(constant: 1, 32)
        play(atMilliseconds: 50)
        #expect(render(4, atMilliseconds: 100) == [1, 1, 1, 1])
    }

    @Test func instant_thatIsReplaced_isNoMore() {
        bench.write(constant: 1, 32)
        play(atMilliseconds: 102)
        play(atMilliseconds: 106)
        #expect(render(4, atMilliseconds: 100) == [0, 0, 0, 0])
        #expect(render(4, atMilliseconds: 104) == [0, 0, 1, 1])
    }

    /// A host's clock jitters by a fraction of a cycle, and a change of the volume brings the instant again.
    @Test func instant_thatWasFound_isNotWaitedForAgain() {
        bench.write(constant: 1, 32)
        play(atMilliseconds: 107)
        #expect(render(8, atMilliseconds: 100) == [0, 0, 0, 0, 0, 0, 0, 1])
        bench.source.setVolume(1)
        #expect(render(8, atMilliseconds: 105) == [1, 1, 1, 1, 1, 1, 1, 1])
    }

    @Test func instant_afterAPause_isAnother() {
        bench.write(constant: 1, 32)
        play(atMilliseconds: 100)
        #expect(render(4, atMilliseconds: 100) == [1, 1, 1, 1])
        bench.source.pauseAtOnce()
        #expect(render(4, atMilliseconds: 104) == [0, 0, 0, 0])
        play(atMilliseconds: 110)
        #expect(isClose(render(4, atMilliseconds: 108), [0, 0, 0.2, 0.4]))
    }
}
