internal import AudioModel
internal import Dispatch
internal import HostInterface
internal import Synchronization

/// A host that is not there: no ports, and every claim and stream is refused with the reason.
///
/// `sharedInstance()` cannot throw; this is its host when the host that was asked for is unavailable.
final class UnreachableHost: AudioHost {
    let name: String
    let sampleRate: Double = 48_000

    private let reason: HostError
    /// A struct: Swift 6.3 wraps a function that a `Mutex` holds in one more thunk with each access.
    private struct Session { let deliver: @Sendable (HostEvent) -> Void }
    private let session = Mutex<Session?>(nil)
    /// Events leave on it, one after the other and never before `start` has returned.
    private let queue = DispatchQueue(label: "avfaudio-unreachable-host")

    init(name: String, because text: String) {
        self.name = name
        reason = .unreachable(text)
    }

    func start(deliver: @escaping @Sendable (HostEvent) -> Void) throws(HostError) {
        session.withLock { $0 = Session(deliver: deliver) }
        report(.inventoryChanged(.empty))
    }

    func shutdown() { session.withLock { $0 = nil } }

    func now() -> HostTime { HostTime(nanoseconds: DispatchTime.now().uptimeNanoseconds) }

    func claim(_ claim: SessionClaim) { report(.claimRefused(claim.id, reason)) }

    func suspend(_ id: ClaimID) {}

    func release(_ id: ClaimID, notifyingOthers: Bool) {}
    func allowSleep() {}
    func wake(at time: HostTime) {}

    func openStream(_ configuration: StreamConfiguration) throws(HostError) -> any HostStream { throw reason }

    private func report(_ event: HostEvent) {
        queue.async { self.session.withLock { $0 }?.deliver(event) }
    }
}
