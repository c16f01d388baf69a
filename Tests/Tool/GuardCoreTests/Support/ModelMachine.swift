import AudioModel

@testable import GuardCore

/// A machine with WirePlumber's rules, which carries out what the guard asks and reports as a server does.
///
/// Facts are delivered one by one, in the order in which a server tells them; `step` delivers one, so that scripts can do
/// something in between.
struct ModelMachine {
    struct Sink: Hashable {
        var name: String
        var kind: PortKind
        var priority: Int
        /// The ports of a card with a jack: the first available one is active.
        var hasJack = false
        var isPlugged = true
        /// The user has switched the card to its speaker, although the headphones are in.
        var isSwitched = false
        /// The speaker, as the card has it, and as the session manager remembers it.
        var isMuted = false
        var isRememberedAsMuted = false
        /// It does what it is told.
        var answers = true
        /// The session manager remembers a mute of the speaker also while that is unavailable.
        var isRemembered = true
        /// The session manager sets what it remembers when `finishSwitch` says so.
        var isSlow = false

        var isOnSpeaker: Bool { isSwitched || !isPlugged }
    }

    struct Stream: Hashable {
        var id: UInt64
        var program: Program
        var role: String?
        /// Its program plays.
        var isPlaying = true
        var isSilent = false
        var target: String?
        /// The claim of the guard whose holding sink is the target.
        var holder: UInt64?
        /// The same, of the ducking sink.
        var isDucked = false
        var linkTarget = ProgramStream.LinkTarget.nowhere

        var isHeld: Bool { holder != nil }
        var isGuards: Bool { isHeld || isDucked }
        mutating func free() { (holder, isDucked) = (nil, false) }
    }

    /// A guard, and what it has of the server.
    ///
    /// The server removes its claim and its sinks when it ends.
    private struct Guard {
        var claim: UInt64
        var machine: GuardMachine
        var handover: GuardHandover?
        var obeyed: Set<UInt64> = []
        /// What others have left is removed.
        var hasServer = false
        var wakeTime: HostTime?
    }

    /// A fact on its way to every guard, or to one of them.
    private struct Message {
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

    private var options: GuardOptions
    /// By their claims.
    private var guards: [Guard] = []
    private var nextClaim: UInt64 = 1
    /// What guards have asked for that do not have the server.
    private(set) var intrusions: [GuardCommand] = []
    private(set) var sinks: [Sink] = []
    private(set) var streams: [UInt64: Stream] = [:]
    private(set) var catchPriority: Int?
    private(set) var hasManager = true
    /// The server lets guards set no targets.
    var refusesTargets = false
    /// How many moves to a holding sink leave a link to the sink of before: the session manager has forgotten it.
    var linksToForget = 0
    /// The sinks to which streams have such a link.
    private(set) var strays: [UInt64: String] = [:]
    /// The output of the ducking sink; nil where there is none.
    private(set) var duckOutput: String?
    private(set) var decibels = 0.0
    /// How much lower each stream was heard, without repetition.
    private(set) var levels: [UInt64: [Double]] = [:]
    private(set) var focusClaim: FocusClaim?
    private(set) var log: [GuardReport] = []
    /// "pause mpv" and "resume mpv", as players are told.
    private(set) var players: [String] = []
    private(set) var commands: [GuardCommand] = []
    /// Where each stream has sounded, without repetition.
    private(set) var heard: [UInt64: [String]] = [:]
    var ranking = SinkRanking()
    var now = HostTime(nanoseconds: 1_000_000_000)
    /// The ports that a guard has written down as muted.
    private(set) var mutedPorts: Set<String>
    private var facts: [Message] = []
    private var lastOutputs: GuardOutputs?
    private var nextID: UInt64 = 1

    init(options: GuardOptions = GuardOptions(), muted: Set<String> = []) {
        self.options = options
        mutedPorts = muted
        startGuard()
        settle()
    }

    // MARK: Guards

    /// The guard that has the server.
    var guardMachine: GuardMachine { guards[ownerIndex].machine }
    private var ownerIndex: Int { guards.firstIndex { $0.handover == nil } ?? 0 }
    var guardCount: Int { guards.count }

    /// The server tells the new one of those before it, then of its own claim, and the others of the new one.
    mutating func startGuard(_ scope: GuardOptions.Scope? = nil) {
        var options = options
        options.scope = scope ?? options.scope
        let new = Guard(claim: nextClaim, machine: GuardMachine(options: options, patterns: .test))
        nextClaim += 1
        for old in guards {
            facts.append(Message(fact: .guardsChanged(.rivalChanged(rival(old))), claim: new.claim))
            facts.append(Message(fact: .guardsChanged(.rivalChanged(rival(new))), claim: old.claim))
        }
        guards.append(new)
        facts.append(Message(fact: .guardsChanged(.granted(serial: new.claim)), claim: new.claim))
    }

    /// The one of this place among those that live; the first has the server, and its sinks go with it.
    mutating func killGuard(_ index: Int) {
        let dead = guards.remove(at: index)
        for old in guards {
            facts.append(Message(fact: .guardsChanged(.rivalLeft(serial: dead.claim)), claim: old.claim))
        }
        if guards.isEmpty || index == 0 && dead.handover == nil {
            (catchPriority, duckOutput, decibels, focusClaim) = (nil, nil, 0, nil)
        }
        loseSinks()
    }

    /// The server ends the connection of the guard of this place, which connects again.
    ///
    /// - Parameter seconds: how long that takes.
    mutating func cutGuard(_ index: Int, awaySeconds seconds: Double = 0) {
        var cut = guards.remove(at: index)
        for old in guards {
            facts.append(Message(fact: .guardsChanged(.rivalLeft(serial: cut.claim)), claim: old.claim))
        }
        facts.removeAll { $0.claim == cut.claim }
        if guards.isEmpty || index == 0 && cut.handover == nil {
            (catchPriority, duckOutput, decibels, focusClaim) = (nil, nil, 0, nil)
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
            facts.append(Message(fact: .guardsChanged(.rivalChanged(rival(old))), claim: cut.claim))
            facts.append(Message(fact: .guardsChanged(.rivalChanged(rival(cut))), claim: old.claim))
        }
        facts.append(Message(fact: .serverNamed(1), claim: cut.claim))
        facts.append(Message(fact: .guardsChanged(.granted(serial: cut.claim)), claim: cut.claim))
    }

    /// Those that have handed over, or can no more, end.
    mutating func endGuardsThatLeave() {
        while let index = guards.firstIndex(where: { $0.handover != nil || $0.machine.hasHandedOver }), guards.count > 1
        {
            killGuard(index)
            settle()
        }
    }

    /// Streams that stood at a sink that has ended keep it as their target, until a guard removes that.
    private mutating func loseSinks() {
        for id in streams.keys where streams[id]?.isDucked == true && duckOutput == nil {
            streams[id]?.free()
            streams[id]?.target = nil
        }
        for guardian in guards where guardian.hasServer && guardian.handover == nil {
            removeLeftovers(of: guardian.claim, sparing: [])
        }
        serverChanged()
    }

    private mutating func removeLeftovers(of claim: UInt64, sparing sinks: [String]) {
        let spared = guards.map(\.claim).filter { $0 == claim || sinks.contains("hold.\($0)") || isLeaving($0) }
        for id in streams.keys {
            guard let holder = streams[id]?.holder, !spared.contains(holder) else { continue }
            streams[id]?.free()
            streams[id]?.target = nil
        }
    }

    private func isLeaving(_ claim: UInt64) -> Bool {
        guards.contains { $0.claim == claim && $0.hasServer && $0.handover != nil }
    }

    /// The target names a sink that is there.
    private func isAtAHold(_ stream: Stream?) -> Bool { guards.contains { $0.claim == stream?.holder } }

    /// Streams whose target names a sink of no guard.
    var orphans: [UInt64] { streams.values.filter { $0.isHeld && !isAtAHold($0) }.map(\.id).sorted() }

    /// All that stand still, also for an instant.
    var standingIDs: [UInt64] { guardMachine.standing.filter(\.hold.isParked).map(\.stream.id) }

    private func rival(_ guardian: Guard) -> GuardRival {
        GuardRival(
            serial: guardian.claim, name: "guard", processID: UInt32(guardian.claim),
            purpose: guardian.handover.map { .leaving($0) }
                ?? (guardian.machine.options.scope == .keeping ? .keeping : .guarding), obeyed: guardian.obeyed)
    }

    /// The guard of this claim says something else of itself.
    private mutating func tellRivals(of index: Int) {
        for other in guards where other.claim != guards[index].claim {
            facts.append(Message(fact: .guardsChanged(.rivalChanged(rival(guards[index]))), claim: other.claim))
        }
    }

    /// The guard that has the server is asked to hand over, and ends when the next one has what it held.
    ///
    /// - Returns: whether that happened.
    mutating func handOver(withinSeconds seconds: Double = 1) -> Bool {
        let claim = guards[ownerIndex].claim
        ask(.handoverRequested)
        wait(seconds: seconds)
        guard let index = guards.firstIndex(where: { $0.claim == claim }), guards[index].machine.hasHandedOver
        else { return false }
        killGuard(index)
        settle()
        return true
    }

    /// Before what is on its way: that is about changes.
    private mutating func tellEverything(to claim: UInt64) {
        var all: [Message] = []
        if let lastOutputs { all.append(Message(fact: .outputsChanged(lastOutputs), claim: claim)) }
        if !hasManager { all.append(Message(fact: .managerChanged(isPresent: false), claim: claim)) }
        for id in told.keys.sorted() {
            all.append(Message(fact: .streamChanged(told[id]!), claim: claim, holder: streams[id]?.holder))
        }
        facts.insert(contentsOf: all + [Message(fact: .settled, claim: claim)], at: 0)
    }

    // MARK: The machine's events

    mutating func plug(_ sink: Sink) {
        sinks.append(sink)
        serverChanged()
    }

    mutating func unplug(_ name: String) {
        sinks.removeAll { $0.name == name }
        for (id, stream) in streams where stream.linkTarget == .sink(name) { streams[id]?.linkTarget = .nowhere }
        strays = strays.filter { $0.value != name }
        serverChanged()
    }

    /// Some program has the server remove the catching sink.
    mutating func loseCatch() {
        catchPriority = nil
        serverChanged()
    }

    /// The same of the holding sink, whose place another one takes; meanwhile streams are at the default.
    mutating func loseHold() {
        for id in streams.keys.sorted() where streams[id]?.isHeld == true {
            let holder = streams[id]?.holder
            streams[id]?.holder = nil
            link(id)
            streams[id]?.holder = holder
        }
        facts.insert(Message(fact: .holdSinkLost, claim: guards[ownerIndex].claim), at: 0)
        serverChanged()
    }

    /// The targets of held streams are lifted by what another guard has asked for last.
    mutating func liftTargets(of ids: [UInt64]) {
        for id in ids { streams[id]?.free() }
        serverChanged()
    }

    /// Its user chooses an output in a mixer.
    mutating func choose(_ sink: String?) {
        ranking.configured = sink
        if let sink { ranking.stored = [sink] + ranking.stored.filter { $0 != sink } }
        serverChanged()
    }

    mutating func setJack(of name: String, isPlugged: Bool) {
        guard let index = sinks.firstIndex(where: { $0.name == name }) else { return }
        sinks[index].isPlugged = isPlugged
        sinks[index].isSwitched = false
        if sinks[index].isOnSpeaker { sinks[index].isMuted = sinks[index].isRememberedAsMuted }
        serverChanged()
    }

    /// A mixer, or the guard, switches a card; the session manager sets what it remembers, or remembers what was set.
    mutating func switchCard(
        _ name: String, toSpeaker isSwitched: Bool, isMuted: Bool? = nil, isRemembered: Bool = true
    ) {
        guard let index = sinks.firstIndex(where: { $0.name == name && $0.answers }) else { return }
        let wasOnSpeaker = sinks[index].isOnSpeaker
        sinks[index].isSwitched = isSwitched && sinks[index].isPlugged
        guard sinks[index].isOnSpeaker else { return serverChanged() }
        if let isMuted { sinks[index].isMuted = isMuted }
        serverChanged()
        if wasOnSpeaker {
            guard isRemembered, sinks[index].isRemembered || !sinks[index].isPlugged else { return }
            sinks[index].isRememberedAsMuted = sinks[index].isMuted
        } else if !sinks[index].isSlow {
            finishSwitch(name)
        }
    }

    /// The session manager sets what it remembers of the port that the card was switched to.
    mutating func finishSwitch(_ name: String) {
        guard let index = sinks.firstIndex(where: { $0.name == name }), sinks[index].isOnSpeaker else { return }
        sinks[index].isMuted = sinks[index].isRememberedAsMuted
        serverChanged()
    }

    @discardableResult
    mutating func play(
        _ program: Program, role: String? = nil, target: String? = nil, isPlaying: Bool = true, isSilent: Bool = false
    ) -> UInt64 {
        let id = nextID
        nextID += 1
        streams[id] = Stream(id: id, program: program, role: role, target: target)
        streams[id]?.isPlaying = isPlaying
        streams[id]?.isSilent = isSilent
        serverChanged()
        return id
    }

    mutating func setPlaying(_ isPlaying: Bool, _ id: UInt64) {
        streams[id]?.isPlaying = isPlaying
        tell(id)
    }

    mutating func setSilent(_ isSilent: Bool, _ id: UInt64) {
        streams[id]?.isSilent = isSilent
        tell(id)
    }

    mutating func end(_ id: UInt64) {
        (streams[id], told[id], strays[id]) = (nil, nil, nil)
        tell(.streamEnded(id))
        serverChanged()
    }

    /// A mixer moves a stream.
    mutating func move(_ id: UInt64, to sink: String?) {
        streams[id]?.target = sink
        streams[id]?.free()
        tell(id)
        serverChanged()
    }

    mutating func killManager() {
        hasManager = false
        for id in streams.keys {
            streams[id]?.linkTarget = .nowhere
            streams[id]?.target = nil
            streams[id]?.free()
        }
        tell(.managerChanged(isPresent: false))
        serverChanged()
    }

    mutating func startManager() {
        hasManager = true
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

    // MARK: What can be seen

    func linkTarget(_ id: UInt64) -> ProgramStream.LinkTarget? { streams[id]?.linkTarget }
    var newestID: UInt64 { nextID - 1 }
    var heldIDs: [UInt64] { guardMachine.held.map(\.stream.id) }

    /// Those of them that stand at the holding sink, or are on their way there.
    var parkedIDs: [UInt64] { guardMachine.held.filter(\.hold.isParked).map(\.stream.id) }

    /// Its user changes the configuration, which all guards read.
    mutating func configure(_ options: GuardOptions) {
        self.options = options
        for claim in guards.map(\.claim) { feed(.optionsChanged(options), to: claim) }
    }
    /// The sink that the session manager would choose without the guard.
    var realDefault: String? { best(among: sinks.map { ($0.name, score($0)) }) }
    var isQuiet: Bool { facts.isEmpty }

    var defaultSink: GuardOutputs.DefaultSink {
        var candidates = sinks.map { ($0.name, score($0)) }
        let isChosen = sinks.contains { $0.name == ranking.configured || ranking.stored.contains($0.name) }
        let prioritiesCount = ![.wirePlumber0511, .wirePlumber0518].contains(ranking.rules) || !isChosen
        if let catchPriority, prioritiesCount { candidates.append(("(catch)", catchPriority)) }
        guard hasManager, let name = best(among: candidates) else { return .none }
        return name == "(catch)" ? .catch : .sink(name)
    }

    // MARK: -

    private func best(among candidates: [(String, Int)]) -> String? {
        var best: (name: String, score: Int)?
        for (name, score) in candidates where score > best?.score ?? .min { best = (name, score) }
        return best?.name
    }

    private func score(_ sink: Sink) -> Int {
        let isConfigured = ranking.configured == sink.name
        let stored = ranking.stored.firstIndex(of: sink.name)
        return switch ranking.rules {
        case .wirePlumber04: sink.priority + (isConfigured ? 340_000 : stored.map { (16 - $0) * 20_000 } ?? 0)
        case .wirePlumber05, .wirePlumber0511:
            sink.priority + (isConfigured ? 30_000 : stored.map { 20_000 - $0 } ?? 0)
        case .wirePlumber0518: isConfigured ? sink.priority + 30_000 : stored.map { 20_000 - $0 } ?? sink.priority
        }
    }

    private var outputs: GuardOutputs {
        let outputs = sinks.flatMap { sink -> [GuardOutput] in
            func output(_ uid: String, _ kind: PortKind, isActive: Bool) -> GuardOutput {
                GuardOutput(
                    sink: sink.name, uid: uid, name: uid, kind: kind, isActive: isActive, priority: sink.priority)
            }
            guard sink.hasJack else { return [output(sink.name, sink.kind, isActive: true)] }
            let jack = output(sink.name + "/jack", .headphones, isActive: !sink.isOnSpeaker)
            let speaker = output(sink.name + "/speaker", .builtInSpeaker, isActive: sink.isOnSpeaker)
            return sink.isPlugged ? [jack, speaker] : [speaker]
        }
        let jacks = sinks.filter(\.hasJack).map { sink in
            let (jack, speaker) = (sink.name + "/jack", sink.name + "/speaker")
            return GuardJack(
                sink: sink.name,
                ports: [
                    .init(uid: jack, name: jack, kind: .headphones, isAvailable: sink.isPlugged),
                    .init(uid: speaker, name: speaker, kind: .builtInSpeaker, isAvailable: !sink.isPlugged),
                ], active: sink.isOnSpeaker ? speaker : jack, isMuted: sink.isOnSpeaker && sink.isMuted)
        }
        return GuardOutputs(
            outputs: outputs, defaultSink: defaultSink, ranking: ranking, jacks: jacks, hasCatch: catchPriority != nil)
    }

    /// The server tells of the sinks first, the session manager then names the default and moves the streams.
    private mutating func serverChanged() {
        var seen = outputs
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

    private mutating func tell(_ fact: GuardFact) { facts.append(Message(fact: fact)) }

    private mutating func link(_ id: UInt64) {
        guard hasManager, let stream = streams[id] else { return tell(id) }
        let linkTarget: ProgramStream.LinkTarget =
            if isAtAHold(stream) {
                .hold
            } else if stream.isDucked, duckOutput != nil {
                .duck
            } else if let target = stream.target, sinks.contains(where: { $0.name == target }) {
                .sink(target)
            } else {
                switch defaultSink {
                case .none: .nowhere
                case .catch: .catch
                case .sink(let name): .sink(name)
                }
            }
        streams[id]?.linkTarget = linkTarget
        tell(id)
    }

    private var told: [UInt64: ProgramStream] = [:]
    private var toldHolders: [UInt64: UInt64] = [:]

    private mutating func tell(_ id: UInt64) {
        guard var stream = streams[id] else { return }
        // It is where it can be heard.
        if let stray = strays[id] { stream.linkTarget = .sink(stray) }
        if stream.isPlaying, let name = output(of: stream) {
            let level = stream.linkTarget == .duck ? decibels : 0
            if levels[id]?.last != level { levels[id, default: []].append(level) }
            let sink = sinks.first { $0.name == name }
            let isOnSpeaker = sink?.isOnSpeaker == true
            let port = sink?.hasJack == true ? name + (isOnSpeaker ? "/speaker" : "/jack") : name
            let isAudible = !(isOnSpeaker && sink?.isMuted == true)
            if isAudible, heard[id]?.last != port { heard[id, default: []].append(port) }
        }
        let fact = ProgramStream(
            id: id, program: stream.program, role: stream.role,
            isRunning: stream.isPlaying && stream.linkTarget != .nowhere, isSilent: stream.isSilent,
            linkTarget: stream.linkTarget,
            chosenTarget: stream.isGuards ? nil : stream.target)
        guard told[id] != fact || toldHolders[id] != stream.holder else { return }
        told[id] = fact
        toldHolders[id] = stream.holder
        facts.append(Message(fact: .streamChanged(fact), holder: stream.holder))
    }

    /// The sink that it is heard on; the ducking sink's links end with their output.
    private func output(of stream: Stream) -> String? {
        switch stream.linkTarget {
        case .sink(let name): name
        case .duck: duckOutput.flatMap { name in sinks.contains { $0.name == name } ? name : nil }
        case .nowhere, .catch, .hold: nil
        case .role(let output): output
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
            case .holdersChanged: break
            case .adoptPlayer(let program): players.append("adopt \(program.name)")
            case .resumePlayer(let program): players.append("resume \(program.name)")
            }
        }
    }

    private mutating func cut(_ id: UInt64, _ cutsLinks: Bool) {
        let former = streams[id]?.linkTarget
        if cutsLinks {
            streams[id]?.linkTarget = .nowhere
            strays[id] = nil
        }
        if case .sink(let name)? = former { forgetLink(of: id, to: name) }
    }

    private mutating func forgetLink(of id: UInt64, to name: String) {
        guard linksToForget > 0, sinks.contains(where: { $0.name == name }) else { return }
        strays[id] = name
        linksToForget -= 1
    }

    private mutating func carryOut(_ command: GuardCommand, of index: Int) {
        commands.append(command)
        switch command {
        case .takeServer(let sinks):
            guards[index].hasServer = true
            removeLeftovers(of: guards[index].claim, sparing: sinks)
            tellEverything(to: guards[index].claim)
        case .setCatch(let priority):
            catchPriority = priority
            serverChanged()
        case .hold where refusesTargets: break
        case .hold(let id, let cutsLinks):
            streams[id]?.free()
            streams[id]?.holder = guards[index].claim
            cut(id, cutsLinks)
            serverChanged()
        case .cutStrays(let id):
            // The session manager makes another one, as long as it is to forget some.
            if isAtAHold(streams[id]), let name = strays.removeValue(forKey: id) { forgetLink(of: id, to: name) }
            serverChanged()
        case .duck(let id):
            streams[id]?.free()
            streams[id]?.isDucked = true
            serverChanged()
        case .openDuck(let output):
            duckOutput = output
            facts.append(Message(fact: .duckReady, claim: guards[index].claim))
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
            (catchPriority, duckOutput, decibels) = (nil, nil, 0)
            for id in streams.keys where streams[id]?.isDucked == true {
                streams[id]?.free()
                streams[id]?.target = nil
            }
            tellRivals(of: index)
            serverChanged()
        case .configureSink: break
        case .release(let id, let target):
            streams[id]?.free()
            streams[id]?.target = target
            serverChanged()
        case .switchPort(let uid, let isMuted, let isRemembered):
            let parts = uid.split(separator: "/")
            switchCard(String(parts[0]), toSpeaker: parts[1] == "speaker", isMuted: isMuted, isRemembered: isRemembered)
        case .wake(let time): guards[index].wakeTime = time
        }
    }
}

extension PatternLanguage {
    /// A pattern is a part of the text; "(" is none.
    static let test = PatternLanguage(
        fault: { $0.contains("(") ? "Unmatched (" : nil }, matches: { $1.contains($0) })
}

extension GuardConfiguration {
    /// With one rule for the program of this name.
    static func rule(_ program: String, _ actions: KeyValuePairs<String, String>) -> GuardOptions {
        func value(_ kind: ConfigurationValue.Kind) -> ConfigurationValue { ConfigurationValue(kind, line: 1) }
        func field(_ key: String, _ kind: ConfigurationValue.Kind) -> ConfigurationField {
            ConfigurationField(key: key, line: 1, value: value(kind))
        }
        let match = value(.table([field("application.name", .text(program))]))
        let change = field("update-props", .table(actions.map { field($0, .text($1)) }))
        let rule = value(.table([field("matches", .list([match])), field("actions", .table([change]))]))
        var configuration = GuardConfiguration()
        configuration.add("test.conf", [field("guard.programs.rules", .list([rule]))], .test)
        precondition(configuration.problems.isEmpty, "\(configuration.problems)")
        return configuration.options
    }
}

extension Program {
    static func test(_ name: String, _ process: UInt32) -> Program {
        Program(identity: .process(process), name: name, binary: name)
    }

    static let dictation = test("dictation", 9)
    static let mpv = test("mpv", 1)
    static let browser = test("firefox", 2)
    static let phone = test("linphone", 3)
    static let radio = test("radio", 4)
}

extension ModelMachine.Sink {
    static let speaker = Self(name: "speaker", kind: .builtInSpeaker, priority: 500)
    static let headphones = Self(name: "headphones", kind: .headphones, priority: 1500)
    static let card = Self(name: "card", kind: .headphones, priority: 1000, hasJack: true)
}
