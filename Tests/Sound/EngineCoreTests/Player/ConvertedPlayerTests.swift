import EngineCore
import RenderBench
import Testing

/// A player at half the renderer's rate.
@Suite struct ConvertedPlayerTests {
    private func silence(_ count: Int) -> [Float] { [Float](repeating: 0, count: count) }
    private func doubled(_ item: UInt64, _ frames: Range<Int64>) -> [Float] {
        PlayerBench.samples(item, frames).flatMap { [$0, $0] }
    }

    @Test func items_followEachOtherThroughOneConverter() {
        let bench = PlayerBench(converter: DoublingConverter())
        bench.schedule(1, 100)
        bench.schedule(2, 33)
        bench.player.play()
        var heard: [Float] = []
        var completed: [Int: [UInt64]] = [:]
        while heard.count < 280 {
            heard += bench.render(10)
            let items = bench.completed()
            if !items.isEmpty { completed[heard.count] = items }
        }
        #expect(heard == doubled(1, 0..<100) + doubled(2, 0..<33) + silence(14))
        // After 200 and 266 frames of the renderer, at the end of the cycle.
        #expect(completed == [200: [1], 270: [2]])
        #expect(bench.elapsedFrames == 140)
        #expect(bench.player.source.underrunFrames == 0)
    }

    @Test func time_ofAnItem_isKeptToTheFrame() {
        let bench = PlayerBench(converter: DoublingConverter())
        bench.schedule(1, 5)
        bench.schedule(2, 4, at: 12)
        bench.player.play()
        #expect(bench.render(32) == doubled(1, 0..<5) + silence(14) + doubled(2, 0..<4))
        #expect(bench.completed() == [1, 2])
        #expect(bench.player.playerFrames(atSampleTime: 32) == 16)
        #expect(bench.player.sampleTime(atPlayerFrames: 20) == 40)
    }

    @Test func stop_forgetsWhatTheConverterHolds() {
        let bench = PlayerBench(converter: DoublingConverter())
        bench.schedule(1, 100)
        bench.player.play()
        _ = bench.render(10)
        bench.player.stop()
        _ = bench.render(10)
        bench.schedule(2, 3)
        bench.player.play()
        #expect(bench.render(8) == doubled(2, 0..<3) + silence(2))
        #expect(bench.completed() == [1, 2])
    }

    @Test func ratio_whilePlaying_movesTimesAndCompletionsAlong() {
        let converter = RepeatingConverter()
        let bench = PlayerBench(readAheadSeconds: 0.001, converter: converter)
        bench.player.source.readAheadFrames = 1
        bench.schedule(1, 20)
        bench.schedule(2, 20)
        bench.player.play()
        #expect(bench.render(8) == PlayerBench.samples(1, 0..<8))
        // The next cycle's are fed already.
        converter.setTimes(3)
        var heard: [Float] = []
        var completed: [Int: [UInt64]] = [:]
        while heard.count < 100 {
            heard += bench.render(4)
            let items = bench.completed()
            if !items.isEmpty { completed[heard.count] = items }
        }
        let all = PlayerBench.samples(1, 16..<20) + PlayerBench.samples(2, 0..<20)
        #expect(heard == PlayerBench.samples(1, 8..<16) + all.flatMap { [$0, $0, $0] } + silence(20))
        #expect(completed == [20: [1], 80: [2]])
        // 16 frames at one, then 92 at a third each.
        #expect(bench.elapsedFrames == 16 + 30)
        #expect(bench.player.playerFrames(atSampleTime: 38) == 23)
        #expect(bench.player.sampleTime(atPlayerFrames: 18) == 22)
        #expect(bench.player.source.underrunFrames == 0)
    }

    @Test func item_scheduledInTime_followsWithoutAnEndOfTheConverter() {
        let converter = RepeatingConverter()
        let bench = PlayerBench(converter: converter)
        bench.schedule(1, 64)
        _ = bench.player.pump(minimumFrames: 0)
        // The lane is full enough to wait for more.
        #expect(converter.ends == 0)
        bench.schedule(2, 64)
        bench.player.play()
        #expect(bench.render(64) + bench.render(64) == PlayerBench.samples(1, 0..<64) + PlayerBench.samples(2, 0..<64))
        #expect(bench.completed() == [1, 2])
        #expect(converter.ends == 1)
    }

    @Test func retire_dropsWhatWasFed_andFeedsNoMore() {
        let bench = PlayerBench(converter: DoublingConverter())
        bench.schedule(1, 100)
        bench.player.play()
        _ = bench.render(10)
        bench.player.retire()
        // The 5 ms of a decay.
        #expect(bench.render(20)[5...].allSatisfy { $0 == 0 })
        #expect(bench.completed() == [])
    }

    @Test func cycles_longerThanTheReadAhead_areFilledFromTheSecondOn() {
        let bench = PlayerBench(converter: DoublingConverter())
        bench.player.source.readAheadFrames = 8
        bench.schedule(1, 100)
        bench.player.play()
        func cycle() {
            _ = bench.player.pump(minimumFrames: 0)
            _ = RenderBench.cycle(bench.engine.renderer, outputs: 1, frames: 32)
        }
        cycle()
        #expect(bench.player.source.underrunFrames == 24)
        for _ in 0..<4 { cycle() }
        #expect(bench.player.source.underrunFrames == 24)
    }
}
