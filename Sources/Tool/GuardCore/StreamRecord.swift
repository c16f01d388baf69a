internal import AudioModel

/// What the guard remembers of a stream.
struct StreamRecord: Hashable, Sendable {
    enum Activity: Hashable, Sendable {
        /// Exit: runs -> `running`, and has begun.
        case stopped
        /// Exit: stops -> `stopping`.
        case running
        /// Exits: runs -> `running`; for `GuardMachine.blipSeconds` -> `stopped`.
        case stopping(since: HostTime)
        /// It ended while it was held. Its program, told to pause, may have closed it, and goes on when the hold ends.
        case ended
    }

    enum Lowering: Hashable, Sendable {
        case none
        /// Its target is the ducking sink, or will be when its hold ends. Exits: no holder lowers it -> `none`; a mixer
        /// moves it -> `declined`.
        case lowered(since: HostTime)
        /// Its user has moved it away in a mixer. Exit: no holder lowers it -> `none`.
        case declined
    }

    var stream: ProgramStream
    /// The sink that it was linked to last, other than the guard's own.
    var home: String?
    var activity = Activity.stopped
    /// When it came or stopped last.
    private(set) var stoodSince: HostTime
    var hold: Hold?
    var lowering = Lowering.none
    /// What the user had chosen for it in a mixer, before the guard gave it a target.
    var formerTarget: String?
    var order: Int
    var policy = ProgramPolicy()
    /// It came after the guard, or its session, had begun.
    let isArrival: Bool
    var hasBegunBefore = false
    /// It runs, and counts as begun when it is heard from then on; nil where it has begun, or stands still.
    private(set) var beginsAt: HostTime?
    /// Streams stop and start when they are moved back.
    var releasedAt: HostTime?

    init(_ stream: ProgramStream, order: Int, isArrival: Bool, at now: HostTime) {
        self.stream = stream
        self.order = order
        self.isArrival = isArrival
        stoodSince = now
    }

    var isLowered: Bool { if case .lowered = lowering { true } else { false } }

    /// A stream that is silent from its start has not begun.
    ///
    /// One that is muted after it was heard goes on.
    ///
    /// - Parameter isFirst: nothing was told of it before: it may have played for long.
    mutating func noteSound(isFirst: Bool, at now: HostTime, blip: Double) {
        guard note(isRunning: stream.isRunning, at: now, blip: blip) else { return }
        beginsAt = isFirst ? now : now.advanced(bySeconds: GuardMachine.soundSeconds)
    }

    /// When it begins, unless it is muted or stops before.
    var beginning: HostTime? { activity == .running && !stream.isSilent ? beginsAt : nil }

    mutating func noteBegun() { beginsAt = nil }

    /// - Returns: true where it runs again, other than by being moved.
    private mutating func note(isRunning: Bool, at now: HostTime, blip: Double) -> Bool {
        switch (activity, isRunning) {
        case (.stopped, true):
            activity = .running
            let isReleased = releasedAt.map { now.seconds(since: $0) < blip } ?? false
            return !isReleased
        case (.running, false):
            activity = .stopping(since: now)
            stoodSince = now
        case (.stopping, true): activity = .running
        case (.stopped, false), (.running, true), (.stopping, false), (.ended, _): break
        }
        return false
    }

    /// It plays, or stopped so shortly ago that whatever has happened now may be the cause.
    func sounded(within seconds: Double, of now: HostTime) -> Bool {
        switch activity {
        case .running: true
        case .stopping(let since): now.seconds(since: since) <= seconds
        case .stopped, .ended: false
        }
    }

    /// It stands still, and has not for longer than this.
    func hasStood(under seconds: Double, at now: HostTime) -> Bool {
        switch activity {
        case .stopped, .stopping: now.seconds(since: stoodSince) <= seconds
        case .running, .ended: false
        }
    }

    func deadline(blip: Double) -> HostTime? {
        guard activity != .ended else { return nil }
        if let time = hold.flatMap(GuardMachine.moveDeadline) { return time }
        if case .stopping(let end)? = hold?.activity { return end }
        if case .stopping(let since) = activity { return since.advanced(bySeconds: blip) }
        return nil
    }
}
