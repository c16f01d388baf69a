import CRealtime
import EngineCore
import Foundation
import RenderBench
import Synchronization
import Testing

/// An app's block in the cycle, and the clock around it.
///
/// A cycle of one frame at 1 GHz is over at once, and one at 1 µHz never: no test depends on how fast the machine is.
@Suite struct BlockCallTests {
    private let engine = EngineRenderer(sampleRate: 1000, maximumFrames: 8)
    private let turn = BlockTurn()

    private func source(isWatched: Bool = true, _ body: @escaping BlockCall.Body) -> SourceFeed {
        let call = BlockCall(turn: turn, isWatched: isWatched, body: body)
        let feed = engine.makeSource(channels: 1, readAheadSeconds: 0.1, origin: .block(call))
        engine.publish(sources: [feed], outputChannels: 1, matrix: [1])
        feed.play()
        return feed
    }

    private func cycle(_ frames: Int = 1, rate: Double = 1e-6, isGated: Bool = false) -> [Float] {
        RenderBench.cycle(engine.renderer, outputs: 1, frames: frames, isGated: isGated, sampleRate: rate)[0]
    }

    private static func write(_ value: Float, _ process: UnsafePointer<oav_process>) {
        for frame in 0..<Int(process.pointee.frames) { process.pointee.output.channels[0][frame] = value }
    }

    /// The thread waits, which no other thread is to blame for.
    private static func wait() { usleep(100) }

    @Test func block_getsTheCyclesFramesAndTime() {
        let seen = Mutex<[[Int]]>([])
        let feed = source { pointer in
            Self.write(0.5, pointer)
            let process = pointer.pointee
            seen.withLock {
                $0.append([
                    Int(process.frames), Int(process.sample_time), Int(process.input_count),
                    Int(process.output.channel_count),
                ])
            }
        }
        #expect(cycle(3) == [0.5, 0.5, 0.5])
        #expect(cycle(2) == [0.5, 0.5])
        #expect(seen.withLock { $0 } == [[3, 0, 0, 1], [2, 3, 0, 1]])
        #expect(feed.isInCycle && feed.slowCalls == 0)
        #expect(feed.elapsedFrames == 5)
    }

    @Test func block_inAGatedCycle_isNotCalled_andFadesInAfterIt() {
        let calls = Atomic(0)
        let feed = source { process in
            calls.add(1, ordering: .relaxed)
            Self.write(1, process)
        }
        #expect(cycle(2) == [1, 1])
        #expect(cycle(2, isGated: true) == [0, 0])
        #expect(calls.load(ordering: .relaxed) == 1)
        // The ramp is five frames.
        #expect(cycle(6) == [0.2, 0.4, 0.6, 0.8, 1, 1])
        #expect(feed.elapsedFrames == 8)
    }

    @Test func samplesThatAreNotFinite_becomeZero() {
        let feed = source { Self.write(.nan, $0) }
        #expect(cycle(2) == [0, 0])
        #expect(feed.isInCycle)
    }

    @Test func closedBlock_isNotCalled_andDecays() {
        let call = BlockCall(turn: turn, isWatched: true) { Self.write(1, $0) }
        let feed = engine.makeSource(channels: 1, readAheadSeconds: 0.1, origin: .block(call))
        engine.publish(sources: [feed], outputChannels: 1, matrix: [1])
        feed.play()
        #expect(cycle(2) == [1, 1])
        call.close()
        // To a rounding of Float32.
        #expect(zip(cycle(6), [0.8, 0.6, 0.4, 0.2, 0, 0]).allSatisfy { abs($0 - $1) < 1e-6 })
        // A newer call of the same block is another one.
        let other = source { Self.write(0.25, $0) }
        #expect(other.isInCycle)
        #expect(cycle(2) == [0.25, 0.25])
    }

    @Test func block_thatOnceTakesLongerThanItsCycle_isCalledAheadOfIt_untilItIsForgiven() {
        let feed = source { process in
            Self.wait()
            Self.write(0.5, process)
        }
        let told = Atomic(0)
        let producer = BlockProducer(source: feed, turn: turn, chunkFrames: 8) { output, _, _ in
            output.update(repeating: 0.25)
        } onLeavingCycle: {
            told.add(1, ordering: .relaxed)
        }
        #expect(producer.pump(minimumFrames: 0) == .onceChanged)
        #expect(cycle() == [0.5])
        #expect(feed.isInCycle)
        // What it has made is heard.
        #expect(cycle(rate: 1e9) == [0.5])
        #expect(!feed.isInCycle && feed.slowCalls == 1)
        #expect(producer.pump(minimumFrames: 0) == .soon)
        #expect(producer.pump(minimumFrames: 0) == .soon)
        #expect(told.load(ordering: .relaxed) == 1)
        #expect(cycle(4).count == 4)
        #expect(cycle(8).last == 0.25)
        feed.flush(toFrame: 0)
        feed.forgiveBlock()
        #expect(feed.isInCycle)
        #expect(producer.pump(minimumFrames: 0) == .onceChanged)
        #expect(cycle(8).last == 0.5)
    }

    @Test func block_ofAHostWithoutDeadlines_mayTakeAsLongAsItLikes() {
        let feed = source(isWatched: false) { process in
            Self.wait()
            Self.write(0.5, process)
        }
        for _ in 0..<3 { #expect(cycle(rate: 1e9) == [0.5]) }
        #expect(feed.isInCycle && feed.slowCalls == 0)
    }
}
