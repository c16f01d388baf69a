import CRealtime
import EngineCore
import Foundation
import Synchronization
import Testing

/// The receiving end of an input stream, called through the C boundary as hosts do.
@Suite struct CaptureFeedTests {
    private static func makeFeed(channels: Int = 2) -> CaptureFeed {
        CaptureFeed(channels: channels, maximumFrames: 64, sampleRate: 64, seconds: 4)
    }

    /// Hands these rows to the feed as one cycle; an empty row is a missing input.
    private static func capture(_ feed: CaptureFeed, _ rows: [[Float]], flags: UInt32 = 0, time: UInt64 = 0) {
        let frames = rows.map(\.count).max() ?? 0
        let memory = rows.map { row -> UnsafeMutablePointer<Float>? in
            guard !row.isEmpty else { return nil }
            let pointer = UnsafeMutablePointer<Float>.allocate(capacity: frames)
            pointer.initialize(from: row, count: frames)
            return pointer
        }
        defer { for pointer in memory { pointer?.deallocate() } }
        let inputs = memory.map { $0.map { UnsafePointer($0) } }
        inputs.withUnsafeBufferPointer { inputs in
            var renderer = feed.renderer
            var cycle = oav_cycle()
            cycle.inputs = inputs.baseAddress
            cycle.input_channels = UInt32(rows.count)
            cycle.frames = UInt32(frames)
            cycle.flags = flags
            cycle.host_time_ns = time
            oav_renderer_call(&renderer, &cycle)
        }
    }

    private static func drain(_ feed: CaptureFeed) -> (times: [Int64], samples: [Float]) {
        var (times, samples): ([Int64], [Float]) = ([], [])
        feed.drain { block, frames in
            times.append(block.sampleTime)
            samples += Array(frames)
        }
        return (times, samples)
    }

    @Test func cycles_areDrainedInOrder_interleaved() {
        let feed = Self.makeFeed()
        Self.capture(feed, [[1, 2, 3], [-1, -2, -3]])
        Self.capture(feed, [[4, 5], [-4, -5]])
        let (times, samples) = Self.drain(feed)
        #expect(times == [0, 3])
        #expect(samples == [1, -1, 2, -2, 3, -3, 4, -4, 5, -5])
        #expect(Self.drain(feed).samples == [])
    }

    @Test func monoInput_fillsEveryChannel_andMissingChannelsAreSilent() {
        let feed = Self.makeFeed(channels: 3)
        Self.capture(feed, [[1, 2]])
        #expect(Self.drain(feed).samples == [1, 1, 1, 2, 2, 2])
        Self.capture(feed, [[1, 2], []])
        #expect(Self.drain(feed).samples == [1, 0, 0, 2, 0, 0])
        Self.capture(feed, [[1], [2], [3], [4]])
        #expect(Self.drain(feed).samples == [1, 2, 3])
    }

    @Test func samplesThatAreNotFinite_becomeZero() {
        let feed = Self.makeFeed(channels: 1)
        Self.capture(feed, [[.nan, 1, .infinity, -.infinity]])
        #expect(Self.drain(feed).samples == [0, 1, 0, 0])
    }

    /// The ring holds 256 frames; what comes beyond is lost as a whole cycle, and seen as a gap in the times.
    @Test func cycleThatFindsTheRingFull_isLeftOut() {
        let feed = Self.makeFeed(channels: 1)
        let cycle = [Float](repeating: 1, count: 60)
        for _ in 0..<5 { Self.capture(feed, [cycle]) }
        #expect(Self.drain(feed).times == [0, 60, 120, 180])
        Self.capture(feed, [[1]])
        #expect(Self.drain(feed).times == [300])
    }

    @Test func gatedOversizedAndEmptyCycles_bringNothing() {
        let feed = Self.makeFeed(channels: 1)
        Self.capture(feed, [[1, 2]], flags: UInt32(OAV_CYCLE_GATED))
        Self.capture(feed, [])
        Self.capture(feed, [[Float](repeating: 1, count: 65)])
        #expect(Self.drain(feed).samples == [])
        // Of these three the gated and the oversized one have a time.
        Self.capture(feed, [[1]])
        #expect(Self.drain(feed).times == [67])
    }

    private final class End: Sendable { let isReached = Atomic<Bool>(false) }

    /// Two threads; also run under ThreadSanitizer.
    @Test func framesBetweenTwoThreads_arriveInOrder_orLeaveAGap() async {
        let feed = Self.makeFeed(channels: 1)
        let end = End()
        let cycles = 20_000
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await onThread {
                    for cycle in 0..<cycles { Self.capture(feed, [(0..<16).map { Float((cycle * 16 + $0) % 65536) }]) }
                    end.isReached.store(true, ordering: .releasing)
                }
            }
            group.addTask {
                await onThread {
                    var (received, lost, wrong) = (0, 0, 0)
                    while true {
                        let isLast = end.isReached.load(ordering: .acquiring)
                        feed.drain { block, samples in
                            for (index, sample) in samples.enumerated()
                            where sample != Float((block.sampleTime + Int64(index)) % 65536) { wrong += 1 }
                            lost += Int(block.sampleTime) - received - lost
                            received += block.frames
                        }
                        if isLast { break }
                    }
                    Self.capture(feed, [[0]])
                    for time in Self.drain(feed).times { lost += Int(time) - received - lost }
                    #expect(wrong == 0)
                    #expect(received + lost == cycles * 16)
                    #expect(received > 0)
                }
            }
        }
    }
}

private func onThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        Thread {
            body()
            continuation.resume()
        }.start()
    }
}
