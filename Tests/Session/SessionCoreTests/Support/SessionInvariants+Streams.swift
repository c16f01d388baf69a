import AudioModel

@testable import SessionCore

/// The checker's own record of a stream.
struct StreamAccount: Hashable, Sendable {
    var policy: StreamPolicy
    var ports: [Port] = []
    /// Paused for the loss of its port, and neither linked nor wanted since.
    var isPausedForLoss = false
    /// Its port was reported lost; the inventory that links it again has not come yet.
    var isCutOff = false
    var isHeld = false
    /// Told to start, and nothing else since.
    var isRunning = false
    /// It has not sounded, and continues what a lost server played.
    var continuesPrivately: Bool
    /// Its policy let it run without a session at some time since its start.
    var mayRunInactive: Bool
    var suppression: Suppression?
    var gain: Float = 1

    init(policy: StreamPolicy) {
        self.policy = policy
        mayRunInactive = policy.onInterruption == .ignore
        continuesPrivately = policy.continuesPrivately && policy.target == .sessionRoute
    }
}

extension SessionInvariants {
    mutating func checkStreams(
        _ event: SessionEvent, _ effects: [SessionEffect], before: SessionState, after: SessionState
    ) {
        if case .host(.connectionLost) = event.fact, before.isConnected {
            let outputs = before.streams.filter { $0.policy.direction == .output && $0.playWhenReady }.flatMap(\.ports)
            if !outputs.isEmpty { session.outputsAtLoss = outputs.map(\.uid) }
        }
        // A hold ends with the last port that there was to be kept from.
        for stream in after.streams where stream.ports.isEmpty && after.targets(of: stream).isEmpty {
            streams[stream.id]?.isHeld = false
        }
        for effect in effects {
            switch effect {
            case .linkStream(let id, let ports):
                checkLink(of: id, to: ports, effects, after: after)
                streams[id]?.ports = ports
                streams[id]?.isPausedForLoss = false
            case .unlinkStream(let id):
                if streams[id] == nil { fail("unlinked the unknown stream \(id.number)") }
                streams[id]?.ports = []
            case .pausePlayer(let id, let cause):
                // The answer to a request from before a loss is no loss.
                let isAnswer = if case .playRequested = event.fact { true } else { false }
                notePause(of: id, isAnswer ? .user : cause)
            case .suppressPlayer(let id, let suppression):
                if streams[id] == nil { fail("suppressed the unknown stream \(id.number)") }
                if streams[id]?.suppression == suppression { fail("suppressed stream \(id.number) twice") }
                streams[id]?.isRunning = false
                streams[id]?.isPausedForLoss = false
                streams[id]?.suppression = suppression
            case .startPlayer(let id):
                checkStart(of: id, after: after)
            case .setGain(let id, let gain):
                if streams[id]?.gain == gain { fail("set the gain of stream \(id.number) to what it was") }
                streams[id]?.gain = gain
            case .preferCycle(let seconds):
                if seconds == before.preferredSettings.ioBufferDuration {
                    fail("preferred the cycle that was preferred before")
                }
                if seconds != after.preferredSettings.ioBufferDuration {
                    fail("preferred a cycle that the app does not")
                }
            case .failPlayer(let id, _):
                if streams.removeValue(forKey: id) == nil { fail("failed the unknown stream \(id.number)") }
            case .reply, .claim, .suspendClaim, .release, .postRouteChange, .postAvailableInputsChange,
                .postInterruptionBegan,
                .postInterruptionEnded, .postBecameActive, .postBecameInactive, .postResumptionRecommendation,
                .postSilenceSecondaryAudioHint, .postMediaServicesLost, .postMediaServicesReset, .allowSleep, .wake,
                .setPortVolume, .postOutputMuteChange, .postUserIntentToUnmute, .postInputMuteChange:
                break
            }
        }
        if Set(streams.keys) != Set(after.streams.map(\.id)) {
            fail("the session's streams are not the open ones")
        }
        noteSurvivedLosses(event, effects, after: after)
        checkUnlinked(after: after)
        checkIntents(event, effects, before: before, after: after)
        checkGains(after: after)
    }

    /// The host has unlinked these streams: who is to pause does so, and each is linked again or to nothing.
    mutating func checkLosses(
        _ event: SessionEvent, _ effects: [SessionEffect], before: SessionState, after: SessionState
    ) {
        checkGivenUp(event, effects, before: before, after: after)
        guard case .host(.inventoryChanged(_, let losses)) = event.fact, before.isConnected else { return }
        for loss in losses {
            let id = loss.stream
            guard let stream = before.streams.first(where: { $0.id == id }),
                let port = stream.ports.first(where: { $0.uid == loss.portUID })
            else { continue }
            let isToPause =
                stream.policy.onDeviceLoss == .pause && (stream.policy.direction == .input || !port.isPartOfMachine)
            if isToPause, stream.playWhenReady, !effects.hasPause(of: id) {
                fail("stream \(id.number) was not paused for the loss of \(port.uid)")
            }
            let isLinked = effects.contains { if case .linkStream(id, _) = $0 { true } else { false } }
            if !isLinked, after.streams.first(where: { $0.id == id })?.ports.isEmpty == false {
                fail("stream \(id.number) lost its links and was not linked again")
            }
        }
    }

    /// After a loss nothing plays on that was asked for before it; which is the same for linked streams and for others.
    private mutating func checkGivenUp(
        _ event: SessionEvent, _ effects: [SessionEffect], before: SessionState, after: SessionState
    ) {
        func isConcerned(_ id: StreamID) -> Bool {
            guard let account = streams[id], !account.continuesPrivately else { return false }
            return account.policy.direction == .output && account.policy.target == .sessionRoute
                && account.policy.onDeviceLoss == .pause
        }
        switch event.fact {
        case .host(.inventoryChanged) where after.outputLosses > before.outputLosses:
            for stream in after.streams where stream.playWhenReady && isConcerned(stream.id) {
                fail("stream \(stream.id.number) plays on after the loss of an output")
            }
        case .playRequested(_, let id, generation: _, let known?)
        where known < before.outputLosses && isConcerned(id):
            if effects.contains(.startPlayer(id)) { fail("stream \(id.number) was asked to play before a loss") }
            if before.streams.contains(where: { $0.id == id && !$0.playWhenReady }),
                after.streams.contains(where: { $0.id == id && $0.playWhenReady })
            {
                fail("stream \(id.number) is meant to play, as was asked before a loss")
            }
        default: break
        }
    }

    /// What a stream plays on after is no loss to it, even if its policy is another one when it is linked again.
    private mutating func noteSurvivedLosses(
        _ event: SessionEvent, _ effects: [SessionEffect], after: SessionState
    ) {
        let present = Set(after.inventory.ports.map(\.uid))
        // A held stream is linked later than the arrival that took its speaker's place.
        let isArrival = effects.change?.reason == .newDeviceAvailable
        for (id, account) in streams where account.isHeld && isArrival {
            streams[id]?.ports.removeAll { !present.contains($0.uid) && $0.isPartOfMachine }
        }
        // As is what a held stream was paused for: it may be wanted again before its release links it.
        for (id, account) in streams
        where account.policy.onDeviceLoss == .continue || account.isPausedForLoss && account.isHeld {
            streams[id]?.ports.removeAll { !present.contains($0.uid) }
        }
        switch event.fact {
        case .host(.portLost(let loss)) where effects.hasPause(of: loss.stream):
            streams[loss.stream]?.isCutOff = true
            streams[loss.stream]?.ports = []
        case .host(.inventoryChanged), .host(.connectionLost):
            for id in streams.keys { streams[id]?.isCutOff = false }
        default: break
        }
    }

    /// A stream that has somewhere to go is linked, whether it plays or not; only a hold, and a loss whose inventory is on
    /// its way, keep it unlinked.
    private mutating func checkUnlinked(after: SessionState) {
        guard after.isConnected, after.hasInventory, !after.isFreshlyReset else { return }
        for stream in after.streams where stream.ports.isEmpty && !after.targets(of: stream).isEmpty {
            guard let account = streams[stream.id], !account.isHeld, !account.isCutOff else { continue }
            fail("stream \(stream.id.number) has somewhere to go and is not linked")
        }
    }

    private mutating func notePause(of id: StreamID, _ cause: PauseCause) {
        if streams[id] == nil { fail("paused the unknown stream \(id.number)") }
        switch cause {
        case .oldDeviceUnavailable, .noSuitableRoute:
            if streams[id]?.isPausedForLoss == true { fail("paused stream \(id.number) twice for one loss") }
            streams[id]?.isPausedForLoss = true
        case .newDeviceAvailable, .user, .interruption, .deactivation, .refusal:
            break
        }
        streams[id]?.isRunning = false
        streams[id]?.suppression = nil
    }

    private mutating func checkStart(of id: StreamID, after: SessionState) {
        guard let account = streams[id] else { return fail("started the unknown stream \(id.number)") }
        let ignoresSession = account.policy.onInterruption == .ignore
        if account.isRunning { fail("started stream \(id.number), which runs") }
        if account.isHeld { fail("started stream \(id.number), which is held") }
        if !after.activation.isActive, !ignoresSession { fail("started stream \(id.number) without a session") }
        checkPrivacy(of: id, account, after: after)
        streams[id]?.isRunning = true
        streams[id]?.continuesPrivately = false
        streams[id]?.suppression = nil
        streams[id]?.mayRunInactive = ignoresSession
    }

    /// What did not sound on the machine's speaker when the server was lost does not begin there by itself.
    private mutating func checkPrivacy(of id: StreamID, _ account: StreamAccount, after: SessionState) {
        let old = session.outputsAtLoss
        guard account.continuesPrivately, let first = old.first, !old.contains(Ports.speaker.uid) else { return }
        let speaker = account.ports.first { $0.kind == .builtInSpeaker }
        if speaker != nil, after.chosenOutput?.kind != .builtInSpeaker {
            fail("stream \(id.number) continues on the speaker what sounded on \(first)")
        }
    }

    /// What a user wants changes by the user's word, or is given up aloud.
    private mutating func checkIntents(
        _ event: SessionEvent, _ effects: [SessionEffect], before: SessionState, after: SessionState
    ) {
        for stream in after.streams {
            let id = stream.id
            guard let account = streams[id] else { continue }
            let wasMeant = before.streams.first { $0.id == id }?.playWhenReady ?? false
            if stream.playWhenReady, !wasMeant {
                if case .playRequested(_, id, generation: _, knownLosses: _) = event.fact {
                } else {
                    fail("stream \(id.number) is meant to play, and was not asked to")
                }
            }
            if wasMeant, !stream.playWhenReady, event.fact != .playerStopped(id), !effects.hasPause(of: id) {
                fail("stream \(id.number) is not meant to play any more, and was not told")
            }
            if stream.suppression != account.suppression { fail("stream \(id.number) does not know its suppression") }
            if stream.suppression != nil, !stream.playWhenReady { fail("stream \(id.number) is suppressed, unwanted") }
            if stream.isStarted != account.isRunning { fail("stream \(id.number) does not know whether it runs") }
            if account.isRunning, !account.mayRunInactive, !after.activation.isActive {
                fail("stream \(id.number) runs without a session")
            }
            let waitsForClaim = account.policy.onInterruption == .pause && !after.activation.isInactive
            if after.interruption?.hasEnd == true, stream.playWhenReady, !stream.isStarted, stream.suppression == nil,
                !waitsForClaim
            {
                fail("stream \(id.number) waits for nothing")
            }
            if after.interruption != nil, after.activation.isInactive, stream.playWhenReady,
                account.policy.onInterruption == .pause
            {
                fail("stream \(id.number) is to resume by itself")
            }
        }
    }

    private mutating func checkGains(after: SessionState) {
        let isDucker = after.peers.contains { $0.configuration.ducksOthers }
        let isDucked = isDucker || after.foreignEffects.contains(.ducks)
        for (id, account) in streams {
            let isMuted = account.policy.direction == .output ? after.isOutputMuted : after.isInputMuted
            if isMuted != (account.gain == 0) { fail("stream \(id.number) is muted: \(!isMuted)") }
            if isMuted { continue }
            if account.gain != 1, !isDucked { fail("stream \(id.number) is ducked without a cause") }
            if account.gain != 1, account.policy.onInterruption == .ignore { fail("ducked stream \(id.number)") }
            if after.streams.first(where: { $0.id == id })?.gain != account.gain {
                fail("stream \(id.number) does not know its gain")
            }
        }
    }

    private mutating func checkLink(
        of id: StreamID, to ports: [Port], _ effects: [SessionEffect], after: SessionState
    ) {
        guard let account = streams[id] else { return fail("linked the unknown stream \(id.number)") }
        if ports.isEmpty { fail("linked stream \(id.number) to nothing") }
        let direction = account.policy.direction
        let present = Set((direction == .output ? after.inventory.outputs : after.inventory.inputs).map(\.uid))
        for port in ports where !present.contains(port.uid) { fail("linked to \(port.uid), which is not there") }
        if !after.isConnected { fail("linked stream \(id.number) without a connection") }
        if account.isHeld { fail("linked stream \(id.number), which is held") }
        if case .port(let uid) = account.policy.target, ports.map(\.uid) != [uid] {
            fail("re-routed stream \(id.number), which is bound to \(uid)")
        }
        if case .ports(let uids) = account.policy.target, !Set(ports.map(\.uid)).isSubset(of: uids) {
            fail("linked stream \(id.number) to \(ports.map(\.uid)), of which it has chosen \(uids)")
        }
        if Set(ports.map(\.uid)).count != ports.count { fail("linked stream \(id.number) twice to one port") }
        let lost = account.ports.filter { !present.contains($0.uid) }
        let isArrival = effects.contains {
            if case .postRouteChange(let change) = $0 { change.reason == .newDeviceAvailable } else { false }
        }
        // A stream bound to ports of its own may see an arrival that is none in the session's route.
        let hasOwnPorts = if case .ports = account.policy.target { true } else { false }
        let wasRoomSpeaker = lost.allSatisfy(\.isPartOfMachine)
        // A recorder that does not record has nothing to stop.
        let hasNothingToStop = account.policy.direction == .input && !account.isRunning
        if !lost.isEmpty, !hasNothingToStop, account.policy.onDeviceLoss == .pause, !account.isPausedForLoss,
            !((isArrival || hasOwnPorts) && wasRoomSpeaker)
        {
            fail("linked stream \(id.number) on after the loss of \(lost.map(\.uid)) without a pause")
        }
    }
}

extension SessionState {
    /// Where the stream would go; for one that is bound to a port, that port.
    fileprivate func targets(of stream: StreamRecord) -> [Port] {
        let isOutput = stream.policy.direction == .output
        let usable = isOutput ? usableOutputs : availableInputs
        switch stream.policy.target {
        case .sessionRoute:
            let waits = stream.awaitsPrivateOutput && !continuesPrivately
            return isOutput ? waits ? [] : derived.route.outputs : derived.route.inputs
        case .port(let uid): return usable.filter { $0.uid == uid }
        case .ports(let uids): return usable.filter { uids.contains($0.uid) }
        }
    }
}

extension [SessionEffect] {
    func hasPause(of id: StreamID) -> Bool {
        contains { if case .pausePlayer(id, _) = $0 { true } else { false } }
    }
}
