package import AudioModel
package import HostInterface
package import Threading

/// Everything that the hosts of one simulated machine guard with their lock.
package struct MachineState: Sendable {
    package let rate: Int
    package var hardware: Hardware
    package var frame = 0
    package var quantum: Int
    package var serverIsUp = true
    package var sleep = SleepState.awake
    package var sleepCount = 0
    /// No stream renders before this frame.
    package var stalledUntil = 0
    /// How long it takes to open an item.
    package var openingFrames = 0
    /// How long the server takes for an activation, and for a deactivation.
    package var activationFrames = 0
    /// How many of them are under way.
    package var slowAnswers = 0
    /// Nothing more of an item's sound comes before this frame.
    package var itemsStalledUntil = 0
    /// The hardware as it was before a change of several parts, which is one change for the apps; nil outside of one.
    package var hardwareBeforeChange: Hardware?
    /// Headsets that another program has put into a profile, by device; it stays while no stream needs the other one.
    package var usedProfiles: [String: Headset.Profile] = [:]

    // The apps' side.
    package var apps: [AppState] = []
    /// One queue for all apps, so that they receive events in the order in which these happened.
    private(set) var outbox: [(app: AppID, event: HostEvent)] = []
    /// How many events `deliver` has returned from.
    package var deliveredCount = 0
    package var registry = ClaimRegistry()
    package var streams: [StreamKey: StreamState] = [:]
    /// The order in which the streams were opened, which is the order in which they render.
    package var streamOrder: [StreamKey] = []

    // Programs without a session.
    package var foreignStreams: [ForeignStream] = []
    package var lastForeignID: UInt64 = 0
    /// The foreign stream of the call that is on.
    package var callID: UInt64?

    // Which thread is in which call. Each is set and cleared by the thread that it names.
    package var advancer: ThreadID?
    /// Those that advance, but let one that waits for a slow server do it; the newest last.
    package var lenders: [ThreadID] = []
    package var timeMover: (any TimeMover)?
    package internal(set) var deliverer: (thread: ThreadID, app: AppID)?
    var renderer: (key: StreamKey, thread: ThreadID)?
    package var pacer: Pacer?

    // The record.
    package var recorder: (any OutputRecorder)?
    /// What the inputs pick up, by uid.
    package var inputSignals: [String: InputSignal] = [:]
    package var (inputsHaveOwnClock, inputsComeLate) = (false, false)
    private(set) var steps: [ScheduledStep] = []
    package private(set) var timeline: [TimelineEntry] = []
    package private(set) var violations: [String] = []
    /// The kinds of mistakes that are kept in `mistakes`, each mistake once.
    package var punished = 0
    package var mistakes: [(frame: Int, app: AppID, mistake: AppMistake)] = []
    /// When each port left that was there once.
    package var departures: [String: Int] = [:]
    /// Memory of closed streams, kept for a while to see whether a renderer still writes to it.
    package private(set) var retired: [(key: StreamKey, buffers: RenderBuffers)] = []

    init(machine: SimulatedMachine, rate: Int, quantum: Int) {
        self.rate = rate
        self.quantum = quantum
        hardware = Hardware(machine)
    }

    package subscript(app: AppID) -> AppState {
        get { apps[app.index] }
        _modify { yield &apps[app.index] }
    }

    /// The apps that receive events, in the order of their launch.
    package private(set) var connectedApps: [AppID] = []

    mutating func beginSession(of app: AppID, deliver: @escaping @Sendable (HostEvent) -> Void) {
        self[app].beginSession(deliver: deliver)
        connectedApps.insert(app, at: connectedApps.firstIndex { $0.index > app.index } ?? connectedApps.endIndex)
    }

    /// Returns the closure, to be released after the lock: a deinitialiser of what it holds may call the host.
    mutating func endSession(of app: AppID) -> (@Sendable (HostEvent) -> Void)? {
        connectedApps.removeAll { $0 == app }
        return self[app].endSession()
    }

    // MARK: The record

    package mutating func note(_ fact: TimelineFact) { timeline.append(TimelineEntry(frame, fact)) }

    package mutating func note(_ fact: TimelineFact, of app: AppID) {
        timeline.append(TimelineEntry(frame, app: self[app].name, fact))
    }

    /// Records a mistake of the script, or a breach of the contract; each text once, and a thousand at most.
    package mutating func object(_ text: String) {
        guard violations.count < 1000, !violations.contains(text) else { return }
        violations.append(text)
    }

    package mutating func object(_ text: String, to app: AppID) {
        object(self[app].name.isEmpty ? text : "\(self[app].name): \(text)")
    }

    package mutating func object(_ text: String, to key: StreamKey) {
        object("stream \(key.number): \(text)", to: key.app)
    }

    /// Records a violation if an app calls where the contract does not allow it.
    mutating func checkCaller(of call: String, by app: AppID) {
        let thread = ThreadID.current
        if deliverer?.thread == thread {
            object("\(call) was called from inside deliver; deliver may only enqueue the event and return", to: app)
        }
        if renderer?.thread == thread {
            object("\(call) was called from the renderer; only the session's thread may call the host", to: app)
        }
    }

    /// Puts a step behind those of the same frame: they run in the order in which they were added.
    package mutating func add(_ step: ScheduledStep) {
        steps.insert(step, at: steps.firstIndex { $0.frame > step.frame } ?? steps.endIndex)
    }

    mutating func takeDueStep() -> ScheduledStep? {
        guard let step = steps.first, step.frame <= frame else { return nil }
        return steps.removeFirst()
    }

    // MARK: Events

    /// Queues an event for one app; there is none to hear it before `start`, after `shutdown`, or when it was killed.
    package mutating func emit(_ event: HostEvent, to app: AppID) {
        guard self[app].deliver != nil, let detour = self[app].detour else { return enqueue(event, to: app) }
        detour.take(event, to: app, in: &self)
    }

    package mutating func enqueue(_ event: HostEvent, to app: AppID) {
        if self[app].deliver != nil { outbox.append((app, event)) }
    }

    /// Queues an event for every app, or for every app but one.
    package mutating func tellAll(_ event: HostEvent, except app: AppID? = nil) {
        for other in connectedApps where other != app { emit(event, to: other) }
    }

    /// The next event, with the closure that takes it.
    mutating func takeEvent() -> (app: AppID, deliver: @Sendable (HostEvent) -> Void, event: HostEvent)? {
        while !outbox.isEmpty {
            let (app, event) = outbox.removeFirst()
            if let deliver = self[app].deliver { return (app, deliver, event) }
        }
        return nil
    }

    mutating func dropEvents(for app: AppID) { outbox.removeAll { $0.app == app } }

    // MARK: Hardware

    /// Ends a change of the hardware: silences the streams whose port is gone before any app learns of it, then reports.
    package mutating func applyHardwareChange(since before: Hardware) {
        if hardwareBeforeChange != nil { return }
        var losses: [AppID: [PortLoss]] = [:]
        for key in streamOrder {
            guard let stream = streams[key], stream.isGateOpen else { continue }
            let lost = stream.links.lazy.compactMap { [hardware] in
                hardware.lostPortUID(linkedTo: $0, stream.configuration.direction, since: before)
            }
            // A stream that does not run waits for its headset to return to the profile of its port.
            guard let lostUID = lost.first, stream.isRunning || !hardware.isDormant(lostUID) else { continue }
            closeGate(key)
            losses[key.app, default: []].append(PortLoss(key.id, portUID: lostUID))
        }
        let (old, new) = (before.inventory, hardware.inventory)
        guard old != new || !losses.isEmpty else { return }
        for port in old.ports where new.port(uid: port.uid) == nil { departures[port.uid] = frame }
        if old.defaultOutputUID != new.defaultOutputUID { note(.defaultOutputChanged(new.defaultOutputUID)) }
        if old.defaultInputUID != new.defaultInputUID { note(.defaultInputChanged(new.defaultInputUID)) }
        recorder?.follow(new.outputs, from: frame)
        guard serverIsUp else { return }
        for app in connectedApps { emit(.inventoryChanged(new, losses: losses[app] ?? []), to: app) }
    }

    /// A headset takes the profile of the stream that began to run last, and A2DP when none runs on HFP.
    mutating func changeProfiles() {
        for headset in hardware.headsets {
            let used = streams.values.filter(\.isRunning).flatMap(\.links).compactMap(headset.profile(ofPort:))
            let resting = hardware.device(uid: headset.a2dpOutputUID).flatMap { usedProfiles[$0.uid] } ?? .a2dp
            guard let profile = used.first(where: { $0 != headset.profile }) ?? (used.isEmpty ? resting : nil),
                profile != headset.profile
            else { continue }
            let before = hardware
            hardware.setProfile(profile, ofHeadsetWith: headset.a2dpOutputUID)
            applyHardwareChange(since: before)
        }
    }

    // MARK: Memory

    /// Keeps the memory of a closed stream, so that a write to it is found.
    mutating func retire(_ buffers: RenderBuffers, of key: StreamKey) {
        retired.append((key, buffers))
        if retired.count > 16 { retired.removeFirst() }
    }
}

/// Names one app of a simulated machine: its place in `MachineState.apps`, which is never used again.
package struct AppID: Hashable, Sendable {
    package let index: Int
}

/// Names one stream among all apps' streams; each app counts its own from 1.
package struct StreamKey: Hashable, Sendable {
    package let app: AppID
    package let id: StreamID

    package init(app: AppID, id: StreamID) { (self.app, self.id) = (app, id) }

    package var number: UInt64 { id.number }
}

/// A step of a scenario that waits for its frame.
package struct ScheduledStep: Sendable {
    let frame: Int
    /// Whose host the step gets: the one through which it was scheduled.
    package let app: AppID
    let action: @Sendable (SimulatedHost) -> Void

    package init(frame: Int, app: AppID, action: @escaping @Sendable (SimulatedHost) -> Void) {
        (self.frame, self.app, self.action) = (frame, app, action)
    }
}

/// Whether the machine is awake.
package enum SleepState: Sendable {
    /// Legal exits: announced.
    case awake
    /// The apps are asked to be silent; the number tells one announcement from the next.
    ///
    /// Legal exits: asleep (the last app allowed it or left, or time is up), awake (it was called off).
    case announced(number: Int, awaiting: Set<AppID>)
    /// Nothing renders and no timer fires.
    ///
    /// Legal exits: awake.
    case asleep

    package var isAsleep: Bool { if case .asleep = self { true } else { false } }
}

/// The machine behind the hosts of all its apps; it lives as long as one of them.
package final class SharedMachine: Sendable {
    /// Threads wait on it until another has left the renderer, `deliver` or `advance`.
    package let state: Monitor<MachineState>

    init(_ state: MachineState) { self.state = Monitor(state) }

    deinit { state.withLock { $0.pacer }?.requestStop() }
}

extension MachineState {
    package mutating func closeGate(_ key: StreamKey) {
        guard streams[key]?.isGateOpen == true else { return }
        streams[key]?.links = []
        streams[key]?.generation += 1
        note(.streamGated(key.id), of: key.app)
    }

    /// Returns what the stream held, to be released after the lock: a deinitialiser of it may call the host.
    mutating func close(_ key: StreamKey) -> StreamState? {
        guard streams[key] != nil else { return nil }
        closeGate(key)
        if let buffers = streams[key]?.buffers { retire(buffers, of: key) }
        streamOrder.removeAll { $0 == key }
        note(.streamClosed(key.id), of: key.app)
        return streams.removeValue(forKey: key)
    }

    package func streams(of app: AppID) -> [StreamKey] { streamOrder.filter { $0.app == app } }
}

/// What the machine knows of one stream that is not closed yet.
package struct StreamState: Sendable {
    let configuration: StreamConfiguration
    package let clock: StreamClock
    package var isRunning = false
    /// Something outside of its process keeps it from playing.
    package var isHeld = false
    /// Set by a crash or a failure; nothing but `close` works from then on.
    package var failure: HostError?
    /// Port uids in channel order; empty while the gate is closed.
    package var links: [String] = []
    /// The sum of the linked ports' channels; stays while the gate is closed.
    var channelCount = 0
    /// Changes whenever what was rendered before must not be heard any more.
    var generation = 0
    /// Made and replaced by the thread that advances.
    package var buffers: RenderBuffers?
    /// The generation that `buffers` was last used for.
    var bufferGeneration = -1
    /// The same of an input stream, which has no other.
    var inputBuffers: InputBuffers?

    package var isGateOpen: Bool { !links.isEmpty }
    /// Whether peers see it as playing; it may play silence.
    var isPlaying: Bool { isRunning && isGateOpen && configuration.direction == .output }
}

/// Records what reaches the output ports.
package protocol OutputRecorder: Sendable {
    /// Begins to record the ports that are not recorded yet, or had another number of channels.
    mutating func follow(_ outputs: [Port], from frame: Int)
    /// Adds what one stream has rendered to its ports.
    mutating func add(_ part: RenderedCycle, of stream: StreamState, hardware: Hardware, in cycle: Range<Int>)
}

/// Takes the events of an app that are to be delivered in another way than at once.
package protocol EventDetour: Sendable {
    /// - Parameter machine: `enqueue` delivers an event.
    func take(_ event: HostEvent, to app: AppID, in machine: inout MachineState)
}

/// What the machine knows of one app, besides its streams and its claims in the claim registry.
package struct AppState: Sendable {
    /// What its peers see.
    package let name: String
    /// Non-nil from `start` to `shutdown`: the app hears events.
    var deliver: (@Sendable (HostEvent) -> Void)?
    /// Its process is gone: it hears nothing, and what it calls does nothing.
    package var isKilled = false
    /// It may not record: its inputs are silent.
    package var hearsNothing = false

    var usedStreamIDs: Set<StreamID> = []
    var usedClaimIDs: Set<ClaimID> = []
    /// Refused, or lost with the connection: the session may release them or not.
    package var voidClaims: Set<ClaimID> = []
    /// Asked for by `wake(at:)`, earliest first.
    private(set) var timers: [HostTime] = []

    /// How many announcements of sleep it has not answered yet, those that were called off too.
    package var sleepsToAllow = 0
    /// Since when it is to be silent, as a frame of virtual time; nil while no sleep is near.
    package var allowedSleepAtFrame: Int?

    // Faults that a test causes.
    package var detour: (any EventDetour)?
    /// What `detour` keeps back until the instant is over.
    package var heldEvents: [HostEvent] = []
    package var nextClaimError: HostError?
    package var nextLinkError: HostError?
    package var nextOpenError: HostError?

    init(name: String) { self.name = name }

    mutating func addTimer(_ time: HostTime) {
        timers.insert(time, at: timers.firstIndex { time < $0 } ?? timers.endIndex)
    }

    mutating func takeTimer(dueAt now: HostTime) -> HostTime? {
        guard let first = timers.first, first <= now else { return nil }
        return timers.removeFirst()
    }

    package mutating func clearTimers() { timers = [] }

    /// A session's ids are its own; a new session of the same app may begin at 1 again.
    fileprivate mutating func beginSession(deliver: @escaping @Sendable (HostEvent) -> Void) {
        self.deliver = deliver
        usedStreamIDs = []
        usedClaimIDs = []
        voidClaims = []
    }

    fileprivate mutating func endSession() -> (@Sendable (HostEvent) -> Void)? {
        defer { deliver = nil }
        timers = []
        sleepsToAllow = 0
        allowedSleepAtFrame = nil
        return deliver
    }
}
