package import HostInterface
internal import Synchronization

/// The sessions of the simulated machines in this process.
///
/// In virtual time, what a call causes has reached every session of its machine when the call returns. That needs no
/// observer and no other code of an app, and so cannot wait for the caller.
package enum VirtualMachine {
    /// By the machine's identity, which lives as long as one of its sessions.
    private static let sessions = Mutex<[ObjectIdentifier: [WeakBox<SessionRuntime>]]>([:])

    /// More than a chain of reactions has: a call, the interruption of another app, what the first hears of that.
    ///
    /// Calls of other threads, which never rest, must not keep this one.
    private static let mostRounds = 6

    static func add(_ session: SessionRuntime) {
        guard session.host.hasVirtualTime else { return }
        let machine = ObjectIdentifier(session.host.machineIdentity)
        sessions.withLock { sessions in
            for key in sessions.keys {
                sessions[key]?.removeAll { $0.object == nil }
                if sessions[key]?.isEmpty == true { sessions[key] = nil }
            }
            sessions[machine, default: []].append(WeakBox(session))
        }
    }

    private static func sessions(on host: any AudioHost) -> [SessionRuntime] {
        let machine = ObjectIdentifier(host.machineIdentity)
        return sessions.withLock { $0[machine] ?? [] }.compactMap(\.object)
    }

    /// Waits until no session of the machine has a message left.
    ///
    /// Application threads, observers and the poster thread. Does nothing in real time.
    package static func waitUntilApplied(_ host: any AudioHost) {
        guard host.hasVirtualTime else { return }
        // A message that is under way is in a mailbox: two rounds without a message but their own have seen all.
        var before: [UInt64?] = []
        for _ in 0..<mostRounds {
            let counts = sessions(on: host).map { $0.synchronously { $0.messageCount } }
            if counts == before.map({ $0.map { $0 + 1 } }) { return }
            before = counts
        }
    }

    /// As `deliver`, then until the observers on the main thread have been called, which is free.
    static func deliverEverywhere(_ host: any AudioHost) {
        deliver(host)
        for session in sessions(on: host) { session.notices.waitForMainThread() }
        waitUntilApplied(host)
    }

    /// The main thread waits for virtual time, which another thread moves: that thread must not wait for it.
    static func setMainThreadHangs(_ hangs: Bool, _ host: any AudioHost) {
        for session in sessions(on: host) { session.notices.mainThreadHangs.store(hangs, ordering: .releasing) }
    }

    /// As `waitUntilApplied`, then until the observers of route changes have been called, where none of them may be waiting
    /// for the caller.
    ///
    /// Application threads and observers.
    package static func deliver(_ host: any AudioHost) {
        guard host.hasVirtualTime else { return }
        waitUntilApplied(host)
        for session in sessions(on: host) { session.notices.waitForPoster() }
    }
}
