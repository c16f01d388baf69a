import AudioModel
import HostInterface

/// What the machine knows of one app, besides its streams and its claims in the claim registry.
struct AppState: Sendable {
    /// What its peers see.
    let name: String
    /// Non-nil from `start` to `shutdown`: the app hears events.
    var deliver: (@Sendable (HostEvent) -> Void)?
    /// Its process is gone: it hears nothing, and what it calls does nothing.
    var isKilled = false
    /// It may not record: its inputs are silent.
    var hearsNothing = false

    var usedStreamIDs: Set<StreamID> = []
    var usedClaimIDs: Set<ClaimID> = []
    /// Refused, or lost with the connection: the session may release them or not.
    var voidClaims: Set<ClaimID> = []
    /// Asked for by `wake(at:)`, earliest first.
    private(set) var timers: [HostTime] = []

    /// How many announcements of sleep it has not answered yet, those that were called off too.
    var sleepsToAllow = 0
    /// Since when it is to be silent, as a frame of virtual time; nil while no sleep is near.
    var allowedSleepAtFrame: Int?

    // Faults that a test causes.
    var nextClaimError: HostError?
    var nextLinkError: HostError?
    var nextOpenError: HostError?

    init(name: String) { self.name = name }

    mutating func addTimer(_ time: HostTime) {
        timers.insert(time, at: timers.firstIndex { time < $0 } ?? timers.endIndex)
    }

    mutating func takeTimer(dueAt now: HostTime) -> HostTime? {
        guard let first = timers.first, first <= now else { return nil }
        return timers.removeFirst()
    }

    mutating func clearTimers() { timers = [] }

    /// A session's ids are its own; a new session of the same app may begin at 1 again.
    mutating func beginSession(deliver: @escaping @Sendable (HostEvent) -> Void) {
        self.deliver = deliver
        usedStreamIDs = []
        usedClaimIDs = []
        voidClaims = []
    }

    /// Returns the closure, to be released after the lock: a deinitialiser of what it holds may call the host.
    mutating func endSession() -> (@Sendable (HostEvent) -> Void)? {
        defer { deliver = nil }
        timers = []
        sleepsToAllow = 0
        allowedSleepAtFrame = nil
        return deliver
    }
}
