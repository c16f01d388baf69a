import CRealtime
import Foundation
import RenderCore
import TestSupport
import Testing

/// Two real threads on each lock-free part; also run under ThreadSanitizer.
///
/// Threads spin instead of waiting, so that the interleavings are as many as the machine allows.
@Suite struct ThreadTests {
    private final class Shared<Value: ~Copyable>: @unchecked Sendable {
        let value: Value
        init(_ value: consuming Value) { self.value = value }
    }

    @Test func frames_betweenTwoThreads_allArriveInOrder() async {
        let frames = 200_000
        let storage = UnsafeMutablePointer<Float>.allocate(capacity: 64 * 2)
        storage.initialize(repeating: 0, count: 128)
        let ring = Shared(FrameRing(storage: storage, capacity: 64, channels: 2))
        let wrong = Shared(SPSCRing(capacity: 1 << 20))
        await together {
            var next = 0
            while next < frames {
                let count = min(1 + next % 37, frames - next)
                let block = (0..<count).flatMap { [Float(next + $0), -Float(next + $0)] }
                var written = 0
                while written < count {
                    written += block.withUnsafeBufferPointer {
                        ring.value.write($0.baseAddress! + 2 * written, count: count - written)
                    }
                    sched_yield()
                }
                next += count
            }
        } _: {
            var next = 0
            while next < frames {
                let count = ring.value.contiguousFrames()
                let front = ring.value.front()
                for index in 0..<count
                where front[2 * index] != Float(next + index) || front[2 * index + 1] != -Float(next + index) {
                    wrong.value.publish(1)
                }
                ring.value.slots.consume(count)
                next += count
                if count == 0 { sched_yield() }
            }
        }
        #expect(wrong.value.writtenSlots() == 0)
        #expect(ring.value.slots.readSlots() == frames)
        storage.deallocate()
    }

    @Test func parameters_betweenTwoThreads_areWholeAndNeverOlder() async {
        let last: UInt32 = 200_000
        let slots = UnsafeMutablePointer<SourceParameters>.allocate(capacity: 3)
        let latest = Shared(LatestParameters(slots: slots))
        let wrong = Shared(SPSCRing(capacity: 1 << 20))
        await together {
            for count in 1...last {
                var parameters = SourceParameters()
                parameters.cuts = count
                parameters.pauseRequests = ~count
                parameters.drainFrames = Int32(count)
                latest.value.publish(parameters)
            }
        } _: {
            var newest: UInt32 = 0
            while newest < last {
                guard let parameters = latest.value.newer() else { continue }
                let isWhole = parameters.pauseRequests == ~parameters.cuts && parameters.drainFrames == parameters.cuts
                if parameters.cuts < newest || parameters.cuts > 0 && !isWhole { wrong.value.publish(1) }
                newest = parameters.cuts
            }
        }
        #expect(wrong.value.writtenSlots() == 0)
        slots.deallocate()
    }

    @Test func plans_betweenTwoThreads_allComeBackOnce() async {
        let rig = RendererRig(retiredPlanCapacity: 2)
        rig.addSource(playing: [1])
        let isDone = Shared(SPSCRing(capacity: 2))
        await together {
            for _ in 0..<20_000 {
                rig.publish(rig.makePlan([0], outputs: 1, [1]))
                rig.reclaim()
            }
            isDone.value.publish(1)
        } _: {
            while isDone.value.readableSlots() == 0 { _ = rig.cycle(8) }
        }
        // Only the plan that plays is left; `free` asserts that none came twice.
        rig.settle()
        #expect(rig.livePlans.count == 1)
    }
}
