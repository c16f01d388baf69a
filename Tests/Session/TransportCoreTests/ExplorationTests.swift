import AudioModel
import Testing

@testable import TransportCore

/// Every machine that any sequence of events can lead to, with every event applied to it.
///
/// The search ends by itself: nothing in a machine but the count of its seeks grows.
struct ExplorationTests {
    private struct Node: Hashable {
        var machine: TransportMachine
        var account: TransportInvariants.Key
    }

    private struct Result {
        var machines = 0
        /// Steps between them.
        var transitions = 0
        /// Of the longest way to a machine.
        var depth = 0
        /// "state -> state", by the states' names.
        var exits: Set<String> = []
    }

    private func explore(_ kind: TransportKind) -> Result {
        var seen: Set<Node> = []
        var frontier = [(TransportMachine(kind), TransportInvariants(kind))]
        seen.insert(Node(machine: frontier[0].0, account: frontier[0].1.key))
        var result = Result()
        while !frontier.isEmpty {
            var next: [(TransportMachine, TransportInvariants)] = []
            for (before, account) in frontier {
                for event in Alphabet.events(generation: before.seekGeneration) {
                    var (machine, invariants) = (before, account)
                    let effects = machine.apply(event)
                    result.transitions += 1
                    if before.state.name != machine.state.name {
                        result.exits.insert("\(before.state.name) -> \(machine.state.name)")
                    }
                    let violations = invariants.check(event, effects: effects, before: before, after: machine)
                    if !violations.isEmpty {
                        Issue.record("\(before)\n\(event)\n\(effects)\n\(machine)\n\(violations)")
                        return result
                    }
                    machine.seekGeneration = 0
                    let node = Node(machine: machine, account: invariants.key)
                    if seen.insert(node).inserted { next.append((machine, invariants)) }
                }
            }
            if !next.isEmpty { result.depth += 1 }
            frontier = next
        }
        result.machines = seen.count
        return result
    }

    @Test(arguments: TransportKind.allCases)
    func everyReachableMachine_onEveryEvent_keepsTheInvariants(kind: TransportKind) {
        let result = explore(kind)
        print(
            "\(kind): \(result.machines) machines, \(result.transitions) transitions, "
                + "at most \(result.depth) events from the start")
        // Each exit that the states document is taken, and no other: a rule of the invariants says the second.
        let documented = TransportState.samples.flatMap { state in
            state.exits(kind).filter { $0 != state.name }.map { "\(state.name) -> \($0)" }
        }
        #expect(result.exits == Set(documented))
        #expect(result.machines > 20)
    }
}

extension TransportState {
    /// One of each kind that has exits of its own.
    fileprivate static let samples: [TransportState] = [
        .ready, .playing, .fading(.paused(.user)), .fading(.suppressed(.interruption)), .fading(.closed),
        .suppressed(.interruption), .paused(.user), .finishing(.finished(.endOfFile)), .finished(.endOfFile),
        .failed(.file("")),
    ]
}
