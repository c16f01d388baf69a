package import AudioModel
internal import SceneCore
package import SessionCore
internal import SessionRuntime
internal import Synchronization

/// Notes what a session is told and what its streams do, for the history of a scene.
///
/// It sees the machine's own events and effects, so that a history has the causes that the session decided by.
package final class SceneRecorder: SessionRecorder {
    private struct Notes {
        var entries: [SceneHistory.Entry] = []
        var numbers: [StreamID: (number: Int, isRecorder: Bool)] = [:]
        var counts = (players: 0, recorders: 0)
        var streams: [StreamID: (state: AudioScene.PlayerState, cause: SceneHistory.Cause)] = [:]
        var session = AudioScene.SessionState.inactive
        var portNames: [String: String] = [:]
        var lost: [String] = []
        var route = Route.empty
    }

    private let start: HostTime
    private let names: [String: String]
    private let notes = Mutex(Notes())

    /// - Parameters:
    ///   - start: time 0 of the scene.
    ///   - names: what the scene calls the ports, by uid.
    package init(start: HostTime = HostTime(nanoseconds: 0), names: [String: String] = [:]) {
        self.start = start
        self.names = names
    }

    /// The entries since the last call.
    func takeEntries() -> [SceneHistory.Entry] {
        notes.withLock { notes in
            defer { notes.entries = [] }
            return notes.entries
        }
    }

    /// The route as it is now.
    var route: SceneHistory.RouteNames { notes.withLock { names($0.route, $0) } }

    package func begin(on host: String, _ state: SessionState) {}

    package func end() {}

    package func record(_ event: SessionEvent, _ effects: [SessionEffect], _ state: SessionState) {
        notes.withLock { notes in
            let nanoseconds = event.time.nanoseconds - min(event.time.nanoseconds, start.nanoseconds)
            let time = AudioScene.Time(microseconds: Int(clamping: nanoseconds / 1000))
            func note(_ what: SceneHistory.What) { notes.entries.append(.init(time, what)) }
            for port in state.inventory.ports { notes.portNames[port.uid] = names[port.uid] ?? port.name }
            noteLosses(of: event.fact, &notes)
            for change in streamChanges(event.fact, effects, state, &notes) { note(change) }
            let session = sessionState(state)
            if let session, session != notes.session {
                notes.session = session
                note(.session(session))
            }
            for effect in effects {
                if let notice = notice(of: effect, state, notes) { note(notice) }
            }
            notes.route = state.route
        }
    }

    private func noteLosses(of fact: SessionFact, _ notes: inout Notes) {
        switch fact {
        case .host(.portLost(let loss)): notes.lost = [notes.portNames[loss.portUID] ?? ""]
        case .host(.inventoryChanged(_, let losses)) where !losses.isEmpty:
            var seen: Set<String> = []
            notes.lost = losses.map { notes.portNames[$0.portUID] ?? "" }.filter { seen.insert($0).inserted }
        default: break
        }
    }

    // MARK: Streams

    private func streamChanges(
        _ fact: SessionFact, _ effects: [SessionEffect], _ state: SessionState, _ notes: inout Notes
    ) -> [SceneHistory.What] {
        var changes: [SceneHistory.What] = []
        func change(_ id: StreamID, _ new: AudioScene.PlayerState, _ cause: SceneHistory.Cause) {
            guard let name = notes.numbers[id], let old = notes.streams[id], old.state != new else { return }
            notes.streams[id] = (new, cause)
            let why = new == .playing && old.state == .waiting ? old.cause.reasonOfStart : cause
            changes.append(.player(number: name.number, isRecorder: name.isRecorder, new, why))
        }
        for stream in state.streams {
            if notes.numbers[stream.id] == nil {
                let isRecorder = stream.policy.direction == .input
                if isRecorder { notes.counts.recorders += 1 } else { notes.counts.players += 1 }
                notes.numbers[stream.id] = (isRecorder ? notes.counts.recorders : notes.counts.players, isRecorder)
                notes.streams[stream.id] = (.paused, .none)
            }
            switch stream.playback {
            case .resting: change(stream.id, .paused, pauseCause(of: stream.id, fact, effects, state, notes))
            case .waiting: break
            case .started: change(stream.id, .playing, .none)
            case .interrupted:
                change(stream.id, .waiting, stream.isHeld ? .sessionManager : interruptionCause(state, notes))
            case .withoutRoute: change(stream.id, .waiting, .noRoute)
            }
        }
        let open = Set(state.streams.map(\.id))
        for id in notes.streams.keys.filter({ !open.contains($0) }).sorted(by: { $0.number < $1.number }) {
            change(id, .paused, pauseCause(of: id, fact, effects, state, notes))
            notes.streams[id] = nil
        }
        return changes
    }

    private func pauseCause(
        of id: StreamID, _ fact: SessionFact, _ effects: [SessionEffect], _ state: SessionState, _ notes: Notes
    ) -> SceneHistory.Cause {
        for effect in effects {
            switch effect {
            case .pausePlayer(id, let cause):
                switch cause {
                case .oldDeviceUnavailable: return .deviceLeft(notes.lost.joined(separator: ", "))
                case .newDeviceAvailable: return .deviceCame
                case .noSuitableRoute: return .noRoute
                case .user: return .user
                case .interruption: return interruptionCause(state, notes)
                case .deactivation: return .deactivation
                case .refusal: return .refusal
                }
            case .failPlayer(id, let error):
                return state.isConnected ? .failure(error.message.printable) : .serverLost
            default: break
            }
        }
        switch fact {
        case .playerStopped(id): return .endOfSound
        case .pauseRequested(id), .streamClosed(id): return .user
        case .host(.connectionLost): return .serverLost
        default: return .none
        }
    }

    private func interruptionCause(_ state: SessionState, _ notes: Notes) -> SceneHistory.Cause {
        switch state.interruption?.source {
        case nil: .notGivenBack
        case .peer(let serial):
            state.peers.first { $0.serial == serial }.map { peer in
                peer.name == SceneStage.phoneName ? .call("") : .otherApp(peer.name.printable)
            } ?? .otherApp("")
        case .foreignCall:
            .call(
                state.foreignStreams.first { state.roles.effect(ofRole: $0.role) == .interrupts }?.name.printable ?? "")
        case .heldStream: .sessionManager
        case .sleep: .sleep
        case .routeDisconnected: .deviceLeft(notes.lost.joined(separator: ", "))
        case .claimLost: .claimLost
        }
    }

    // MARK: The session

    /// Nil while a claim is under way: it comes to nothing, or it is active at once.
    private func sessionState(_ state: SessionState) -> AudioScene.SessionState? {
        if state.interruption != nil { return .interrupted }
        switch state.activation {
        case .active: return state.isDucked ? .ducked : .active
        case .inactive: return .inactive
        case .claiming: return nil
        }
    }

    private func notice(of effect: SessionEffect, _ state: SessionState, _ notes: Notes) -> SceneHistory.What? {
        switch effect {
        case .postRouteChange(let change):
            .routeChange(
                reason: change.reason.word, from: names(change.previous, notes), to: names(change.current, notes))
        case .postAvailableInputsChange: .availableInputsChange
        case .postInterruptionBegan: .interruptionBegins(because: interruptionCause(state, notes))
        case .postInterruptionEnded(let shouldResume): .interruptionEnds(mayResume: shouldResume)
        case .postResumptionRecommendation: .resumptionRecommended
        case .postSilenceSecondaryAudioHint(let begins): .secondaryAudioHint(begins: begins)
        case .postMediaServicesLost: .mediaServicesLost
        case .postMediaServicesReset: .mediaServicesReset
        case .reply, .claim, .suspendClaim, .release, .linkStream, .unlinkStream, .startPlayer, .pausePlayer,
            .suppressPlayer, .setGain, .preferCycle, .setPortVolume, .failPlayer, .postBecameActive,
            .postBecameInactive,
            .postOutputMuteChange, .postUserIntentToUnmute, .postInputMuteChange, .allowSleep, .wake:
            nil
        }
    }

    private func names(_ route: Route, _ notes: Notes) -> SceneHistory.RouteNames {
        func name(_ port: Port) -> String { names[port.uid] ?? port.name.printable }
        return SceneHistory.RouteNames(outputs: route.outputs.map(name), inputs: route.inputs.map(name))
    }
}

extension SceneHistory.Cause {
    /// Why a player that waited for this plays again.
    fileprivate var reasonOfStart: SceneHistory.Cause {
        switch self {
        case .noRoute: .noRoute
        default: .interruption
        }
    }
}
