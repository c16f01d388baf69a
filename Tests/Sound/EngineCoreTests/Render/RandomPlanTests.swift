import Foundation
import TestSupport
import Testing

/// Edits of a graph that plays make no clicks and leave nothing behind.
@Suite struct RandomPlanTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func edits_atRandom_neitherClickNorLeak(seed: UInt64) throws {
        // dev/fuzz plan runs more of them.
        let count = ProcessInfo.processInfo.environment["AUDIOSESSION_TEST_EDITS"].flatMap { Int($0) } ?? 1000
        var random = Seeded(seed: seed)
        var world: RandomPlans? = try RandomPlans()
        for edit in 0..<count {
            let fault = try world?.step(using: &random)
            #expect(fault == nil, "seed \(seed), edit \(edit)")
            if fault != nil { return }
        }
        let units = world?.allUnits ?? []
        world = nil
        #expect(!RandomPlans.leaves(units))
    }
}
