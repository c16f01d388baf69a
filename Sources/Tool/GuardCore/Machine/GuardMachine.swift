package import AudioModel

/// Decides which streams of other programs are held.
///
/// Pure value: no server, no clock, no thread. Time is an argument; effects must be carried out in their order.
///
/// The machine tells the rules of holds what happened; they say which holds begin and end, and the book of holds carries that out.
package struct GuardMachine: Sendable {
    var scene: HoldScene
    var book = HoldBook()
    var rules = HoldRules()
    var claims = GuardClaims()
    var catching = Catching()
    var arming = JackArming()
    var ducking = Ducking()
    var headset = HeadsetRule()
    var focusClaim: FocusClaim?
    /// What plays music now, as it was told last.
    var primaryAudio: [PrimaryAudio] = []
    var takeover: GuardTakeover?
    /// The holds from before the connection ended; nil once each of them is resolved.
    var severed: SeveredHolds?
    /// The server's name for its lifetime; nil before the server has sent it.
    var server: UInt32?
    var life = Life.guarding
    private var wakeTime: HostTime?
    /// Another program owns the name of the focus service.
    private var lacksFocusName = false
    var effects: [GuardEffect] = []

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

    package init(
        options: GuardOptions = GuardOptions(), patterns: PatternLanguage = .none, isDryRun: Bool = false
    ) {
        scene = HoldScene(options: options, patterns: patterns, isDryRun: isDryRun)
    }

    // MARK: Events

    package mutating func apply(_ event: GuardEvent, at time: HostTime) -> [GuardEffect] {
        scene.now = time
        effects = []
        if severed != nil { applyToSevered(event) }
        let part = self.part
        guard event.answeredIn.contains(part) else { return part == .leaving || part == .left ? [] : effects }
        answer(event, in: part)
        if event.advancesIn.contains(part), claims.isOwner || isEnding { letTimePass() }
        reviewPrimaryAudio()
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
        case .fact(.guardsChanged(let change)): apply(change)
        case .fact(.serverNamed(let name)): note(server: name)
        case .fact(.connectionLost): disconnect()
        case .fact(.outputsChanged(let outputs)): change(outputs)
        case .fact(.surroundingsChanged(let surroundings)): headset.microphones = surroundings.microphones
        case .fact(.streamChanged(let stream)): change(stream)
        case .fact(.streamEnded(let id)): noteEnd(of: id)
        case .fact(.settled): applySettled()
        case .fact(.managerChanged(let isPresent)): changeManager(isPresent)
        case .fact(.timeReached): wakeTime = nil
        case .fact(.holderChanged(let holder)): changeFocus(holder)
        case .fact(.holderLeft(let id)): endFocus(id)
        case .fact(.captureChanged(let stream)): change(stream)
        case .fact(.captureEnded(let id)):
            headset.remove(id)
            removeRecording(id)
        case .fact(.holdSinkLost): effects += book.holdAgain(cutsLinks: true, scene)
        case .fact(.duckReady): ducking.noteReady(at: now)
        case .fact(.descriptorsRanOut): letGo()
        case .focusNameChanged(let owner): noteFocusName(owner)
        case .endRequested: if life != .left { life = .ending }
        case .handoverRequested: beginHandover()
        case .optionsChanged(let new): if part == .owning { change(new) } else { scene.options = new }
        case .playerStarted(let identity):
            book.pausedPlayers.remove(identity)
            effects += book.release(at: now, .playedByUser) { stream, _ in stream.program.identity == identity }
        case .playerPaused(let identity): book.pausedPlayers.insert(identity)
        case .mutedPortsRead(let ports): arming.muted = ports
        case .releaseRequested(let word): release(word)
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
        advanceHeadset()
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

    private mutating func release(_ word: String?) {
        // The desktop shows printable names.
        func isMeant(_ stream: ProgramStream) -> Bool {
            word.map { stream.program.answers(to: $0) || stream.program.name.printable == $0 } ?? true
        }
        for (stream, hold) in book.waiting where isMeant(stream) {
            let cause = isEnding ? Hold.Release.guardEnds(isHeard: hold.playsOnWithoutGuard) : .requested
            effects += book.release(stream.id, cause, at: now)
        }
        if isEnding { effects += book.raiseAll(at: now) }
    }

    /// Releases all holds while the connection still works: a hold that outlasts the connection is lost.
    private mutating func letGo() {
        effects.append(.report(GuardReport(.descriptorsRanOut, name: "")))
        effects += book.releaseAll(at: now) { .descriptorsRanOut(isHeard: $0) }
    }

    // MARK: Holds

    /// Tells the rules what happened, and carries out what they say.
    ///
    /// Holds begin first, in the order in which the streams appeared; then reasons end, in the order in which the streams were held.
    mutating func tell(_ event: HoldEvent) {
        let all = rules.all
        for id in book.ids {
            guard let record = book.streams[id] else { continue }
            for rule in all {
                guard let request = rule.begin(record, after: event, in: book, scene) else { continue }
                effects += record.hold == nil ? book.hold(record, request, scene) : book.add(request, to: record)
                break
            }
        }
        for (stream, _) in book.waiting { end(stream.id, after: event) }
    }

    /// Ends the reasons of one stream that this event ends.
    private mutating func end(_ id: UInt64, after event: HoldEvent) {
        for reason in book.streams[id]?.hold?.reasons ?? [] {
            guard let record = book.streams[id],
                let end = rules[reason].end(reason, of: record, after: event, in: book, scene)
            else { continue }
            switch end {
            case .released(let cause): effects += book.drop(reason, of: id, cause, at: now)
            case .replaced(let new, let report):
                effects += book.replace(reason, by: new, of: id)
                if let report { effects.append(.report(report, of: record.stream.program)) }
            }
        }
    }

    // MARK: State

    package var options: GuardOptions { scene.options }

    /// The other guard that owns the server; nil if this guard owns it, or if the owner is unknown.
    package var rival: GuardRival? { claims.awaited }

    /// The guard for which this guard must not wait; nil if there is none.
    package var takenBy: GuardRival? {
        switch scene.options.scope {
        // A guard that keeps holds or serves the focus makes room for the first waiting guard.
        case .everything, .off: claims.predecessor
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

    /// Whether everything that existed at the beginning was reported, or this guard waits for another or can do nothing.
    package var isDecided: Bool { scene.hasSettled || rival != nil || claimFailure != nil }

    /// The held streams, in the order in which they were held; without brief holds.
    package var held: [(stream: ProgramStream, hold: Hold)] { book.held }

    /// Whether the guard must not end yet: it has to unmute a speaker, or a stream is on its way.
    package var mustStay: Bool { arming.hasWork(scene.outputs.jacks) || book.isMoving(at: now) }

    /// The ports that are muted until their headphones are unplugged.
    package var armedPorts: [GuardJack.Port] { arming.armed(scene.outputs.jacks) }

    /// Whether a session manager runs; without one, no stream can be held.
    package var hasManager: Bool { scene.manager != .absent }

    /// All focus holders, in the order in which they came.
    package var holders: [FocusHolder] { rules.focus.holders.all }

    var standing: [(stream: ProgramStream, hold: Hold)] { book.standing }

    var outputs: GuardOutputs { scene.outputs }

    var now: HostTime { scene.now }

    /// Whether programs would stay silent if the guard hung now.
    package var needsWatching: Bool {
        if !standing.isEmpty || ducking.isOpen { return true }
        guard catching.phase != .none, !catching.isMistaken else { return false }
        return book.streams.values.contains { $0.activity != .stopped && $0.activity != .ended }
    }

    // MARK: Other guards

    private mutating func apply(_ change: GuardClaimChange) {
        let (wasOwner, old) = (claims.isOwner, rival)
        if case .failed = change {
            // Another guard may own the server from now on, and the holding sink that the streams' targets name ends.
            effects += book.releaseAll(at: now) { .guardEnds(isHeard: $0) }
            effects += book.raiseAll(at: now) + book.drainReturns(at: now, isLast: true)
            returnMicrophones()
            forgetSevered(.guardEnds(isHeard: true))
            reset()
        }
        claims.apply(change)
        if case .rivalLeft = change { book.noteContest(at: now) }
        if case .granted = change { noteGrant() }
        if case .failed(let text) = change { effects.append(.report(GuardReport(.claimFailed(text), name: ""))) }
        if life == .leaving, claims.isAnswered { leave() }
        keepForSuccessor()
        if let rival, rival.serial != old?.serial, rival.purpose != .keeping, options.scope != .keeping {
            effects.append(.report(GuardReport(.waiting(rival), name: rival.name)))
        }
        guard claims.isOwner, !wasOwner, life != .left else { return }
        noteOwnership(isFirst: old == nil)
        if old != nil { effects.append(.report(GuardReport(.tookOver, name: ""))) }
        effects.append(.readMutedPorts)
        takeover = GuardTakeover(claims.leaving, at: now)
        if takeover != nil { book.noteContest(at: now) }
        command(.takeServer(sparing: takeover?.sinks ?? []))
    }

    // MARK: Outputs

    private mutating func change(_ new: GuardOutputs) {
        let old = outputs
        scene.outputs = new
        if new.isCatchChosen, !old.isCatchChosen {
            // Restores the choice that was configured before.
            command(.configureSink(new.ranking.configured))
            effects.append(.report(GuardReport(.choiceRestored, name: "")))
        }
        if Set(old.outputs) != Set(new.outputs) || old.ranking != new.ranking { catching.noteNewOutputs() }
        for output in rules.loss.noteLosses(since: old, scene) {
            // Every stream that sounded on the output is held; only then may the default move to another output.
            tell(.outputLost(output))
            if old.defaultSink == .sink(output.sink) || old.defaultSink == .catch { catching.noteLoss(at: now) }
        }
        resume(new.outputs.filter { output in !old.outputs.contains { $0.uid == output.uid } })
    }

    /// Ends the holds whose output has returned and is where the stream would play.
    ///
    /// - Parameter arrived: the outputs that may have come too late for that.
    mutating func resume(_ arrived: [GuardOutput]) {
        for output in arrived where rules.loss.noteReturn(of: output.uid, scene) {
            tell(.outputReturnedLate(uid: output.uid))
        }
        tell(.outputsChanged)
        rules.loss.forgetReturned(outputs)
    }

    private mutating func applySettled() {
        if !scene.hasSettled {
            scene.hasSettled = true
            takeover?.forgetUntold()
            forgetSevered()
            for holder in rules.focus.holders.all { obey(holder) }
            keepForSuccessor()
            guard life == .guarding else { return }
        }
        if book.hasUncheckedHolds {
            book.hasUncheckedHolds = false
            tell(.holdsInherited)
            resume(outputs.outputs)
        }
        if scene.manager == .returning {
            scene.manager = .present
            effects.append(.report(GuardReport(.managerCame, name: "")))
            // The new manager's metadata is empty: streams must be held again before the bridging sink ends.
            effects += book.holdAgain(cutsLinks: false, scene)
            if let step = catching.noteManagerCame() { command(step) }
        }
        settleCatch()
    }

    private mutating func changeManager(_ isPresent: Bool) {
        guard !isPresent else {
            if scene.manager == .absent { scene.manager = .returning }
            return
        }
        if scene.manager == .present, scene.hasSettled { effects.append(.report(GuardReport(.managerLeft, name: ""))) }
        scene.manager = .absent
        headset.noteManagerLeft()
        if let step = catching.noteManagerLeft(isHolding: !book.standing.isEmpty) { command(step) }
    }

    /// Forgets everything about the server.
    mutating func reset() {
        claims = GuardClaims()
        scene.reset()
        book.reset()
        catching = Catching()
        rules.loss = LossRule()
        arming.reset()
        let holders = self.holders
        rules.focus.reset()
        if self.holders != holders { effects.append(.holdersChanged(self.holders)) }
        ducking = Ducking()
        headset = HeadsetRule()
        focusClaim = nil
        takeover = nil
    }

    // MARK: Streams

    private mutating func change(_ stream: ProgramStream) {
        let before = book.note(stream, on: stream.sink(duckOutput: ducking.output), scene)
        if before == nil {
            let isHoldable = book.streams[stream.id]?.isHoldable(scene) == true
            if let kept = takeover?.drain(stream, isParked: isHoldable) { adopt(kept) }
            regain(stream)
            if book.streams[stream.id]?.hold == nil {
                tell(.streamAppeared(stream))
                if book.streams[stream.id]?.hold != nil { return }
            }
        }
        if book.streams[stream.id]?.hold != nil {
            if stream.isRunning { end(stream.id, after: .heldStreamRan) }
            effects += book.changeHeld(stream, since: before ?? stream, scene)
        } else {
            book.changeLowered(stream, since: before ?? stream, scene)
        }
    }

    private mutating func noteEnd(of id: UInt64) {
        guard let stream = book.streams[id]?.stream else { return }
        effects += book.noteEnd(of: id)
        tell(.streamEnded(stream))
    }

    // MARK: Options

    private mutating func change(_ new: GuardOptions) {
        let old = options
        scene.options = new
        guard old != new else { return }
        effects += book.applyPolicies(scene)
        tell(.optionsChanged)
        if new.scope.isOff { rules.loss = LossRule() }
        reviewRecordings()
        // The catching sink exists only for guarded outputs, and the set of guarded outputs may have changed.
        if scene.hasSettled, life == .guarding, claims.isOwner { applySettled() }
    }

    // MARK: Time

    private mutating func letHoldsPass() {
        effects += book.drainReturns(at: now)
        beginRecordings()
        advanceCatch()
        book.forgetEnded { [rules, scene] hold in rules.keepsEnded(hold, scene) }
        for id in book.drainBeginnings(at: now) {
            guard let record = book.streams[id], record.hold == nil else { continue }
            effects += book.noteBeginning(of: id, scene)
            tell(.streamBegan(record.stream))
        }
        for id in book.ids {
            end(id, after: .timePassed)
            let (due, hasPaused) = book.letTimePass(id, scene)
            effects += due
            if hasPaused, let stream = book.streams[id]?.stream { tell(.streamPaused(stream)) }
        }
        findCalls()
        reviewAlerts()
    }

    private mutating func schedule() {
        let holds = book.waiting.compactMap { rules.deadline(of: $0.hold) }.min()
        let next = [
            book.deadline, holds, catching.deadline, arming.deadline(after: now), ducking.deadline(after: now),
            rules.focus.recordings.deadline, takeover?.deadline, soundDeadline,
        ].compactMap { $0 }.min()
        guard next != wakeTime else { return }
        wakeTime = next
        command(.wake(at: next))
    }

    mutating func command(_ command: GuardCommand) { effects.append(.host(command)) }
}
