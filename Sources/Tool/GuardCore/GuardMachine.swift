package import AudioModel

/// Decides which streams of other programs are held.
///
/// Pure value: no server, no clock, no thread. Time is an argument; effects must be carried out in their order.
package struct GuardMachine: Sendable {
    /// A shorter stop is no pause: a stream stops for a few milliseconds whenever it is moved, longer on a busy machine.
    static let blipSeconds = 0.5
    /// A stream that starts to run is heard after this time: programs and session managers set its volume as soon as it runs.
    static let soundSeconds = 0.1
    /// A stream that stopped at most this long before its output left was stopped by the loss.
    static let lossSeconds = 0.2
    /// Programs that notice a loss open a new stream by themselves within this time.
    static let reopenSeconds = 1.0
    /// If a stream appeared or stopped at most this long before its output left, or starts at most this long after that, its user
    /// had not paused it: it was about to play, or waited for more data.
    static let idleSeconds = 2.0

    package private(set) var options: GuardOptions
    private let patterns: PatternLanguage
    /// The guard creates no sink of its own.
    let isDryRun: Bool
    var claims = GuardClaims()
    var outputs = GuardOutputs()
    var streams: [UInt64: StreamRecord] = [:]
    var catching = Catching()
    /// The lost outputs, by uid.
    var losses: [String: Loss] = [:]
    var manager = ManagerState.present
    var arming = JackArming()
    var focus = FocusHolders()
    var ducking = Ducking()
    var recordings = Recordings()
    var focusClaim: FocusClaim?
    var takeover: GuardTakeover?
    /// The holds from before the connection ended; nil once each of them is resolved.
    var severed: SeveredHolds?
    /// The server's name for its lifetime; nil before the server has sent it.
    var server: UInt32?
    /// A stream was taken over or is held again, and the reasons for its hold may have ended meanwhile.
    var hasUncheckedHolds = false
    /// Until this time, the end of another guard may move streams that this guard holds; nil if no guard has ended.
    var contestedUntil: HostTime?
    /// The programs whose players show a pause because of this guard or the previous one.
    var pausedPlayers: Set<Program.Identity> = []
    var life = Life.guarding
    var nextOrder = 0
    private var wakeTime: HostTime?
    /// Another program owns the name of the focus service.
    private var lacksFocusName = false
    var hasSettled = false
    var effects: [GuardEffect] = []
    var now = HostTime.zero

    enum Life: Hashable, Sendable {
        /// Exits: it is asked to end -> `ending`; it is asked to hand over, or it keeps and a guard comes -> `leaving`.
        case guarding
        /// It unmutes what it has muted, and releases its holds.
        case ending
        /// It has announced its holds and changes nothing. Exits: the next guard has them, or the connection ends -> `left`; it is
        /// asked to end -> `ending`.
        case leaving
        /// Its holds belong to the next guard.
        case left
    }

    enum ManagerState: Hashable, Sendable { case present, absent, returning }

    struct Loss: Hashable, Sendable {
        var time: HostTime
        /// The output before it left; nil if an earlier guard saw it leave.
        var output: GuardOutput?
    }

    package init(
        options: GuardOptions = GuardOptions(), patterns: PatternLanguage = .none, isDryRun: Bool = false
    ) {
        self.options = options
        self.patterns = patterns
        self.isDryRun = isDryRun
    }

    package mutating func apply(_ event: GuardEvent, at time: HostTime) -> [GuardEffect] {
        now = time
        effects = []
        applyToSevered(event)
        let part = self.part
        guard event.isAnswered(in: part) else { return part == .leaving || part == .left ? [] : effects }
        answer(event, in: part)
        if event.isFollowedByTime(in: part), claims.isOwner || isEnding { letTimePass() }
        return effects
    }

    private var part: GuardPart {
        switch life {
        case .guarding, .ending: claims.isOwner ? .owning : .waiting
        case .leaving: .leaving
        case .left: .left
        }
    }

    private mutating func answer(_ event: GuardEvent, in part: GuardPart) {
        switch event {
        case .fact(let fact): answer(fact)
        case .focusNameChanged(let owner): noteFocusName(owner)
        case .endRequested: if life != .left { life = .ending }
        case .handoverRequested: beginHandover()
        case .optionsChanged(let new): if part == .owning { change(new) } else { options = new }
        case .playerStarted(let identity):
            pausedPlayers.remove(identity)
            release(.playedByUser) { $0.program.identity == identity }
        case .playerPaused(let identity): pausedPlayers.insert(identity)
        case .mutedPortsRead(let ports): arming.muted = ports
        case .releaseRequested(let word):
            for (stream, hold) in waiting where word.map(stream.program.answers) ?? true {
                release(stream.id, isEnding ? .guardEnds(isHeard: isHeard(after: hold)) : .requested)
            }
            if isEnding { for id in orderedIDs { raise(id) } }
        }
    }

    private mutating func answer(_ fact: GuardFact) {
        switch fact {
        case .guardsChanged(let change): apply(change)
        case .serverNamed(let name): note(server: name)
        case .connectionLost: disconnect()
        case .outputsChanged(let outputs): change(outputs)
        case .surroundingsChanged: break
        case .streamChanged(let stream): change(stream)
        case .streamEnded(let id): end(id)
        case .settled: applySettled()
        case .managerChanged(let isPresent): changeManager(isPresent)
        case .timeReached: wakeTime = nil
        case .holderChanged(let holder): changeFocus(holder)
        case .holderLeft(let id): endFocus(id)
        case .captureChanged(let stream): change(stream)
        case .captureEnded(let id): endRecording(id)
        case .holdSinkLost: holdAgain(cutsLinks: true)
        case .duckReady: ducking.noteReady(at: now)
        case .descriptorsRanOut: letGo()
        }
    }

    /// Does what is due by now, and asks to be woken for what is due later.
    private mutating func letTimePass() {
        letHoldsPass()
        advanceTakeover()
        // The takeover may have ended in a handover.
        guard life != .leaving else { return }
        advanceArming()
        advanceDucking()
        advanceFocusClaim()
        schedule()
    }

    private mutating func noteFocusName(_ owner: String?) {
        guard let owner else {
            if lacksFocusName { effects.append(.report(GuardReport(.focusNameReturned, name: ""))) }
            return lacksFocusName = false
        }
        lacksFocusName = true
        effects.append(.report(GuardReport(.focusNameTaken, name: owner)))
    }

    /// Releases all holds while the connection still works: a hold that outlasts the connection is lost.
    private mutating func letGo() {
        effects.append(.report(GuardReport(.descriptorsRanOut, name: "")))
        for (stream, hold) in waiting { release(stream.id, .descriptorsRanOut(isHeard: isHeard(after: hold))) }
    }

    /// The other guard that owns the server; nil if this guard owns it, or if the owner is unknown.
    package var rival: GuardRival? { claims.awaited }

    /// The guard for which this guard must not wait; nil if there is none.
    package var takenBy: GuardRival? {
        switch options.scope {
        // A guard that keeps holds or serves the focus makes room for the first waiting guard.
        case .everything: claims.predecessor
        case .focus: rival
        case .keeping: nil
        }
    }

    /// The guard unmutes what it has muted.
    package var isEnding: Bool { life == .ending }

    /// The next guard has this guard's holds.
    package var hasHandedOver: Bool { life == .left }

    /// Why this guard can do nothing any more: the server's text about its claim, untrusted.
    package var claimFailure: String? { claims.failure }

    /// Whether everything that existed at the beginning was reported.
    package var knowsServer: Bool { hasSettled }

    /// The held streams, in the order in which they were held; without brief holds.
    package var held: [(stream: ProgramStream, hold: Hold)] { standing.filter { !$0.hold.isBrief } }

    /// Whether a speaker is still muted that the guard must unmute before it ends.
    package var mutesPorts: Bool { arming.hasWork(outputs.jacks) }

    /// The ports that are muted until their headphones are unplugged.
    package var armedPorts: [GuardJack.Port] { arming.armed(outputs.jacks) }

    /// Whether a session manager runs; without one, no stream can be held.
    package var hasManager: Bool { manager != .absent }

    /// All focus holders, in the order in which they came.
    package var holders: [FocusHolder] { focus.all }

    var standing: [(stream: ProgramStream, hold: Hold)] {
        waiting.filter { streams[$0.stream.id]?.activity != .ended }
    }

    /// As `standing`, with the streams that ended while they were held.
    var waiting: [(stream: ProgramStream, hold: Hold)] {
        streams.values.compactMap { record in record.hold.map { (record.stream, $0) } }
            .sorted { $0.hold.order < $1.hold.order }
    }

    /// Whether the default output's sound is caught when the output leaves, and the reason if not.
    package var watch: Watch { hasSettled && manager != .absent ? catching.watch(catchScene) : .notNeeded }

    /// Whether programs would stay silent if the guard hung now.
    package var needsWatching: Bool {
        if !standing.isEmpty || ducking.isOpen { return true }
        guard catching.phase != .none, !catching.isMistaken else { return false }
        return streams.values.contains { $0.activity != .stopped && $0.activity != .ended }
    }

    // MARK: Other guards

    private mutating func apply(_ change: GuardClaimChange) {
        let (wasOwner, old) = (claims.isOwner, rival)
        if case .failed = change {
            // Another guard may own the server from now on, and the holding sink that the streams' targets name ends.
            for (stream, hold) in waiting { release(stream.id, .guardEnds(isHeard: isHeard(after: hold))) }
            for id in orderedIDs { raise(id) }
            forgetSevered(.guardEnds(isHeard: true))
            reset()
        }
        claims.apply(change)
        if case .rivalLeft = change { noteContest() }
        if case .granted = change { noteGrant() }
        if case .failed(let text) = change { effects.append(.report(GuardReport(.claimFailed(text), name: ""))) }
        if life == .leaving, claims.isSucceeded { leave() }
        keepForSuccessor()
        if let rival, rival.serial != old?.serial, rival.purpose != .keeping, options.scope != .keeping {
            effects.append(.report(GuardReport(.waiting(rival), name: rival.name)))
        }
        guard claims.isOwner, !wasOwner, life != .left else { return }
        noteOwnership(isFirst: old == nil)
        if old != nil { effects.append(.report(GuardReport(.tookOver, name: ""))) }
        effects.append(.readMutedPorts)
        takeover = GuardTakeover(claims.leaving, at: now)
        if takeover != nil { noteContest() }
        command(.takeServer(sparing: takeover?.sinks ?? []))
    }

    // MARK: Outputs

    mutating func change(_ new: GuardOutputs) {
        let old = outputs
        outputs = new
        if new.isCatchChosen, !old.isCatchChosen {
            // Restores the choice that was configured before.
            command(.configureSink(new.ranking.configured))
            effects.append(.report(GuardReport(.choiceRestored, name: "")))
        }
        if Set(old.outputs) != Set(new.outputs) || old.ranking != new.ranking { catching.noteNewOutputs() }
        let available = Set(new.outputs.map(\.uid))
        // A guard that serves only the focus handles no new losses; a taken-over hold still ends when its output is back.
        let losses = options.scope == .focus ? [] : old.outputs
        for output in losses where output.isActive && isGuarded(output) && !available.contains(output.uid) {
            lose(output)
            if old.defaultSink == .sink(output.sink) || old.defaultSink == .catch { catching.noteLoss(at: now) }
        }
        for output in new.outputs where !old.outputs.contains(where: { $0.uid == output.uid }) { arrive(output.uid) }
        resumeReturned()
    }

    /// Holds every stream that sounded on the output; only then may the default move to another output.
    private mutating func lose(_ output: GuardOutput) {
        losses[output.uid] = Loss(time: now, output: output)
        let isSinkThere = outputs.outputs.contains { $0.sink == output.sink }
        let reason = Hold.Reason.lost(uid: output.uid, name: output.name)
        for id in orderedIDs {
            guard let record = streams[id], record.home == output.sink else { continue }
            if let hold = record.hold {
                add(reason, to: id)
                // The stream's output is gone now, so the stream may be moved.
                if hold.isHeard { command(.hold(stream: id, cutsLinks: isSinkThere)) }
            } else if isPausable(record.stream), record.sounded(within: Self.lossSeconds, of: now) {
                // The ducking sink still exists and passes its sound to the next output as soon as there is one.
                hold(id, because: reason, cutsLinks: isSinkThere || record.isLowered)
            } else if isHoldable(record.stream), record.hasStood(under: Self.idleSeconds, at: now) {
                hold(id, because: .idle(uid: output.uid, name: output.name), cutsLinks: isSinkThere)
            }
        }
    }

    mutating func arrive(_ uid: String) {
        guard let loss = losses[uid] else { return }
        if case .resume(let seconds) = onReturn(uid), now.seconds(since: loss.time) <= seconds { return }
        // The output returned too late, or the options forbid a resume: the stream stays held until its user acts.
        losses[uid] = nil
        for (stream, hold) in waiting {
            for case .lost(uid, let name) in hold.reasons {
                streams[stream.id]?.hold?.reasons.removeAll { $0 == .lost(uid: uid, name: name) }
                streams[stream.id]?.hold?.reasons.append(.returnedLate(uid: uid, name: name))
                report(.returnedLate(output: name), stream.program)
            }
        }
    }

    /// What happens when the output is back, by the current rules.
    private func onReturn(_ uid: String) -> GuardOptions.OnReturn {
        let output = outputs.outputs.first { $0.uid == uid } ?? losses[uid]?.output
        return output.map { options.policy(of: $0, patterns).onReturn } ?? options.onReturn
    }

    /// Whether streams that sound on the output are held when it leaves.
    private func isGuarded(_ output: GuardOutput) -> Bool { options.policy(of: output, patterns).onLoss == .hold }

    /// Ends the holds whose output has returned and is where the stream would play.
    mutating func resumeReturned() {
        for (stream, hold) in waiting {
            let back = hold.reasons.filter { reason in
                guard case .lost(let uid, _) = reason, losses[uid] != nil else { return false }
                return outputs.outputs.contains { output in
                    output.uid == uid && output.isActive
                        && (outputs.defaultSink == .sink(output.sink)
                            || streams[stream.id]?.formerTarget == output.sink)
                }
            }
            for reason in back { drop(reason, of: stream.id, .outputReturned) }
        }
        for output in outputs.outputs where output.isActive && outputs.defaultSink == .sink(output.sink) {
            losses[output.uid] = nil
        }
    }

    private mutating func applySettled() {
        if !hasSettled {
            hasSettled = true
            takeover?.forgetUntold()
            forgetSevered()
            for holder in focus.all { obey(holder) }
            keepForSuccessor()
            guard life == .guarding else { return }
        }
        if hasUncheckedHolds {
            hasUncheckedHolds = false
            dropStaleReasons()
        }
        if manager == .returning {
            manager = .present
            effects.append(.report(GuardReport(.managerCame, name: "")))
            // The new manager's metadata is empty: streams must be held again before the bridging sink ends.
            holdAgain(cutsLinks: false)
            if let step = catching.noteManagerCame() { command(step) }
        }
        settleCatch()
    }

    private mutating func settleCatch() {
        guard hasSettled, manager == .present, arming.emptied == nil else { return }
        if let step = catching.settle(catchScene) { command(step) }
    }

    private var catchScene: Catching.Scene {
        var target = Catching.Target.notNeeded
        if options.scope != .focus, case .sink(let name) = outputs.defaultSink,
            outputs.outputs.contains(where: { $0.sink == name && $0.isActive && isGuarded($0) })
        {
            target = CatchPriority.priority(for: outputs).map { .priority($0) } ?? .noRoom
        }
        return Catching.Scene(
            target: target, isDefault: outputs.defaultSink == .catch, isThere: outputs.hasCatch || isDryRun, now: now)
    }

    private mutating func changeManager(_ isPresent: Bool) {
        guard !isPresent else {
            if manager == .absent { manager = .returning }
            return
        }
        if manager == .present, hasSettled { effects.append(.report(GuardReport(.managerLeft, name: ""))) }
        manager = .absent
        if let step = catching.noteManagerLeft(isHolding: !standing.isEmpty) { command(step) }
    }

    /// Forgets everything about the server.
    mutating func reset() {
        claims = GuardClaims()
        streams = [:]
        outputs = GuardOutputs()
        catching = Catching()
        manager = .present
        losses = [:]
        hasSettled = false
        arming.reset()
        let holders = focus.all
        focus.removeServers()
        if focus.all != holders { effects.append(.holdersChanged(focus.all)) }
        ducking = Ducking()
        recordings = Recordings()
        focusClaim = nil
        takeover = nil
        hasUncheckedHolds = false
        contestedUntil = nil
    }

    // MARK: Streams

    mutating func change(_ stream: ProgramStream) {
        let isNew = streams[stream.id] == nil
        var record = streams[stream.id] ?? StreamRecord(stream, order: nextOrder, isArrival: hasSettled, at: now)
        if isNew { nextOrder += 1 }
        let before = record.stream
        record.stream = stream
        if isNew || before.program != stream.program || before.role != stream.role {
            record.policy = policy(of: stream.program, role: stream.role)
        }
        if let sink = sink(of: stream) { record.home = sink }
        record.noteSound(isFirst: isNew, at: now, blip: Self.blipSeconds)
        streams[stream.id] = record
        let isParked = isHoldable(stream)
        if isNew, let kept = takeover?.drain(stream, isParked: isParked) { adopt(kept, stream) }
        if isNew { regain(stream) }
        if isNew, record.isArrival, let reason = lossOfProgram(stream) {
            hold(stream.id, because: reason, cutsLinks: true)
            return
        }
        if streams[stream.id]?.hold != nil {
            changeHeld(stream, before)
        } else if record.isLowered {
            changeLowered(record, before)
        }
    }

    /// The loss that applies to this stream, if its program opens it to replace a stream that was just lost.
    private func lossOfProgram(_ stream: ProgramStream) -> Hold.Reason? {
        guard isPausable(stream), streams[stream.id]?.hold == nil else { return nil }
        for (other, hold) in waiting where other.program.identity == stream.program.identity {
            guard now.seconds(since: hold.since) <= Self.reopenSeconds else { continue }
            for case .lost(let uid, let name) in hold.reasons { return .lost(uid: uid, name: name) }
        }
        return nil
    }

    /// Handles a lowered stream that a mixer has moved, or whose target the mixer has removed.
    private mutating func changeLowered(_ record: StreamRecord, _ before: ProgramStream) {
        guard case .lowered(let since) = record.lowering else { return }
        let stream = record.stream
        let isMoved = before.chosenTarget != stream.chosenTarget && stream.chosenTarget != nil
        if stream.linkTarget.isASink, manager == .present, now.seconds(since: since) > Self.reopenSeconds {
            streams[stream.id]?.lowering = .declined
        } else if isMoved {
            streams[stream.id]?.lowering = .declined
        }
    }

    private mutating func changeHeld(_ stream: ProgramStream, _ before: ProgramStream) {
        if stream.isRunning { confirmIdle(stream) }
        guard var hold = streams[stream.id]?.hold else { return }
        if hold.isParked, before.chosenTarget != stream.chosenTarget, stream.chosenTarget != nil {
            leaveToUser(stream)
            return
        }
        if hold.isParked, stream.linkTarget.isASink, hold.activity.hasArrived, manager == .present {
            // If no other guard caused this, a mixer has removed the target that the guard had set.
            return isContested(hold) ? moveAgain(stream.id) : leaveToUser(stream)
        }
        var hasPressedPlay = false
        switch (hold.activity, stream.isRunning) {
        case (.moving, let isRunning), (.unmoved, let isRunning):
            guard stream.linkTarget == .hold else {
                if case .moving(nil, _) = hold.activity, stream.linkTarget.isASink {
                    hold.activity = .moving(since: now)
                }
                break
            }
            if hold.activity == .unmoved { hold.reasons.first.map { report(.held($0), stream.program) } }
            hold.activity = isRunning ? .standing : .stopping(until: now.advanced(bySeconds: Self.moveSeconds))
        case (.standing, false): hold.activity = .stopping(until: now.advanced(bySeconds: Self.blipSeconds))
        case (.stopping, true): hold.activity = .standing
        case (.stopped, true): hasPressedPlay = true
        case (.standing, true), (.stopping, false), (.stopped, false): break
        }
        streams[stream.id]?.hold = hold
        if hasPressedPlay { release(.playedByUser) { $0.program.identity == stream.program.identity } }
    }

    private mutating func leaveToUser(_ stream: ProgramStream) {
        streams[stream.id]?.hold = nil
        if streams[stream.id]?.isLowered == true { streams[stream.id]?.lowering = .declined }
        report(.released(.movedByUser), stream.program)
    }

    /// Handles a stream that begins to play; a stream that was only moved does not begin.
    mutating func begin(_ record: StreamRecord) {
        let stream = record.stream
        let effect = options.roles.effect(ofRole: stream.role)
        if record.isArrival, effect == .plays || effect == .mixes, !record.hasBegunBefore {
            release(.playedByUser) { [now, streams] held in
                guard held.program.identity == stream.program.identity, held.id != stream.id,
                    let since = streams[held.id]?.hold?.since
                else { return false }
                return now.seconds(since: since) > Self.reopenSeconds
            }
        }
        streams[stream.id]?.hasBegunBefore = true
        if effect == .interrupts, options.holdsForCalls, options.scope != .focus {
            holdOthers(than: stream, because: .call(stream: stream.id, name: stream.program.name))
        } else if effect == .plays, options.oneAtATime, isPausable(stream) {
            holdOthers(than: stream, because: .newer(stream.program))
        }
    }

    private mutating func holdOthers(than newcomer: ProgramStream, because reason: Hold.Reason) {
        for id in orderedIDs {
            guard let record = streams[id], record.stream.program.identity != newcomer.program.identity,
                options.roles.effect(ofRole: record.stream.role) == .plays
            else { continue }
            if record.hold != nil {
                add(reason, to: id)
            } else if isPausable(record.stream), record.stream.isRunning {
                // Its output is still there and plays other streams. The stream stays audible until the session manager has moved it.
                hold(id, because: reason, cutsLinks: false)
            }
        }
    }

    mutating func end(_ id: UInt64) {
        guard let record = streams[id] else { return }
        let isFirst = !waiting.contains {
            $0.stream.id != id && $0.stream.program.identity == record.stream.program.identity
        }
        let isTold = record.hold.map { !$0.isBrief } ?? false
        if isTold, isFirst { streams[id]?.activity = .ended } else { streams[id] = nil }
        if isTold { report(.ended, record.stream.program) }
        endReasons(of: record.stream)
    }

    /// Ends the holds whose call is over, or whose newer program has ended.
    private mutating func endReasons(of stream: ProgramStream) {
        for (other, hold) in waiting {
            for reason in hold.reasons {
                switch reason {
                case .call(stream.id, _): drop(reason, of: other.id, .callEnded)
                case .newer(let program) where program.identity == stream.program.identity:
                    let isGone = streams.values.allSatisfy {
                        $0.activity == .ended || $0.stream.program.identity != program.identity
                    }
                    if isGone {
                        drop(reason, of: other.id, .newerEnded)
                    }
                case .call, .newer, .lost, .returnedLate, .focus, .switched, .idle: break
                }
            }
        }
    }

    /// Whether the stream can be moved to the holding sink.
    func isHoldable(_ stream: ProgramStream) -> Bool {
        isPausable(stream) && streams[stream.id]?.policy.action == .hold
    }

    /// Whether the stream can be moved to the holding sink, or its player can be paused.
    func isPausable(_ stream: ProgramStream) -> Bool {
        guard stream.standing == .movable, manager != .absent else { return false }
        // A user of a screen reader learns of the hold through it.
        let role = stream.role?.lowercased()
        if role == "accessibility" || role == "a11y" { return false }
        return streams[stream.id].map { $0.policy.action != .leaveAlone } ?? false
    }

    // MARK: Options

    func policy(of program: Program, role: String? = nil) -> ProgramPolicy {
        options.policy(of: program, role: role, patterns)
    }

    private mutating func change(_ new: GuardOptions) {
        let old = options
        options = new
        guard old != new else { return }
        for id in orderedIDs {
            guard let record = streams[id] else { continue }
            let policy = policy(of: record.stream.program, role: record.stream.role)
            streams[id]?.policy = policy
            guard policy.action != record.policy.action else { continue }
            release(id, .configured)
            if policy.action != .hold { raise(id) }
        }
        for (stream, hold) in waiting {
            for reason in hold.reasons {
                switch reason {
                case .call: if !new.holdsForCalls { drop(reason, of: stream.id, .configured) }
                case .newer: if !new.oneAtATime { drop(reason, of: stream.id, .configured) }
                case .lost, .returnedLate, .focus, .switched, .idle: break
                }
            }
        }
        reviewRecordings()
        // The catching sink exists only for guarded outputs, and the set of guarded outputs may have changed.
        if hasSettled, life == .guarding, claims.isOwner { applySettled() }
    }

    var orderedIDs: [UInt64] { streams.values.sorted { $0.order < $1.order }.map(\.stream.id) }

    // MARK: Holds

    mutating func hold(_ id: UInt64, because reason: Hold.Reason, cutsLinks: Bool) {
        guard let stream = streams[id]?.stream else { return }
        let isFirst = isFirst(stream)
        if streams[id]?.isLowered == false { streams[id]?.formerTarget = stream.chosenTarget }
        let isParked = isHoldable(stream)
        let activity: Hold.Activity =
            isParked
            ? .moving(since: now)
            : stream.isRunning ? .standing : .stopping(until: now.advanced(bySeconds: Self.blipSeconds))
        streams[id]?.hold = Hold(
            reasons: [reason], since: now, order: nextOrder, isParked: isParked, activity: activity)
        nextOrder += 1
        if isParked { command(.hold(stream: id, cutsLinks: cutsLinks)) }
        announce(reason, stream, isFirst: isFirst)
    }

    /// Adds a reason to a held stream.
    mutating func add(_ reason: Hold.Reason, to id: UInt64) {
        guard let record = streams[id], let hold = record.hold, !hold.reasons.contains(reason) else { return }
        let isFirst = isFirst(record.stream)
        streams[id]?.hold?.reasons.append(reason)
        if hold.isBrief { announce(reason, record.stream, isFirst: isFirst) }
    }

    /// Whether no other stream of the program is held.
    private func isFirst(_ stream: ProgramStream) -> Bool {
        !held.contains { $0.stream.program.identity == stream.program.identity }
    }

    private mutating func announce(_ reason: Hold.Reason, _ stream: ProgramStream, isFirst: Bool) {
        guard !reason.isBrief else { return }
        if isFirst { effects.append(.pausePlayer(stream.program)) }
        report(.held(reason), stream.program)
    }

    mutating func drop(_ reason: Hold.Reason, of id: UInt64, _ cause: Hold.Release) {
        guard let record = streams[id], var hold = record.hold, hold.reasons.contains(reason) else { return }
        hold.reasons.removeAll { $0 == reason }
        streams[id]?.hold = hold
        if hold.reasons.isEmpty { moveBack(record) }
        if hold.isBrief, !reason.isBrief { announce(cause, record) }
    }

    mutating func release(_ cause: Hold.Release, where isMeant: (ProgramStream) -> Bool) {
        for (stream, _) in waiting where isMeant(stream) { release(stream.id, cause) }
    }

    mutating func release(_ id: UInt64, _ cause: Hold.Release) {
        guard let record = streams[id], let hold = record.hold else { return }
        moveBack(record)
        if !hold.isBrief { announce(cause, record) }
    }

    private mutating func moveBack(_ record: StreamRecord) {
        let id = record.stream.id
        streams[id]?.hold = nil
        // The guard starts the stream, not its user.
        streams[id]?.releasedAt = now
        if record.activity == .ended {
            streams[id] = nil
        } else if record.isLowered {
            streams[id]?.lowering = .lowered(since: now)
            command(.duck(stream: id))
        } else if record.hold?.isParked == true {
            command(.release(stream: id, target: record.formerTarget))
        }
    }

    private mutating func announce(_ cause: Hold.Release, _ record: StreamRecord) {
        let isLast = !waiting.contains {
            $0.stream.program.identity == record.stream.program.identity && !$0.hold.isBrief
        }
        // A player that shows a pause stays paused: the end of a program must not restart what a person has heard stop.
        var staysPaused = cause == .playedByUser
        switch cause {
        case .guardEnds, .descriptorsRanOut:
            if record.hold?.reasons.allSatisfy(\.isFocus) == false { staysPaused = true }
        default: break
        }
        if isLast, !staysPaused {
            pausedPlayers.remove(record.stream.program.identity)
            effects.append(.resumePlayer(record.stream.program))
        }
        if record.activity != .ended { report(.released(cause), record.stream.program) }
    }

    /// Whether the stream's program plays on when the guard ends.
    ///
    /// Paused programs stay paused, except those held for the focus.
    func isHeard(after hold: Hold) -> Bool {
        switch hold.activity {
        case .moving, .unmoved, .standing: true
        case .stopping, .stopped: hold.reasons.allSatisfy(\.isFocus)
        }
    }

    // MARK: Time

    private mutating func letHoldsPass() {
        beginRecordings()
        advanceCatch()
        forgetEnded()
        beginHeard()
        for id in orderedIDs {
            endIdle(id)
            guard let record = streams[id],
                let deadline = record.deadline(blip: Self.blipSeconds), deadline <= now
            else { continue }
            if case .stopping = record.hold?.activity { streams[id]?.hold?.activity = .stopped }
            if case .moving = record.hold?.activity { advanceMove(record) }
            if case .stopping = record.activity {
                streams[id]?.activity = .stopped
                endCall(record.stream)
            }
        }
    }

    private mutating func beginHeard() {
        for id in orderedIDs {
            guard let record = streams[id], let time = record.beginning, time <= now else { continue }
            streams[id]?.noteBegun()
            if record.hold == nil { begin(record) }
        }
    }

    private mutating func advanceCatch() {
        let isDue = catching.deadline.map { $0 <= now } ?? false
        let mistakes = catching.mistakes
        if let step = catching.letTimePass(hasArrived: hasEveryStreamArrived, now: now) { command(step) }
        if mistakes == 0, catching.mistakes == 1 { effects.append(.report(GuardReport(.cannotCatch, name: ""))) }
        if isDue { settleCatch() }
    }

    /// Forgets ended streams that no resume can concern any more.
    private mutating func forgetEnded() {
        guard streams.values.contains(where: { $0.activity == .ended }) else { return }
        streams = streams.filter { _, record in
            guard record.activity == .ended, let hold = record.hold else { return true }
            return hold.reasons.contains { reason in
                switch reason {
                case .call, .newer, .focus: return true
                case .switched, .returnedLate, .idle: return false
                case .lost(let uid, _):
                    guard case .resume(let seconds) = onReturn(uid) else { return false }
                    return now.seconds(since: hold.since) <= seconds
                }
            }
        }
    }

    /// Ends holds for a call that has paused; a newer program that pauses is still the newer one.
    private mutating func endCall(_ stream: ProgramStream) {
        for (other, hold) in waiting {
            for case .call(stream.id, let name) in hold.reasons {
                drop(.call(stream: stream.id, name: name), of: other.id, .callEnded)
            }
        }
    }

    /// Whether held streams are at the holding sink and all others at any sink, which may be the catching sink.
    private var hasEveryStreamArrived: Bool {
        streams.values.allSatisfy { record in
            guard record.activity != .ended else { return true }
            if let hold = record.hold { return !hold.activity.isMoving }
            return record.stream.linkTarget != .nowhere || record.stream.standing == .leftAlone
        }
    }

    private mutating func schedule() {
        let blips = streams.values.compactMap { $0.deadline(blip: Self.blipSeconds) }
        let next =
            (blips + streams.values.compactMap(idleEnd) + streams.values.compactMap(\.beginning)
            + [
                catching.deadline, arming.deadline(after: now), ducking.deadline, recordings.deadline,
                takeover?.deadline,
            ].compactMap { $0 }).min()
        guard next != wakeTime else { return }
        wakeTime = next
        command(.wake(at: next))
    }

    mutating func command(_ command: GuardCommand) { effects.append(.host(command)) }

    mutating func report(_ kind: GuardReport.Kind, _ program: Program) {
        effects.append(.report(GuardReport(kind, name: program.name)))
    }
}

extension Program {
    /// - Parameter word: a name, a binary or a process id; case is ignored.
    package func answers(to word: String) -> Bool {
        let word = word.lowercased()
        return name.lowercased() == word || binary?.lowercased() == word || processID.map(String.init) == word
    }
}
