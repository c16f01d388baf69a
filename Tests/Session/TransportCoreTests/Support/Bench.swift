import AudioModel
import Testing

@testable import TransportCore

/// A machine on the bench: every event goes through the invariants, and the whole history is kept.
struct Bench {
    private(set) var machine: TransportMachine
    private(set) var events: [TransportEvent] = []
    private(set) var effects: [[TransportEffect]] = []
    private(set) var invariants: TransportInvariants

    var state: TransportState { machine.state }
    var allEffects: [TransportEffect] { effects.flatMap { $0 } }

    init(_ kind: TransportKind, _ events: [TransportEvent] = []) {
        machine = TransportMachine(kind)
        invariants = TransportInvariants(kind)
        for event in events { feed(event) }
    }

    @discardableResult
    mutating func feed(
        _ event: TransportEvent, sourceLocation: SourceLocation = #_sourceLocation
    ) -> [TransportEffect] {
        let before = machine
        let result = machine.apply(event)
        events.append(event)
        effects.append(result)
        let violations = invariants.check(event, effects: result, before: before, after: machine)
        if !violations.isEmpty {
            Issue.record("\(violations.joined(separator: "\n"))\n\(log(last: 12))", sourceLocation: sourceLocation)
        }
        return result
    }

    /// A new transport takes the place of one that is over.
    mutating func replaceMachine() {
        machine = TransportMachine(machine.kind)
        invariants = TransportInvariants(machine.kind, violations: invariants.violations)
    }

    /// The newest steps, for a failure's message.
    func log(last count: Int) -> String {
        zip(events, effects).suffix(count).map { event, effects in
            "\(event)\n" + effects.map { "    -> \($0)\n" }.joined()
        }.joined()
    }
}

/// Machines in each state, by the shortest way there.
extension Bench {
    static let deviceFailed = SessionError(.resourceNotAvailable, "The device is gone.")
    static let serverLost = SessionError(.mediaServicesFailed, "The connection to the sound server is lost.")

    static func player(_ events: TransportEvent...) -> Bench {
        Bench(.player, [.streamOpened(.output)] + events)
    }

    static func recorder(_ events: TransportEvent...) -> Bench {
        Bench(.recorder, [.streamOpened(.input)] + events)
    }

    /// With both streams.
    static func engine(_ events: TransportEvent...) -> Bench {
        Bench(.engine, [.streamOpened(.input), .streamOpened(.output)] + events)
    }

    /// Which sounds, and captures.
    static func playingEngine(_ events: TransportEvent...) -> Bench {
        Bench(
            .engine,
            [.streamOpened(.input), .streamOpened(.output), .playRequested(), .started(.input), .started(.output)]
                + events)
    }
}
