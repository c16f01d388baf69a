internal import AudioModel

/// The guard's record of a stream.
struct StreamRecord: Hashable, Sendable {
    /// A shorter stop is no pause: a stream stops for a few milliseconds whenever it is moved, longer on a busy machine.
    static let blipSeconds = 0.5
    /// A stream that starts to run is heard after this time: programs and session managers set its volume as soon as it runs.
    static let soundSeconds = 0.1
    /// A stream that is on its way is moved back when it has arrived, or after this time.
    static let arrivalSeconds = 0.5

    enum Activity: Hashable, Sendable {
        /// Exit: runs -> `running`, and has begun.
        case stopped
        /// Exit: stops -> `stopping`.
        case running
        /// Exits: runs -> `running`; for `blipSeconds` -> `stopped`.
        case stopping(since: HostTime)
        /// It ended while it was held. Its program may have closed it when told to pause, and resumes when the hold ends.
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

    /// Where the guard has sent a stream, and when it is moved from there at the latest.
    struct Journey: Hashable, Sendable {
        var place: ProgramStream.LinkTarget
        var deadline: HostTime
    }

    var stream: ProgramStream
    /// The output on which it last sounded, also through the ducking sink or a role's loopback.
    var home: String?
    var activity = Activity.stopped
    /// When the stream last appeared or stopped.
    private(set) var stoodSince: HostTime
    var hold: Hold?
    var lowering = Lowering.none
    /// Its hold or its lowering has ended before it had arrived: it is moved back at the end of the journey.
    ///
    /// WirePlumber 0.5 can leave a stream without a link if its target is taken back while it is on its way (decision 107).
    var journeyBeforeReturn: Journey?
    /// The target that the user had chosen in a mixer before the guard set its own.
    var formerTarget: String?
    var policy = ProgramPolicy()
    /// The stream appeared after the guard, or its connection to the server, had started.
    let isArrival: Bool
    var hasBegunBefore = false
    /// When the running stream counts as begun, if it is audible then; nil if it has begun or does not run.
    private(set) var beginsAt: HostTime?
    /// When the guard last moved it back or released it: such a move stops and starts the stream.
    var releasedAt: HostTime?
    /// When the stream last started to run, also after a short stop.
    private(set) var startedAt = HostTime.zero
    private var audibleSince: HostTime?

    init(_ stream: ProgramStream, isArrival: Bool, at now: HostTime) {
        self.stream = stream
        self.isArrival = isArrival
        stoodSince = now
    }

    var isLowered: Bool { if case .lowered = lowering { true } else { false } }

    /// The stream's way to where the guard has sent it; nil if it is there, has taken too long, or was not sent.
    func journey(at now: HostTime) -> Journey? {
        if let journeyBeforeReturn { return journeyBeforeReturn }
        var start: (place: ProgramStream.LinkTarget, time: HostTime)?
        if case .moving(let since?, _)? = hold?.activity { start = (.hold, since) }
        if hold == nil, case .lowered(let since) = lowering { start = (.duck, since) }
        guard let start, stream.linkTarget != start.place else { return nil }
        let deadline = start.time.advanced(bySeconds: Self.arrivalSeconds)
        return now < deadline ? Journey(place: start.place, deadline: deadline) : nil
    }

    /// Whether it is time to move the stream back.
    func returns(at now: HostTime) -> Bool {
        journeyBeforeReturn.map { $0.place == stream.linkTarget || $0.deadline <= now } ?? false
    }

    /// Whether the stream plays, or would if the guard had moved it back by now.
    var isPlaying: Bool { stream.isRunning || journeyBeforeReturn != nil }

    /// Records whether the stream runs.
    ///
    /// A stream that is silent from its start has not begun. A stream that is muted after it was heard plays on.
    ///
    /// - Parameter isFirst: whether this is the first report of the stream, which may have played for long.
    mutating func noteSound(isFirst: Bool, at now: HostTime) {
        if activity == .stopped { audibleSince = nil }
        if note(isRunning: stream.isRunning, at: now) {
            beginsAt = isFirst ? now : now.advanced(bySeconds: Self.soundSeconds)
        }
        audibleSince = stream.isSilent ? nil : audibleSince ?? (activity == .running ? now : nil)
    }

    /// Since when the stream is heard, apart from short stops; nil if it is silent or does not run.
    var heardSince: HostTime? { isUnderWay ? audibleSince : nil }

    /// The stream runs, apart from short stops.
    var isUnderWay: Bool {
        switch activity {
        case .running, .stopping: true
        case .stopped, .ended: false
        }
    }

    /// When the stream begins, unless it is muted or stops before.
    var beginning: HostTime? { activity == .running && !stream.isSilent ? beginsAt : nil }

    mutating func noteBegun() { beginsAt = nil }

    /// - Returns: true if the stream runs again for a reason other than a move.
    private mutating func note(isRunning: Bool, at now: HostTime) -> Bool {
        switch (activity, isRunning) {
        case (.stopped, true):
            (activity, startedAt) = (.running, now)
            let isReleased = releasedAt.map { now.seconds(since: $0) < Self.blipSeconds } ?? false
            return !isReleased
        case (.running, false):
            activity = .stopping(since: now)
            stoodSince = now
        case (.stopping, true): (activity, startedAt) = (.running, now)
        case (.stopped, false), (.running, true), (.stopping, false), (.ended, _): break
        }
        return false
    }

    /// Whether the stream plays, or stopped so recently that the current event may be the cause.
    func sounded(within seconds: Double, of now: HostTime) -> Bool {
        switch activity {
        case .running: true
        case .stopping(let since): now.seconds(since: since) <= seconds
        case .stopped, .ended: false
        }
    }

    /// Whether the stream does not run, and appeared or stopped at most this many seconds ago.
    func hasStood(under seconds: Double, at now: HostTime) -> Bool {
        switch activity {
        case .stopped, .stopping: now.seconds(since: stoodSince) <= seconds
        case .running, .ended: false
        }
    }

    /// Whether the stream can be moved to the holding sink.
    func isHoldable(_ scene: HoldScene) -> Bool { isPausable(scene) && policy.action == .hold }

    /// Whether the stream can be moved to the holding sink, or its player can be paused.
    func isPausable(_ scene: HoldScene) -> Bool {
        guard stream.standing == .movable, scene.manager != .absent else { return false }
        // A user of a screen reader learns of the hold through it.
        let role = stream.role?.lowercased()
        if role == "accessibility" || role == "a11y" { return false }
        return policy.action != .leaveAlone
    }

    /// Whether the stream plays music or a film of another program, or is held already, when the newcomer begins.
    func makesWay(for newcomer: ProgramStream, _ scene: HoldScene) -> Bool {
        guard stream.program.identity != newcomer.program.identity, scene.effect(of: stream) == .plays else {
            return false
        }
        // Its output is still there and plays other streams. The stream stays audible until the session manager has moved it.
        return hold != nil || isPausable(scene) && isPlaying
    }

    /// When the next stage of its activity or of its hold's activity ends.
    var deadline: HostTime? {
        guard activity != .ended else { return nil }
        if let time = hold?.moveDeadline { return time }
        if case .stopping(let end)? = hold?.activity { return end }
        if case .stopping(let since) = activity { return since.advanced(bySeconds: Self.blipSeconds) }
        return nil
    }
}

extension ProgramStream {
    /// The output on which the stream plays, directly or through the ducking sink or a role's loopback.
    func sink(duckOutput: String?) -> String? {
        switch linkTarget {
        case .sink(let name): name
        case .role(let output): output
        case .duck: duckOutput
        case .nowhere, .catch, .hold: nil
        }
    }
}
