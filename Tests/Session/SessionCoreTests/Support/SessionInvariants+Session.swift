import AudioModel

@testable import SessionCore

/// The checker's own record of what the app and the registry have been told.
struct SessionAccount: Hashable, Sendable {
    /// In the claim registry, or on their way to it.
    var claims: Set<ClaimID> = []
    /// Those of them that the host has not answered.
    var openClaims: Set<ClaimID> = []
    /// Those that were open when the connection was lost.
    var strayClaims: Set<ClaimID> = []
    var isInterrupted = false
    /// Since the interruption began.
    var hasLostOutput = false
    var isLost = false
    /// An activation was refused, and no recommendation has followed yet.
    var wasRefused = false
    /// The newest choice of an output, as far as the app made it; automatic after one by the user.
    var appChoice = OutputChoice.automatic
    var preferredInputUID: String?
    var userChoiceUID: String?
    /// Where players that were to play were linked when the connection was last lost.
    var outputsAtLoss: [String] = []
}

extension SessionInvariants {
    /// Behaviour 45: every step is one of those that `Activation` names, and is told.
    mutating func checkActivation(
        _ event: SessionEvent, _ effects: [SessionEffect], before: SessionState, after: SessionState
    ) {
        switch (before.stage, after.stage) {
        case (.inactive, .active), (.active, .claiming):
            fail("activation skipped a state")
        case (.claiming(let old), .claiming(let new)):
            if old != new, !effects.contains(.claim(new, after.claimedConfiguration)) {
                fail("claiming without a claim")
            }
        case (.active(let old), .active(let new)):
            if old != new, before.replacementClaim != new { fail("the claim changed under an activation") }
        case (.claiming(let old), .active(let new)):
            if old != new { fail("the claim changed under an activation") }
            if !effects.contains(.postBecameActive) { fail("active without a word") }
        case (.inactive, .claiming(let id)):
            if !effects.contains(.claim(id, after.claimedConfiguration)) { fail("claiming without a claim") }
        case (.active, .inactive):
            let isTold = effects.contains {
                switch $0 {
                case .postInterruptionBegan, .postBecameInactive, .postMediaServicesLost: true
                default: false
                }
            }
            if !isTold { fail("inactive without a word") }
        case (.claiming, .inactive), (.inactive, .inactive):
            break
        }
        if effects.contains(.postBecameActive), before.activation.isActive || !event.fact.isGrant {
            fail("became active, and nothing was granted")
        }
        if before.activation.isActive, !after.activation.isActive, after.isConnected, after.override != .none {
            fail("the override outlives the session's activity")
        }
        if effects.contains(.postBecameInactive), !before.activation.isActive || !after.activation.isInactive {
            fail("became inactive, and was not active")
        }
    }

    /// What is in the claim registry is what the session holds: one claim, and perhaps the one that replaces it.
    mutating func checkClaims(_ event: SessionEvent, _ effects: [SessionEffect], after: SessionState) {
        switch event.fact {
        case .host(.connectionLost):
            session.strayClaims = session.openClaims
            session.openClaims = []
            session.claims = []
        case .host(.claimGranted(let id, _)):
            session.openClaims.remove(id)
            // It is on the new server's registry, where no other session knows of it.
            if session.strayClaims.remove(id) != nil { session.claims.insert(id) }
        case .host(.claimRefused(let id, _)):
            session.openClaims.remove(id)
            session.strayClaims.remove(id)
            session.claims.remove(id)
        default: break
        }
        for effect in effects {
            switch effect {
            case .claim(let id, _):
                if !session.claims.insert(id).inserted { fail("claimed \(id.number) twice") }
                session.openClaims.insert(id)
            case .suspendClaim(let id):
                if !session.claims.contains(id) { fail("suspended claim \(id.number), which is not held") }
                if after.waitingClaim?.id != id { fail("suspended claim \(id.number), and keeps another claim") }
            case .release(let id, notifyOthers: _):
                session.openClaims.remove(id)
                if session.claims.remove(id) == nil { fail("released claim \(id.number), which is not held") }
            default: break
            }
        }
        var held: Set<ClaimID> = after.replacementClaim.map { [$0] } ?? []
        switch after.stage {
        case .inactive: break
        case .claiming(let id), .active(let id): held.insert(id)
        }
        if let waiting = after.waitingClaim {
            held.insert(waiting.id)
            if after.activation.isActive { fail("active, and waits in the place of another claim") }
            if after.interruption == nil, after.activation.isInactive, waiting.deadline == nil {
                fail("keeps a waiting claim for ever")
            }
        }
        if session.claims != held { fail("claims in the registry: \(session.claims), of the session: \(held)") }
        if (after.ownClaim != nil) != after.activation.isActive { fail("active without a claim in the registry") }
    }

    mutating func checkInterruption(
        _ event: SessionEvent, _ effects: [SessionEffect], before: SessionState, after: SessionState
    ) {
        if after.outputLosses != before.outputLosses { session.hasLostOutput = true }
        for effect in effects {
            switch effect {
            case .postInterruptionBegan:
                if session.isInterrupted { fail("a second interruption began") }
                session.isInterrupted = true
                session.hasLostOutput = false
            case .postInterruptionEnded(let shouldResume):
                if !session.isInterrupted { fail("an interruption ended that had not begun") }
                if before.interruption?.hasEnd == false { fail("an interruption ended that has no end") }
                if shouldResume, before.interruption?.isDirect != true { fail("may resume, but was not interrupted") }
                if shouldResume, session.hasLostOutput { fail("may resume, but an output has left") }
                session.isInterrupted = false
            case .postBecameActive, .postMediaServicesLost:
                session.isInterrupted = false
            default: break
            }
        }
        // Behaviour 89: the end of one that has an end is told also after the app's deactivation.
        if case .deactivationRequested(_, notifyOthers: _, isSuperseded: false) = event.fact,
            before.interruption?.hasEnd == false
        {
            session.isInterrupted = false
        }
        if session.isInterrupted != (after.interruption != nil) { fail("the app does not know of the interruption") }
        if after.interruption != nil, after.activation.isActive { fail("interrupted and active") }
        if case .peer(let serial)? = after.interruption?.source, !after.peers.contains(where: { $0.serial == serial }) {
            fail("interrupted by a peer that is gone")
        }
    }

    /// Who is active has lost to no other session, and the machine is awake; a claim under way will decide.
    mutating func checkStanding(after: SessionState) {
        guard let own = after.ownClaim, after.replacementClaim == nil else { return }
        if after.isAsleep { fail("active while the machine sleeps") }
        let peers = after.effectivePeers.map {
            Arbitration.Claim(serial: $0.serial, configuration: $0.configuration, owner: $0.owner)
        }
        let arbitration = Arbitration(peers + [own], foreignCalls: Array(after.foreignCalls.values))
        if arbitration.verdict(on: own.serial) != .effective { fail("active, and lost in the registry") }
    }

    mutating func checkNews(
        _ event: SessionEvent, _ effects: [SessionEffect], before: SessionState, after: SessionState
    ) {
        for effect in effects {
            switch effect {
            case .postMediaServicesLost:
                if session.isLost { fail("lost twice") }
                session.isLost = true
            case .postMediaServicesReset:
                if !session.isLost { fail("reset, and not lost") }
                session.isLost = false
            case .postResumptionRecommendation:
                if !session.wasRefused { fail("a recommendation, and nothing was refused") }
                if !after.activation.isInactive { fail("a recommendation while not inactive") }
                session.wasRefused = false
            case .allowSleep:
                if event.fact != .host(.sleepAnnounced) { fail("allowed a sleep that was not announced") }
            default: break
            }
        }
        let isRefusal = event.fact.isGrant && before.stage != after.stage && after.activation.isInactive
        if isRefusal, !effects.contains(.postInterruptionBegan(.default)) { session.wasRefused = true }
        if event.fact == .host(.sleepAnnounced), !effects.contains(.allowSleep) { fail("the machine waits to sleep") }
        if after.isConnected == session.isLost { fail("the app does not know whether the server is there") }
        checkHint(effects, before: before, after: after)
        let isWaking = event.fact == .host(.wokeFromSleep)
        if before == after, !isWaking, effects.contains(where: \.isNotification) {
            fail("a notification without a change")
        }
    }

    private mutating func checkHint(_ effects: [SessionEffect], before: SessionState, after: SessionState) {
        let begins = after.secondaryAudioShouldBeSilenced
        let hasChanged =
            before.activation.isActive && after.activation.isActive && before.secondaryAudioShouldBeSilenced != begins
        let posted = effects.filter { if case .postSilenceSecondaryAudioHint = $0 { true } else { false } }
        if posted != (hasChanged ? [.postSilenceSecondaryAudioHint(begins: begins)] : []) {
            fail("hints \(posted), the session being \(after.stage)")
        }
    }
}

extension SessionFact {
    fileprivate var isGrant: Bool { if case .host(.claimGranted) = self { true } else { false } }
}

extension SessionEffect {
    fileprivate var isNotification: Bool {
        switch self {
        case .postRouteChange, .postAvailableInputsChange, .postInterruptionBegan, .postInterruptionEnded,
            .postBecameActive, .postBecameInactive, .postResumptionRecommendation, .postSilenceSecondaryAudioHint,
            .postMediaServicesLost, .postMediaServicesReset, .postOutputMuteChange, .postUserIntentToUnmute,
            .postInputMuteChange:
            true
        case .reply, .setPortVolume, .claim, .suspendClaim, .release, .linkStream, .unlinkStream, .startPlayer,
            .pausePlayer,
            .suppressPlayer,
            .setGain, .preferCycle, .failPlayer, .allowSleep, .wake:
            false
        }
    }
}
