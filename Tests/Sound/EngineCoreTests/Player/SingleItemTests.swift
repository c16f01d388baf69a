import EngineCore
import RenderBench
import RenderCore
import Synchronization
import Testing

/// A player of one item whose end only reading finds, as a file player has it; 1 kHz, fed before each cycle.
@Suite struct SingleItemTests {
    /// The item's frames are their numbers, from 1 on.
    private final class Item: ItemReader {
        struct State {
            var length: Int64
            /// Cannot be read from here on.
            var damagedFrom = Int64.max
            var seeks: [Int64] = []
            var hasGrown = false
            /// Called once, in a read.
            var onRead: (@Sendable () -> Void)?
        }
        let state: Mutex<State>

        init(length: Int64, damagedFrom: Int64 = .max) {
            state = Mutex(State(length: length, damagedFrom: damagedFrom))
        }

        func read(
            _ item: UInt64, from frame: Int64, into room: UnsafeMutableBufferPointer<Float>, frames: Int
        ) throws(ItemFailure) -> Int {
            let (length, damagedFrom) = state.withLock { ($0.length, $0.damagedFrom) }
            state.withLock { $0.onRead.take() }?()
            let count = Int(min(Int64(frames), min(length, damagedFrom) - frame))
            guard count > 0 || damagedFrom > length else { throw ItemFailure(message: "It is damaged.") }
            for index in 0..<max(0, count) { room[index] = Float(frame + Int64(index) + 1) }
            return max(0, count)
        }

        func seek(_ item: UInt64, toFrame frame: Int64) throws(ItemFailure) -> Int64 {
            try state.withLock { state throws(ItemFailure) in
                guard frame <= state.damagedFrom else { throw ItemFailure(message: "It is damaged.") }
                state.seeks.append(frame)
                return min(frame, state.length)
            }
        }

        func hasMore(_ item: UInt64) -> Bool {
            state.withLock { state in
                defer { state.hasGrown = false }
                return state.hasGrown
            }
        }

        func grow(to length: Int64) {
            state.withLock {
                $0.length = length
                $0.hasGrown = true
            }
        }
    }

    private final class Bench: Sendable {
        let engine = EngineRenderer(sampleRate: 1000, maximumFrames: 64)
        let item: Item
        let player: EnginePlayer

        init(_ item: Item, loops: Int = 0, readAheadSeconds: Double = 2) {
            self.item = item
            player = EnginePlayer(
                engine: engine, source: engine.makeSource(channels: 1, readAheadSeconds: readAheadSeconds),
                items: item)
            player.schedule(ScheduledItem(id: 1, frames: nil, loops: loops))
            engine.publish(sources: [player.source], outputChannels: 1, matrix: [1])
            player.play()
        }

        func render(_ frames: Int) -> [Float] {
            var heard: [Float] = []
            while heard.count < frames {
                player.feed()
                heard += RenderBench.cycle(engine.renderer, outputs: 1, frames: min(10, frames - heard.count))[0]
            }
            player.feed()
            return heard
        }

        /// Whether its end has been rendered since the last call.
        func hasEnded() -> Bool { player.source.takeDrain() }
    }

    private func frames(_ range: Range<Int>) -> [Float] { range.map { Float($0 + 1) } }
    private func silence(_ count: Int) -> [Float] { [Float](repeating: 0, count: count) }

    @Test func end_ofAnItemOfUnknownLength_isFoundByReading() {
        let bench = Bench(Item(length: 33))
        #expect(bench.render(40) == frames(0..<33) + silence(7))
        #expect(bench.hasEnded())
        #expect(bench.player.isPlayedOut())
        #expect(bench.player.itemFrame == 33)
    }

    /// An app's code may run in it: nothing that it calls waits for the read.
    @Test func read_mayCallThePlayer() {
        let bench = Bench(Item(length: 100))
        let player = bench.player
        bench.item.state.withLock {
            $0.onRead = {
                player.feed()
                player.seek(toFrame: 50, generation: 1)
            }
        }
        bench.player.feed()
        #expect(bench.player.itemFrame == 50)
        #expect(bench.render(60)[5...] == (frames(55..<100) + silence(10))[...])
    }

    @Test(arguments: [0, 1, 4]) func loops_thatAreCounted_followWithoutASeam(loops: Int) {
        let bench = Bench(Item(length: 33), loops: loops)
        let count = 33 * (loops + 1)
        #expect(bench.render(count + 10) == (0...loops).flatMap { _ in frames(0..<33) } + silence(10))
        #expect(bench.player.source.underrunFrames == 0)
        #expect(bench.hasEnded())
    }

    @Test func itemFrame_whileItLoops_isThatOfThePassThatSounds() {
        let bench = Bench(Item(length: 33), loops: -1)
        _ = bench.render(40)
        #expect(bench.player.itemFrame == 7)
        _ = bench.render(59)
        // The end of a pass is the beginning of the next.
        #expect(bench.player.itemFrame == 0)
    }

    /// A pass is decided on 250 frames before the end of the one before.
    @Test func loops_setBeforeTheDecision_count_andAreTooLateAfterIt() {
        let early = Bench(Item(length: 500))
        _ = early.render(240)
        early.player.setLoops(1)
        #expect(early.render(760 + 10) == frames(240..<500) + frames(0..<500) + silence(10))

        let late = Bench(Item(length: 500))
        _ = late.render(260)
        late.player.setLoops(1)
        #expect(late.render(250) == frames(260..<500) + silence(10))
    }

    /// Its end has been fed.
    @Test func item_thatGrowsBeforeItsEndIsRendered_goesOnWithoutASeam() {
        let bench = Bench(Item(length: 33))
        #expect(bench.render(30) == frames(0..<30))
        bench.item.grow(to: 80)
        #expect(bench.render(40) == frames(30..<70))
        bench.item.grow(to: 100)
        #expect(bench.render(40) == frames(70..<100) + silence(10))
        #expect(bench.hasEnded())
        // Too late.
        bench.item.grow(to: 200)
        #expect(bench.render(20) == silence(20))
        #expect(bench.player.itemFrame == 100)
    }

    @Test func seek_isCarriedOutByTheThreadThatFeeds() {
        let bench = Bench(Item(length: 500))
        _ = bench.render(20)
        bench.player.seek(toFrame: 300, generation: 1)
        #expect(bench.player.itemFrame == 300)
        #expect(bench.item.state.withLock { $0.seeks } == [])
        bench.player.feed()
        #expect(bench.player.seekGeneration == 1)
        #expect(bench.player.itemFrame == 300)
        // What sounded decays over five frames, and what follows fades in over five.
        #expect(Array(bench.render(20)[10...]) == frames(305..<315))
    }

    @Test func seek_beyondTheEnd_goesToTheEnd_andIsNotPlayedOut() {
        let bench = Bench(Item(length: 100))
        bench.player.seek(toFrame: 5000, generation: 1)
        bench.player.feed()
        #expect(bench.player.itemFrame == 100)
        #expect(!bench.player.isPlayedOut())
        #expect(bench.render(20) == silence(20))
        #expect(bench.hasEnded())
    }

    @Test func seek_afterTheEnd_playsAgain() {
        let bench = Bench(Item(length: 33))
        _ = bench.render(50)
        bench.player.seek(toFrame: 0, generation: 1)
        #expect(bench.render(40) == frames(0..<33) + silence(7))
    }

    @Test func seek_whileTheNextPassIsFed_givesItBack() {
        let bench = Bench(Item(length: 100), loops: 2)
        _ = bench.render(50)
        bench.player.seek(toFrame: 0, generation: 1)
        // The decay of the frame before.
        #expect(Array(bench.render(5 + 300 + 20)[5...]) == [0, 1, 2].flatMap { _ in frames(0..<100) } + silence(20))
    }

    @Test func seek_thatFails_letsWhatWasReadPlayToItsEnd() {
        let bench = Bench(Item(length: 500, damagedFrom: 100))
        _ = bench.render(50)
        bench.player.seek(toFrame: 400, generation: 1)
        #expect(bench.render(60) == frames(50..<100) + silence(10))
        #expect(bench.player.failure == ItemFailure(message: "It is damaged."))
        #expect(bench.player.seekGeneration == 1)
        #expect(bench.hasEnded())
    }

    @Test func damage_endsTheItemWhateverLoopsAreLeft() {
        let bench = Bench(Item(length: 500, damagedFrom: 100), loops: -1)
        #expect(bench.render(110) == frames(0..<100) + silence(10))
        #expect(bench.player.failure == ItemFailure(message: "It is damaged."))
    }

    @Test func converter_setWhilePlaying_takesUpWhereItIs() {
        let bench = Bench(Item(length: 500))
        _ = bench.render(20)
        let converter = RepeatingConverter()
        converter.setTimes(2)
        bench.player.setConverter(converter, readAheadFrames: 32)
        let heard = bench.render(30)
        // Five frames decay, and five fade in: with half a frame of the item they are the first 20 + 5 / 2.
        #expect(Array(heard[11..<29]) == frames(23..<32).flatMap { [$0, $0] })
        #expect(bench.player.source.readAheadFrames == 32)
        #expect(bench.player.itemFrame == 32)
        bench.player.setConverter(nil, readAheadFrames: 2000)
        #expect(Array(bench.render(20)[10...]) == frames(37..<47))
        #expect(bench.player.source.readAheadFrames == 2000)
    }

    @Test func converter_setAndTakenBackBeforeItIsTakenUp_changesNothing() {
        let bench = Bench(Item(length: 500))
        _ = bench.render(20)
        bench.player.setConverter(RepeatingConverter(), readAheadFrames: 32)
        bench.player.setConverter(nil, readAheadFrames: 2000)
        #expect(bench.render(20) == frames(20..<40))
    }

    @Test func converter_afterTheEnd_waitsForASeek() {
        let bench = Bench(Item(length: 33))
        _ = bench.render(50)
        bench.player.setConverter(RepeatingConverter(), readAheadFrames: 32)
        #expect(bench.render(20) == silence(20))
        bench.player.seek(toFrame: 0, generation: 1)
        #expect(bench.render(40) == frames(0..<33) + silence(7))
        #expect(bench.player.source.readAheadFrames == 32)
    }

    @Test func loops_throughAConverter_areOneStream() {
        let bench = Bench(Item(length: 33), loops: 2)
        let converter = RepeatingConverter()
        bench.player.setConverter(converter, readAheadFrames: 32)
        #expect(bench.render(110) == [0, 1, 2].flatMap { _ in frames(0..<33) } + silence(11))
        #expect(converter.ends == 1)
    }
}
