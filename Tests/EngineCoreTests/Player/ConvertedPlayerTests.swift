import EngineCore
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
        #expect(bench.player.elapsedFrames == 140)
        #expect(bench.engine.stats.underrunFrames == 0)
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
}
