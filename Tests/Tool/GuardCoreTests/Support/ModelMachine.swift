import AudioModel

@testable import GuardCore

/// A machine with WirePlumber's rules, which carries out what the guard asks and reports as a server does.
///
/// Facts are delivered one by one, in the order in which a server tells them; `step` delivers one, so that scripts can do
/// something in between.
struct ModelMachine {
    private var options: GuardOptions
    /// By their claims.
    private(set) var guards: [ModelGuard] = []
    private var nextClaim: UInt64 = 1
    /// What guards have asked for that do not have the server.
    private(set) var intrusions: [GuardCommand] = []
    private(set) var system = ModelOutputs()
    private(set) var own = ModelStreams()
    var streams: [UInt64: Stream] { own.all }
    /// The server lets guards set no targets.
    var refusesTargets = false
    /// How many moves to a holding sink leave a link to the sink of before: the session manager has forgotten it.
    var linksToForget: Int {
        get { own.linksToForget }
        set { own.linksToForget = newValue }
    }
    /// The output of the ducking sink; nil where there is none.
    private(set) var duckOutput: String?
    private(set) var decibels = 0.0
    var ranking: SinkRanking {
        get { system.ranking }
        set { system.ranking = newValue }
    }
    private(set) var focusClaim: FocusClaim?
    private(set) var journeys = ModelJourneys()
    private(set) var log: [GuardReport] = []
    /// "pause mpv" and "resume mpv", as players are told.
    private(set) var players: [String] = []
    private(set) var commands: [GuardCommand] = []
    var now = HostTime(nanoseconds: 1_000_000_000)
    /// The ports that a guard has written down as muted.
    private(set) var mutedPorts: Set<String>
    private(set) var facts: [ModelMessage] = []
    private var lastOutputs: GuardOutputs?
    private(set) var nextID: UInt64 = 1

    init(options: GuardOptions = GuardOptions(), muted: Set<String> = []) {
        self.options = options
        mutedPorts = muted
        startGuard()
        settle()
    }

    // MARK: Guards

    /// The guard that has the server.
    var guardMachine: GuardMachine { guards[ownerIndex].machine }
    var ownerIndex: Int { guards.firstIndex { $0.handover == nil } ?? 0 }
    var guardCount: Int { guards.count }

    /// The server tells the new one of those before it, then of its own claim, and the others of the new one.
    mutating func startGuard(_ scope: GuardOptions.Scope? = nil) {
        var options = options
        options.scope = scope ?? options.scope
        let new = ModelGuard(claim: nextClaim, machine: GuardMachine(options: options, patterns: .test))
        nextClaim += 1
        for old in guards {
            facts.append(ModelMessage(fact: .guardsChanged(.rivalChanged(old.asRival)), claim: new.claim))
            facts.append(ModelMessage(fact: .guardsChanged(.rivalChanged(new.asRival)), claim: old.claim))
        }
        guards.append(new)
        facts.append(ModelMessage(fact: .guardsChanged(.granted(serial: new.claim)), claim: new.claim))
    }

    /// The one of this place among those that live; the first has the server, and its sinks go with it.
    mutating func killGuard(_ index: Int) {
        let dead = guards.remove(at: index)
        for old in guards {
            facts.append(ModelMessage(fact: .guardsChanged(.rivalLeft(serial: dead.claim)), claim: old.claim))
        }
        if guards.isEmpty || index == 0 && dead.handover == nil {
            (system.catchPriority, duckOutput, decibels, focusClaim) = (nil, nil, 0, nil)
        }
        loseSinks()
    }

    /// The server ends the connection of the guard of this place, which connects again.
    ///
    /// - Parameter seconds: how long that takes.
    mutating func cutGuard(_ index: Int, awaySeconds seconds: Double = 0) {
        var cut = guards.remove(at: index)
        for old in guards {
            facts.append(ModelMessage(fact: .guardsChanged(.rivalLeft(serial: cut.claim)), claim: old.claim))
        }
        facts.removeAll { $0.claim == cut.claim }
        if guards.isEmpty || index == 0 && cut.handover == nil {
            (system.catchPriority, duckOutput, decibels, focusClaim) = (nil, nil, 0, nil)
        }
        (cut.claim, cut.handover, cut.obeyed, cut.hasServer, cut.wakeTime) = (nextClaim, nil, [], false, nil)
        nextClaim += 1
        let others = guards
        guards.append(cut)
        feed(.fact(.connectionLost), to: cut.claim)
        loseSinks()
        if seconds > 0 {
            settle()
            now = now.advanced(bySeconds: seconds)
        }
        for old in others {
            facts.append(ModelMessage(fact: .guardsChanged(.rivalChanged(old.asRival)), claim: cut.claim))
            facts.append(ModelMessage(fact: .guardsChanged(.rivalChanged(cut.asRival)), claim: old.claim))
        }
        facts.append(ModelMessage(fact: .serverNamed(1), claim: cut.claim))
        facts.append(ModelMessage(fact: .guardsChanged(.granted(serial: cut.claim)), claim: cut.claim))
    }

    /// Streams that stood at a sink that has ended keep it as their target, until a guard removes that.
    private mutating func loseSinks() {
        for id in streams.keys where streams[id]?.isDucked == true && duckOutput == nil {
            own.all[id]?.free()
            own.all[id]?.target = nil
        }
        for guardian in guards where guardian.hasServer && guardian.handover == nil {
            removeLeftovers(of: guardian.claim, sparing: [])
        }
        serverChanged()
    }

    private mutating func removeLeftovers(of claim: UInt64, sparing sinks: [String]) {
        let spared = guards.filter {
            $0.claim == claim || sinks.contains("hold.\($0.claim)") || $0.hasServer && $0.handover != nil
        }.map(\.claim)
        for id in streams.keys {
            guard let holder = streams[id]?.holder, !spared.contains(holder) else { continue }
            own.all[id]?.free()
            own.all[id]?.target = nil
        }
    }

    /// The target names a sink that is there.
    func isAtAHold(_ stream: Stream?) -> Bool { guards.contains { $0.claim == stream?.holder } }

    /// The guard of this claim says something else of itself.
    private mutating func tellRivals(of index: Int) {
        for other in guards where other.claim != guards[index].claim {
            facts.append(ModelMessage(fact: .guardsChanged(.rivalChanged(guards[index].asRival)), claim: other.claim))
        }
    }

    /// Before what is on its way: that is about changes.
    private mutating func tellEverything(to claim: UInt64) {
        var all: [ModelMessage] = []
        if let lastOutputs { all.append(ModelMessage(fact: .outputsChanged(lastOutputs), claim: claim)) }
        if !hasManager { all.append(ModelMessage(fact: .managerChanged(isPresent: false), claim: claim)) }
        for id in own.told.keys.sorted() {
            all.append(ModelMessage(fact: .streamChanged(own.told[id]!), claim: claim, holder: streams[id]?.holder))
        }
        facts.insert(contentsOf: all + [ModelMessage(fact: .settled, claim: claim)], at: 0)
    }

    // MARK: The machine's events

    mutating func plug(_ sink: Sink) {
        system.sinks.append(sink)
        serverChanged()
    }

    mutating func unplug(_ name: String) {
        system.sinks.removeAll { $0.name == name }
        for (id, stream) in streams where stream.linkTarget == .sink(name) { own.all[id]?.linkTarget = .nowhere }
        own.strays = strays.filter { $0.value != name }
        serverChanged()
    }

    /// Some program has the server remove the catching sink.
    mutating func loseCatch() {
        system.catchPriority = nil
        serverChanged()
    }

    /// The same of the holding sink, whose place another one takes; meanwhile streams are at the default.
    mutating func loseHold() {
        for id in streams.keys.sorted() where streams[id]?.isHeld == true {
            let holder = streams[id]?.holder
            own.all[id]?.holder = nil
            link(id)
            own.all[id]?.holder = holder
        }
        facts.insert(ModelMessage(fact: .holdSinkLost, claim: guards[ownerIndex].claim), at: 0)
        serverChanged()
    }

    /// The targets of held streams are lifted by what another guard has asked for last.
    mutating func liftTargets(of ids: [UInt64]) {
        for id in ids { own.all[id]?.free() }
        serverChanged()
    }

    /// Its user chooses an output in a mixer.
    mutating func choose(_ sink: String?) {
        ranking.configured = sink
        if let sink { ranking.stored = [sink] + ranking.stored.filter { $0 != sink } }
        serverChanged()
    }

    mutating func setJack(of name: String, isPlugged: Bool) {
        if system.setJack(of: name, isPlugged: isPlugged) { serverChanged() }
    }

    /// A mixer, or the guard, switches a card; the session manager sets what it remembers, or remembers what was set.
    mutating func switchCard(
        _ name: String, toSpeaker isSwitched: Bool, isMuted: Bool? = nil, isRemembered: Bool = true
    ) {
        guard let index = sinks.firstIndex(where: { $0.name == name && $0.answers }) else { return }
        let wasOnSpeaker = sinks[index].isOnSpeaker
        system.sinks[index].isSwitched = isSwitched && sinks[index].isPlugged
        guard sinks[index].isOnSpeaker else { return serverChanged() }
        if let isMuted { system.sinks[index].isMuted = isMuted }
        serverChanged()
        if wasOnSpeaker {
            guard isRemembered, sinks[index].isRemembered || !sinks[index].isPlugged else { return }
            system.sinks[index].isRememberedAsMuted = sinks[index].isMuted
        } else if !sinks[index].isSlow {
            finishSwitch(name)
        }
    }

    /// The session manager sets what it remembers of the port that the card was switched to.
    mutating func finishSwitch(_ name: String) {
        if system.finishSwitch(name) { serverChanged() }
    }

    @discardableResult
    mutating func play(
        _ program: Program, role: String? = nil, target: String? = nil, isPlaying: Bool = true, isSilent: Bool = false
    ) -> UInt64 {
        let id = nextID
        nextID += 1
        own.all[id] = Stream(id: id, program: program, role: role, target: target)
        own.all[id]?.isPlaying = isPlaying
        own.all[id]?.isSilent = isSilent
        serverChanged()
        return id
    }

    mutating func setPlaying(_ isPlaying: Bool, _ id: UInt64) {
        own.all[id]?.isPlaying = isPlaying
        tell(id)
    }

    mutating func setSilent(_ isSilent: Bool, _ id: UInt64) {
        own.all[id]?.isSilent = isSilent
        tell(id)
    }

    mutating func end(_ id: UInt64) {
        own.end(id)
        tell(.streamEnded(id))
        serverChanged()
    }

    /// A mixer moves a stream.
    mutating func move(_ id: UInt64, to sink: String?) {
        own.all[id]?.target = sink
        own.all[id]?.free()
        tell(id)
        serverChanged()
    }

    mutating func killManager() {
        system.hasManager = false
        for id in streams.keys {
            own.all[id]?.linkTarget = .nowhere
            own.all[id]?.target = nil
            own.all[id]?.free()
        }
        tell(.managerChanged(isPresent: false))
        serverChanged()
    }

    mutating func startManager() {
        system.hasManager = true
        tell(.managerChanged(isPresent: true))
        serverChanged()
    }

    mutating func ask(_ event: GuardEvent) { feed(event, to: guards[ownerIndex].claim) }

    // MARK: Time

    /// Delivers the next fact; false where there is none.
    @discardableResult
    mutating func step() -> Bool {
        guard !facts.isEmpty else { return false }
        let message = facts.removeFirst()
        for claim in guards.map(\.claim) where message.claim ?? claim == claim {
            feed(.fact(message.fact(for: claim)), to: claim)
        }
        return true
    }

    /// Delivers everything that there is to tell.
    mutating func settle() { while step() {} }

    mutating func wait(seconds: Double) {
        settle()
        let end = now.advanced(bySeconds: seconds)
        while let index = guards.indices.min(by: { wakeTime($0) < wakeTime($1) }), wakeTime(index) <= end {
            now = max(now, wakeTime(index))
            guards[index].wakeTime = nil
            feed(.fact(.timeReached), to: guards[index].claim)
            settle()
        }
        now = end
    }

    private func wakeTime(_ index: Int) -> HostTime { guards[index].wakeTime ?? HostTime(nanoseconds: .max) }

    // MARK: Configuration

    /// Its user changes the configuration, which all guards read.
    mutating func configure(_ options: GuardOptions) {
        self.options = options
        for claim in guards.map(\.claim) { feed(.optionsChanged(options), to: claim) }
    }

    // MARK: -

    /// The server tells of the sinks first, the session manager then names the default and moves the streams.
    private mutating func serverChanged() {
        var seen = system.told
        let defaultSink = seen.defaultSink
        if let lastOutputs {
            seen.defaultSink = lastOutputs.defaultSink
            tell(seen)
        }
        seen.defaultSink = defaultSink
        tell(seen)
        for id in streams.keys.sorted() { link(id) }
        tell(.settled)
    }

    private mutating func tell(_ outputs: GuardOutputs) {
        guard outputs != lastOutputs else { return }
        lastOutputs = outputs
        tell(.outputsChanged(outputs))
    }

    private mutating func tell(_ fact: GuardFact) { facts.append(ModelMessage(fact: fact)) }

    private mutating func link(_ id: UInt64) {
        guard hasManager, let stream = streams[id] else { return tell(id) }
        let linkTarget: ProgramStream.LinkTarget =
            isAtAHold(stream)
            ? .hold : stream.isDucked && duckOutput != nil ? .duck : system.linkTarget(chosen: stream.target)
        own.all[id]?.linkTarget = linkTarget
        tell(id)
    }

    private mutating func tell(_ id: UInt64) {
        if let message = own.change(of: id, among: sinks, duckOutput: duckOutput, decibels: decibels) {
            facts.append(message)
        }
    }

    private mutating func feed(_ event: GuardEvent, to claim: UInt64) {
        guard let index = guards.firstIndex(where: { $0.claim == claim }) else { return }
        for effect in guards[index].machine.apply(event, at: now) {
            switch effect {
            case .host(let command):
                if index != ownerIndex { intrusions.append(command) }
                carryOut(command, of: index)
            case .readMutedPorts: feed(.mutedPortsRead(mutedPorts), to: claim)
            case .report(let report): log.append(report)
            case .pausePlayer(let program): players.append("pause \(program.name)")
            case .mutedPortsChanged(let ports): mutedPorts = ports
            case .holdersChanged, .primaryAudioChanged: break
            case .adoptPlayer(let program): players.append("adopt \(program.name)")
            case .resumePlayer(let program): players.append("resume \(program.name)")
            }
        }
    }

    private mutating func carryOut(_ command: GuardCommand, of index: Int) {
        commands.append(command)
        switch command {
        case .takeServer(let sinks):
            guards[index].hasServer = true
            removeLeftovers(of: guards[index].claim, sparing: sinks)
            tellEverything(to: guards[index].claim)
        case .setCatch(let priority):
            system.catchPriority = priority
            serverChanged()
        case .hold where refusesTargets: break
        case .hold(let id, let cutsLinks):
            if streams[id]?.holder != guards[index].claim { journeys.begin(id, at: now) }
            own.all[id]?.free()
            own.all[id]?.holder = guards[index].claim
            own.cut(id, cutsLinks, among: sinks)
            serverChanged()
        case .cutStrays(let id):
            // The session manager makes another one, as long as it is to forget some.
            if isAtAHold(streams[id]), let name = own.strays.removeValue(forKey: id) {
                own.forgetLink(of: id, to: name, among: sinks)
            }
            serverChanged()
        case .duck(let id):
            journeys.note(streams[id], movedBackBy: guards[index].machine, at: now)
            journeys.begin(id, at: now)
            own.all[id]?.free()
            own.all[id]?.isDucked = true
            serverChanged()
        case .openDuck(let output):
            duckOutput = output
            facts.append(ModelMessage(fact: .duckReady, claim: guards[index].claim))
        case .linkDuck(let output):
            duckOutput = output
            serverChanged()
        case .fadeDuck(let decibels, _):
            self.decibels = decibels
            for id in streams.keys.sorted() { tell(id) }
        case .closeDuck:
            (duckOutput, decibels) = (nil, 0)
            serverChanged()
        case .claimFocus(let claim): focusClaim = claim
        case .acknowledge(let claims):
            guard guards[index].obeyed != Set(claims) else { break }
            guards[index].obeyed = Set(claims)
            tellRivals(of: index)
        case .announceHandover(let holds):
            guards[index].handover = GuardHandover(sink: "hold.\(guards[index].claim)", holds: holds)
            (system.catchPriority, duckOutput, decibels) = (nil, nil, 0)
            for id in streams.keys where streams[id]?.isDucked == true {
                own.all[id]?.free()
                own.all[id]?.target = nil
            }
            tellRivals(of: index)
            serverChanged()
        case .configureSink, .giveMicrophone: break
        case .release(let id, let target):
            journeys.note(streams[id], movedBackBy: guards[index].machine, at: now)
            own.all[id]?.free()
            own.all[id]?.target = target
            serverChanged()
        case .switchPort(let uid, let isMuted, let isRemembered):
            let parts = uid.split(separator: "/")
            switchCard(String(parts[0]), toSpeaker: parts[1] == "speaker", isMuted: isMuted, isRemembered: isRemembered)
        case .wake(let time): guards[index].wakeTime = time
        }
    }
}
