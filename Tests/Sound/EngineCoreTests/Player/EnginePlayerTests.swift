import EngineCore
import RenderBench
import Synchronization
import Testing

@Suite struct EnginePlayerTests {
    private func silence(_ count: Int) -> [Float] { [Float](repeating: 0, count: count) }
    private func samples(_ item: UInt64, _ frames: Range<Int64>) -> [Float] { PlayerBench.samples(item, frames) }

    @Test func items_whilePlaying_followEachOtherBitByBit() {
        let bench = PlayerBench()
        bench.schedule(1, 10)
        bench.schedule(2, 7)
        #expect(bench.render(4) == silence(4))
        bench.player.play()
        #expect(bench.render(13) == samples(1, 0..<10) + samples(2, 0..<3))
        #expect(bench.completed() == [1])
        #expect(bench.render(6) == samples(2, 3..<7) + silence(2))
        #expect(bench.completed() == [2])
        #expect(bench.player.source.underrunFrames == 0)
        #expect(bench.player.pump(minimumFrames: 0) == .onceChanged)
    }

    @Test func item_scheduledAfterTheEnd_beginsAtOnceAndWithoutAFade() {
        let bench = PlayerBench()
        bench.schedule(1, 3)
        bench.player.play()
        #expect(bench.render(10) == samples(1, 0..<3) + silence(7))
        #expect(bench.render(10) == silence(10))
        bench.schedule(2, 3)
        #expect(bench.render(5) == samples(2, 0..<3) + silence(2))
        #expect(bench.player.source.underrunFrames == 0)
        #expect(bench.completed() == [1, 2])
    }

    @Test func player_withNothingToPlay_hasATimeThatRuns() {
        let bench = PlayerBench()
        _ = bench.render(10)
        #expect(bench.elapsedFrames == 0)
        bench.player.play()
        _ = bench.render(10)
        #expect(bench.elapsedFrames == 10)
        #expect(bench.player.playerFrames(atSampleTime: 20) == 10)
        #expect(bench.player.playerFrames(atSampleTime: 23) == 13)
        #expect(bench.player.sampleTime(atPlayerFrames: 100) == 110)
        bench.player.pause()
        _ = bench.render(10)
        #expect(bench.elapsedFrames == 10)
    }

    @Test func time_ofAnItem_isKeptToTheFrame() {
        let bench = PlayerBench()
        bench.schedule(1, 5)
        bench.schedule(2, 5, at: 12)
        bench.schedule(3, 5, at: 15)
        bench.schedule(4, 2, at: 30)
        bench.player.play()
        let all =
            samples(1, 0..<5) + silence(7) + samples(2, 0..<5) + samples(3, 0..<5) + silence(8) + samples(4, 0..<2)
        var heard: [Float] = []
        while heard.count < all.count { heard += bench.render(min(7, all.count - heard.count)) }
        #expect(heard == all)
        #expect(bench.completed() == [1, 2, 3, 4])
    }

    @Test func time_afterAnIdleWhile_isKeptToTheFrame() {
        let bench = PlayerBench()
        bench.player.play()
        _ = bench.render(20)
        bench.schedule(1, 2, at: 33)
        #expect(bench.render(10) + bench.render(10) == silence(13) + samples(1, 0..<2) + silence(5))
    }

    @Test func time_duringAPause_waitsAlong() {
        let bench = PlayerBench()
        bench.schedule(1, 2, at: 10)
        bench.player.play()
        #expect(bench.render(5) == silence(5))
        bench.player.pause()
        #expect(bench.render(40) == silence(40))
        bench.player.play()
        #expect(bench.render(10) == silence(5) + samples(1, 0..<2) + silence(3))
    }

    @Test func play_atATime_beginsThere() {
        let bench = PlayerBench()
        bench.schedule(1, 4)
        bench.schedule(2, 1, at: 6)
        _ = bench.render(10)
        bench.player.play(at: 25)
        #expect(bench.render(10) == silence(10))
        #expect(bench.elapsedFrames == 0)
        #expect(bench.render(15) == silence(5) + samples(1, 0..<4) + silence(2) + samples(2, 0..<1) + silence(3))
        #expect(bench.elapsedFrames == 10)
    }

    @Test func players_toldToPlayAtOneTime_areAlignedToTheFrame() {
        let bench = PlayerBench()
        let other = EnginePlayer(
            engine: bench.engine, source: bench.engine.makeSource(channels: 1, readAheadSeconds: 0.1),
            items: NumberedItems(factor: -1))
        bench.engine.publish(sources: [bench.player.source, other.source], outputChannels: 1, matrix: [1, 1])
        bench.schedule(1, 50)
        other.schedule(ScheduledItem(id: 1, frames: 50))
        bench.player.play(at: 7)
        #expect(bench.render(3) == silence(3))
        other.play(at: 7)
        _ = other.pump(minimumFrames: 64)
        // They cancel out.
        #expect(bench.render(60) == silence(60))
        #expect(bench.engine.takeLevels(outputChannels: 1) == [0])
        #expect(bench.elapsedFrames == 56)
    }

    @Test func stop_whilePlaying_completesAllAndBeginsAnew() {
        let bench = PlayerBench()
        bench.schedule(1, 100)
        bench.schedule(2, 100, callback: .dataConsumed)
        bench.player.play()
        _ = bench.render(20)
        bench.player.stop()
        #expect(bench.completed() == [1, 2])
        #expect(bench.elapsedFrames == 0)
        let end = bench.render(10)
        #expect(bench.elapsedFrames == 0, "it does not play on")
        // The last sample decays over the ramp's five frames.
        #expect(end[0] == PlayerBench.sample(1, 19) * 0.8)
        #expect(Array(end[4...]) == silence(6))
        bench.schedule(3, 3)
        bench.player.play()
        #expect(bench.render(4) == samples(3, 0..<3) + silence(1))
        #expect(bench.elapsedFrames == 4)
    }

    @Test func pause_freezesAndGoesOnWhereItWas() {
        let bench = PlayerBench()
        bench.schedule(1, 100)
        bench.player.play()
        #expect(bench.render(10) == samples(1, 0..<10))
        bench.player.pause()
        #expect(bench.render(10)[5...].allSatisfy { $0 == 0 })
        // The fade has played five frames.
        #expect(bench.elapsedFrames == 15)
        _ = bench.render(10)
        bench.player.play()
        #expect(Array(bench.render(10)[5...]) == samples(1, 20..<25))
        #expect(bench.elapsedFrames == 25)
    }

    @Test func loop_repeatsWithoutASeam() {
        let bench = PlayerBench()
        bench.schedule(1, 7, loops: -1)
        bench.player.play()
        var heard: [Float] = []
        for _ in 0..<10 { heard += bench.render(13) }
        let pass = samples(1, 0..<7)
        #expect(heard == (0..<130).map { pass[$0 % 7] })
        #expect(bench.completed() == [])
        bench.player.stop()
        #expect(bench.completed() == [1])
    }

    // Behaviour 91
    @Test(arguments: [50, 64, 90, 500, 2000], [7, 64])
    func interruptsAtLoopActsAtTheLoopsEnd(frames: Int, cycle: Int) {
        for cycles in [0, 1, 5, 9] {
            let bench = PlayerBench(readAheadSeconds: 1)
            bench.schedule(1, Int64(frames), loops: -1)
            bench.player.play()
            var heard = (0..<cycles).flatMap { _ in bench.render(cycle) }
            bench.schedule(2, 5, .atLoopEnd)
            bench.schedule(3, 5)
            // The first end that is not within the cycle that may be under way.
            let asked = cycles == 0 ? 1 : (cycles + 1) * cycle
            let passes = (asked + frames - 1) / frames
            let pass = samples(1, 0..<Int64(frames))
            let expected = (0..<passes).flatMap { _ in pass } + samples(2, 0..<5) + samples(3, 0..<5) + silence(1)
            while heard.count < expected.count { heard += bench.render(cycle) }
            #expect(Array(heard.prefix(expected.count)) == expected, "\(cycles) cycles")
            #expect(bench.completed() == [1, 2, 3])
            #expect(bench.player.source.underrunFrames == 0)
            #expect(bench.elapsedFrames == Int64(heard.count))
        }
    }

    @Test func interruptionAtLoop_ofALoopThatHasNotSounded_letsItPlayOnce() {
        let bench = PlayerBench(readAheadSeconds: 1)
        bench.schedule(1, 50, loops: -1)
        bench.player.play()
        _ = bench.render(7)
        bench.schedule(2, 60, loops: -1, .atLoopEnd)
        // Fed, and not taken by the renderer.
        _ = bench.player.pump(minimumFrames: 64)
        bench.schedule(3, 5, .atLoopEnd)
        var heard: [Float] = []
        while heard.count < 43 + 60 + 6 { heard += bench.render(7) }
        let expected = samples(1, 7..<50) + samples(2, 0..<60) + samples(3, 0..<5) + silence(1)
        #expect(Array(heard.prefix(expected.count)) == expected)
        #expect(bench.completed() == [1, 2, 3])
    }

    @Test func stop_afterAnInterruptionAtLoop_beginsAtOnce() {
        let bench = PlayerBench(readAheadSeconds: 1)
        bench.schedule(1, 50, loops: -1)
        bench.player.play()
        _ = bench.render(7)
        bench.schedule(2, 60, .atLoopEnd)
        _ = bench.player.pump(minimumFrames: 64)
        bench.player.stop()
        #expect(bench.completed() == [1, 2])
        #expect(Array(bench.render(10)[5...]) == silence(5))
        bench.schedule(3, 5)
        bench.player.play()
        #expect(bench.render(6) == samples(3, 0..<5) + silence(1))
    }

    @Test func interruption_atOnce_replacesWhatSounds() {
        let bench = PlayerBench()
        bench.schedule(1, 1000)
        bench.schedule(2, 1000)
        bench.player.play()
        _ = bench.render(20)
        bench.schedule(3, 4, .atOnce)
        #expect(bench.completed() == [1, 2])
        let heard = bench.render(12)
        // The decay of what was interrupted, then the new item as it is.
        #expect(heard[0] == PlayerBench.sample(1, 19) * 0.8)
        #expect(Array(heard[5...]) == samples(3, 0..<4) + silence(3))
        #expect(bench.elapsedFrames == 32)
        #expect(bench.completed() == [3])
    }

    /// Schedules an item while it reads the first frames of another one.
    private final class InterruptedItems: ItemReader {
        private let base = NumberedItems()
        private let interruption = Mutex<(@Sendable () -> Void)?>(nil)

        func interrupt(with interruption: @escaping @Sendable () -> Void) {
            self.interruption.withLock { $0 = interruption }
        }

        func read(
            _ item: UInt64, from frame: Int64, into room: UnsafeMutableBufferPointer<Float>, frames: Int
        ) throws(ItemFailure) -> Int {
            let interruption = interruption.withLock { interruption in
                defer { interruption = nil }
                return interruption
            }
            interruption?()
            return try base.read(item, from: frame, into: room, frames: frames)
        }
    }

    @Test func interruption_whileTheFirstFramesAreRead_isHeardWhole() {
        let engine = EngineRenderer(sampleRate: 1000, maximumFrames: 64)
        let items = InterruptedItems()
        let player = EnginePlayer(
            engine: engine, source: engine.makeSource(channels: 1, readAheadSeconds: 0.064), items: items)
        engine.publish(sources: [player.source], outputChannels: 1, matrix: [1])
        player.schedule(ScheduledItem(id: 1, frames: 50))
        items.interrupt { player.schedule(ScheduledItem(id: 2, frames: 5), interrupting: .atOnce) }
        player.play()
        _ = player.pump(minimumFrames: 64)
        #expect(
            RenderBench.cycle(engine.renderer, outputs: 1, frames: 8, isGated: false)[0]
                == samples(2, 0..<5) + silence(3))
    }

    @Test func playedBack_comesTheLatencyAfterTheLastFrame() {
        let bench = PlayerBench()
        bench.player.latencyFrames = 25
        bench.schedule(1, 8, callback: .dataPlayedBack)
        bench.player.play()
        _ = bench.render(10)
        _ = bench.render(20)
        #expect(bench.completed() == [])
        _ = bench.render(5)
        #expect(bench.completed() == [1])
    }

    @Test func gate_freezesThePlayersTime() {
        let bench = PlayerBench()
        bench.schedule(1, 100)
        bench.player.play()
        _ = bench.render(10)
        _ = bench.render(10, isGated: true)
        #expect(bench.elapsedFrames == 10)
        #expect(bench.player.playerFrames(atSampleTime: 20) == 10)
    }
}
