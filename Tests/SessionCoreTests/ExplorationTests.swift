import AudioModel
import Foundation
import Testing

@testable import SessionCore

/// Every state that two sessions on a machine with three ports can reach in a number of steps, with every step taken in
/// each, and every invariant checked after it.
///
/// `dev/explore` goes deeper than this test.
struct ExplorationTests {
    /// Where it begins, and what a step is.
    enum Order: String, CaseIterable {
        /// From a session that plays and one that it has interrupted; all that a step sends arrives before the next one.
        case settled
        /// From two idle sessions; each arrival is a step, so that requests and notes meet in every order.
        case interleaved

        var start: TwoSessions {
            var world = TwoSessions()
            guard self == .settled else { return world }
            for owner in 0..<2 {
                world.take(.fact(of: owner, .play(StreamID(number: 1), isLate: false)))
                world.settle()
            }
            return world
        }
    }

    private struct Result {
        var states = 1
        var transitions = 0
        /// How many are new after each number of steps.
        var newStates: [Int] = []
    }

    /// AUDIOSESSION_EXPLORATION_DEPTH, from `dev/explore`.
    private static let depth = ProcessInfo.processInfo.environment["AUDIOSESSION_EXPLORATION_DEPTH"].flatMap(Int.init)

    private func explore(_ order: Order, depth: Int) -> Result {
        var (seen, result): (Set<TwoSessions.Key>, Result) = ([], Result())
        var frontier: [(world: TwoSessions, path: [TwoSessions.Step])] = [(order.start, [])]
        seen.insert(frontier[0].world.key)
        for _ in 0..<depth {
            var next: [(TwoSessions, [TwoSessions.Step])] = []
            for (world, path) in frontier {
                for step in world.steps {
                    var after = world
                    after.take(step)
                    if order == .settled { after.settle() }
                    result.transitions += 1
                    if !after.violations.isEmpty {
                        let steps = (path + [step]).map { "\($0)" }.joined(separator: "\n")
                        Issue.record("\(after.violations.joined(separator: "\n"))\nafter\n\(steps)")
                        return result
                    }
                    if seen.insert(after.key).inserted { next.append((after, path + [step])) }
                }
            }
            result.newStates.append(next.count)
            frontier = next
        }
        result.states = seen.count
        return result
    }

    @Test(arguments: Order.allCases)
    func everyStateOfTwoSessions_onEveryStep_keepsTheInvariants(order: Order) {
        let depth = Self.depth ?? 2
        let result = explore(order, depth: depth)
        print(
            "\(order), \(depth) steps: \(result.states) states, \(result.transitions) transitions; new states after each "
                + "step: \(result.newStates)")
        #expect(result.newStates.count == depth)
        #expect(result.newStates.allSatisfy { $0 > 0 })
        #expect(result.transitions > 4_000)
    }
}
