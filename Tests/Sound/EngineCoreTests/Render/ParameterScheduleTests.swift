import Synchronization
import Testing

@testable import EngineCore
@testable import RenderCore

/// Changes of parameters that are due later or take a while, cycle by cycle.
@Suite struct ParameterScheduleTests {
    /// Two values behind a count of changes.
    private final class Bench {
        private let cells = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: 3)
        private let ramps: ParameterRamps
        private var time: Int64 = 1_000_000

        init(_ values: [Float] = [0, 10]) {
            cells.initialize(to: Atomic(0))
            for (index, value) in values.enumerated() { (cells + 1 + index).initialize(to: Atomic(value.bitPattern)) }
            ramps = ParameterRamps(cells: cells, counter: 0)
        }

        deinit { cells.deallocate() }

        var changes: UInt32 { cells[0].load(ordering: .relaxed) }

        func value(_ index: Int) -> Float { Float(bitPattern: cells[1 + index].load(ordering: .relaxed)) }
        func set(_ value: Float, _ index: Int) { cells[1 + index].store(value.bitPattern, ordering: .relaxed) }

        @discardableResult
        func put(_ value: Float, _ index: Int, after frames: Int64 = 0, ramp: UInt32 = 0) -> Bool {
            ramps.schedule.pointee.put(value, in: 1 + index, at: UnitEvent.soonest + frames, rampFrames: ramp)
        }

        /// The values of a parameter after each of some cycles of 100 frames.
        func values(_ index: Int = 0, cycles: Int) -> [Float] {
            (0..<cycles).map { _ in
                ramps.schedule.pointee.carryOut(from: time, frames: 100)
                time += 100
                return value(index)
            }
        }
    }

    @Test func ramp_goesStraight_andEndsAtItsValue() {
        let bench = Bench()
        bench.put(4, 0, ramp: 400)
        #expect(bench.values(cycles: 6) == [1, 2, 3, 4, 4, 4])
        // Once for each cycle that changed something.
        #expect(bench.changes == 4)
        #expect(bench.value(1) == 10)
    }

    @Test func changesDueLater_comeInTheirCycles_inWhateverOrderTheyWerePut() {
        let bench = Bench()
        bench.put(7, 0, after: 350)
        bench.put(5, 0, after: 100)
        bench.put(9, 0, after: 550, ramp: 200)
        #expect(bench.values(cycles: 8) == [0, 5, 5, 7, 7, 7.5, 8.5, 9])
    }

    @Test func changeThatBegins_endsTheOneUnderWay_butNotThoseOfOtherParameters() {
        let bench = Bench()
        bench.put(64, 0, ramp: 1600)
        bench.put(26, 1, ramp: 1600)
        #expect(bench.values(cycles: 5) == [4, 8, 12, 16, 20])
        bench.put(0, 0, ramp: 200)
        #expect(bench.values(cycles: 3) == [10, 0, 0])
        #expect(bench.values(1, cycles: 3) == [19, 20, 21])
        // Both begin in one cycle: the later one counts, whichever was put first.
        bench.put(5, 0, after: 50)
        bench.put(6, 0, after: 10)
        #expect(bench.values(cycles: 2) == [5, 5])
    }

    @Test func valueThatIsSet_endsWhatIsUnderWay() {
        let bench = Bench()
        bench.put(100, 0, ramp: 1000)
        #expect(bench.values(cycles: 2) == [10, 20])
        bench.set(3, 0)
        #expect(bench.values(cycles: 3) == [3, 3, 3])
        bench.put(4, 0, ramp: 100)
        #expect(bench.values(cycles: 2) == [4, 4])
    }

    @Test func whatIsTooMuch_isDropped_andTheRestIsCarriedOut() {
        let bench = Bench()
        let capacity = ParameterSchedule.capacity
        let taken = (0..<(capacity + 10)).filter { bench.put(Float($0), 0, after: 1000) }
        #expect(taken.count == capacity)
        #expect(bench.values(cycles: 1) == [0])
        // The queue is free again, and nothing else has room.
        #expect(bench.put(1, 1))
        #expect(bench.values(1, cycles: 1) == [10])
        #expect(bench.values(cycles: 10).last == Float(capacity - 1))
        bench.put(1, 1)
        #expect(bench.values(1, cycles: 1) == [1])
    }
}
