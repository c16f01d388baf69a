import AudioModel

@testable import GuardCore

/// A guard, and what it has of the server.
///
/// The server removes its claim and its sinks when it ends.
struct ModelGuard {
    var claim: UInt64
    var machine: GuardMachine
    var handover: GuardHandover?
    var obeyed: Set<UInt64> = []
    /// What others have left is removed.
    var hasServer = false
    var wakeTime: HostTime?

    /// As the others hear of it.
    var asRival: GuardRival {
        GuardRival(
            serial: claim, name: "guard", processID: UInt32(claim),
            purpose: handover.map { .leaving($0) } ?? (machine.options.scope == .keeping ? .keeping : .guarding),
            obeyed: obeyed)
    }
}

/// A fact on its way to every guard, or to one of them.
struct ModelMessage {
    var fact: GuardFact
    var claim: UInt64?
    /// Of a stream, whose holding sink it is at: another guard's is a sink like any other.
    var holder: UInt64?

    func fact(for claim: UInt64) -> GuardFact {
        guard case .streamChanged(var stream) = fact, stream.linkTarget == .hold, let holder, holder != claim
        else { return fact }
        stream.linkTarget = .sink("hold.\(holder)")
        return .streamChanged(stream)
    }
}
