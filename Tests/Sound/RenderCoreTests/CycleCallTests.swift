import RenderCore
import Testing

/// How slow a block of the app's may be.
@Suite struct CycleCallTests {
    /// Strain after calls that took these shares of their cycles.
    private func isTooSlow(_ shares: [Double]) -> Bool {
        var strain = 0
        for share in shares {
            strain = CycleCall.strain(after: strain, share: share)
            if strain > CycleCall.mostStrain { return true }
        }
        return false
    }

    @Test func oneCall_longerThanItsCycle_isTooSlow() {
        #expect(!isTooSlow([0, 0.5, 0.51, 1]))
        #expect(isTooSlow([1.01]))
    }

    @Test func threeCalls_ofMoreThanHalfACycle_areTooSlow_withinThirtyCycles() {
        func slow(every cycles: Int, times: Int) -> [Double] {
            (0..<times).flatMap { _ in [0.6] + [Double](repeating: 0.1, count: cycles - 1) }
        }
        #expect(!isTooSlow(slow(every: 15, times: 2)))
        #expect(isTooSlow(slow(every: 15, times: 3)))
        #expect(!isTooSlow(slow(every: 33, times: 100)))
        #expect(!isTooSlow([Double](repeating: 0.5, count: 1000)))
    }

    @Test func turn_isForOneCallAtATime_andVoidAfterANewerOne() {
        let turn = CallTurn()
        let first = turn.renew()
        // A turn is not copied, as the macro would.
        let taken = [turn.take(), turn.take(), turn.isTaken()]
        #expect(taken == [true, false, true])
        turn.giveBack()
        let second = turn.renew()
        let closed = [turn.close(first), turn.close(second), turn.close(second), turn.isTaken()]
        #expect(closed == [false, true, false, false])
    }
}
