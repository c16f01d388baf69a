/// What a sleep watch knows of logind, and decides: a value without a bus, a clock and threads.
///
/// - `Inhibitor`: what delays the sleep while it exists.
struct LogindWatch<Inhibitor: Sendable>: Sendable {
    enum Event: Sendable {
        /// A bus accepted the connection, the first or the next.
        case connected
        case busLost(String)
        /// logind came to the bus, or left it.
        case logindChanged(isThere: Bool)
        /// The answers to a request; one of an earlier connection or logind changes nothing.
        case inhibited(Inhibitor, request: Int)
        case refused(String, request: Int)
        /// Sleep begins; false: it is over, or was cancelled.
        case preparing(Bool)
        /// The session's answers, one for each announcement and in their order.
        case allowed
        /// The longest delay of that announcement is over.
        case delayEnded(announcement: Int)
    }

    enum Command: Hashable, Sendable {
        case requestInhibitor(request: Int)
        /// These two come in turns.
        case reportSleep(announcement: Int)
        case reportWake
        case reconnect(afterMilliseconds: Int)
    }

    private enum Delay: Sendable {
        /// Legal exits: requested.
        case none
        /// Legal exits: held, none (refused, or granted during a sleep, for which it comes too late).
        case requested(Int)
        /// Legal exits: none (allowed, delay ended, logind or bus lost).
        case held(Inhibitor)
    }

    private enum Machine { case awake, asleep }

    private var delay = Delay.none
    private var machine = Machine.awake
    private var requests = 0
    private var announcements = 0
    private var allowances = 0
    private var pauseMilliseconds = Self.firstPause
    /// Whether the machine would wait, and what there is, in a few words; nil: logind has not answered.
    private(set) var status: (isArmed: Bool, words: String)?

    private static var firstPause: Int { 250 }
    private static var longestPause: Int { 30_000 }

    var isHeld: Bool { if case .held = delay { true } else { false } }

    mutating func apply(_ event: Event) -> [Command] {
        switch event {
        case .connected: return request()
        case .busLost(let reason):
            delay = .none
            status = (false, "not announced, the system bus is away: \(reason)")
            let pause = pauseMilliseconds
            pauseMilliseconds = min(pause * 2, Self.longestPause)
            return wake() + [.reconnect(afterMilliseconds: pause)]
        case .logindChanged(let isThere):
            // The logind that would report the wake-up is gone.
            delay = .none
            if !isThere { status = (false, "not announced: logind has gone") }
            return wake() + (isThere ? request() : [])
        case .inhibited(let inhibitor, let request):
            guard isRequested(request) else { return [] }
            guard machine == .awake else {
                delay = .none
                return []
            }
            delay = .held(inhibitor)
            pauseMilliseconds = Self.firstPause
            status = (true, "announced by logind, and delayed up to 2 s")
        case .refused(let reason, let request):
            guard isRequested(request) else { return [] }
            delay = .none
            status = (false, "not delayed: \(reason)")
        case .preparing(true):
            guard machine == .awake else { return [] }
            machine = .asleep
            announcements += 1
            return [.reportSleep(announcement: announcements)]
        case .preparing(false):
            // One that is still held means that the sleep was cancelled.
            if case .none = delay { return request() + wake() }
            return wake()
        case .allowed:
            if allowances < announcements { allowances += 1 }
            if machine == .asleep, allowances == announcements, isHeld { delay = .none }
        case .delayEnded(let announcement):
            if machine == .asleep, announcement == announcements, isHeld { delay = .none }
        }
        return []
    }

    private func isRequested(_ request: Int) -> Bool {
        if case .requested(request) = delay { true } else { false }
    }

    private mutating func request() -> [Command] {
        requests += 1
        delay = .requested(requests)
        return [.requestInhibitor(request: requests)]
    }

    private mutating func wake() -> [Command] {
        guard machine == .asleep else { return [] }
        machine = .awake
        return [.reportWake]
    }
}
