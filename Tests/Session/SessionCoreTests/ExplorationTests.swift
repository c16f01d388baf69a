import AudioModel
import Foundation
import Testing

@testable import SessionCore

/// Every state that three sessions and other programs on a machine with three ports can reach in a number of steps, with
/// every step taken in each, and every invariant checked after it.
///
/// `dev/explore` goes deeper than this test.
struct ExplorationTests {
    /// Where it begins, and what a step is.
    enum Order: String, CaseIterable {
        /// From a session that plays and one that it has interrupted; all that a step sends arrives before the next one.
        case settled
        /// From idle sessions; each arrival is a step, so that requests and notes meet in every order.
        case interleaved
        /// From a session that waits for the end of another program's call, and one that has just asked to play. The steps
        /// are those that concern claims, one fewer than in the other orders. What they send arrives in every order, before
        /// the next step or after it.
        case claims

        var start: SharedMachine {
            var world = SharedMachine(self == .claims ? .claims : .all)
            let plays = [0, 1].map { SharedMachine.Step.fact(of: $0, .play(StreamID(number: 1), isLate: false)) }
            let steps: [SharedMachine.Step] =
                switch self {
                case .settled: plays
                case .interleaved: []
                case .claims: [plays[0], .foreign(["Phone"]), plays[1]]
                }
            for step in steps {
                world.settle()
                world.take(step)
            }
            if self == .settled { world.settle() }
            return world
        }

        func steps(of world: SharedMachine) -> [SharedMachine.Step] {
            self == .interleaved ? world.arrivals + world.steps : world.steps
        }
    }

    private struct Result {
        var states = 1
        var transitions = 0
        /// How many are new after each number of steps.
        var newStates: [Int] = []
    }

    private typealias Node = (world: SharedMachine, path: [SharedMachine.Step])

    /// AUDIOSESSION_EXPLORATION_DEPTH, from `dev/explore`.
    private static let depth = ProcessInfo.processInfo.environment["AUDIOSESSION_EXPLORATION_DEPTH"].flatMap(Int.init)

    private func explore(_ order: Order, depth: Int) -> Result {
        // 64 bits of each: that two of a million states share them has a probability of 1 to 37 million.
        var (seen, result): (Set<Int>, Result) = ([], Result())
        var frontier: [Node] = [(order.start, [])]
        seen.insert(frontier[0].world.key.hashValue)
        /// False at a violation; adds what is new.
        func take(_ step: SharedMachine.Step, after node: Node, into next: inout [Node]) -> Bool {
            var after = node.world
            after.take(step)
            if order == .settled { after.settle() }
            result.transitions += 1
            if !after.violations.isEmpty {
                let steps = (node.path + [step]).map { "\($0)" }.joined(separator: "\n")
                Issue.record("\(after.violations.joined(separator: "\n"))\nafter\n\(steps)")
                return false
            }
            if seen.insert(after.key.hashValue).inserted { next.append((after, node.path + [step])) }
            return true
        }
        /// Lets what is on its way arrive, in every order.
        func deliver(_ nodes: inout [Node]) -> Bool {
            var index = 0
            while order == .claims, index < nodes.count {
                for step in nodes[index].world.arrivals where !take(step, after: nodes[index], into: &nodes) {
                    return false
                }
                index += 1
            }
            return true
        }
        guard deliver(&frontier) else { return result }
        for _ in 0..<depth {
            var next: [Node] = []
            for node in frontier {
                for step in order.steps(of: node.world) where !take(step, after: node, into: &next) { return result }
            }
            guard deliver(&next) else { return result }
            result.newStates.append(next.count)
            frontier = next
        }
        result.states = seen.count
        return result
    }

    @Test(arguments: Order.allCases)
    func everyStateOfThreeSessions_onEveryStep_keepsTheInvariants(order: Order) {
        let depth = (Self.depth ?? 2) - (order == .claims ? 1 : 0)
        let result = explore(order, depth: depth)
        print(
            "\(order), \(depth) steps: \(result.states) states, \(result.transitions) transitions; new states after each "
                + "step: \(result.newStates)")
        #expect(result.newStates.count == depth)
        #expect(result.newStates.allSatisfy { $0 > 0 })
        #expect(result.transitions > 100)
    }
}
