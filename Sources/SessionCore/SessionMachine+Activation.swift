internal import AudioModel

extension SessionMachine {
    /// Success at once while active; else a claim, or a place in the queue behind the claim that is under way.
    ///
    /// `record` needs an input now. `playAndRecord` does not (`RoutePolicy.isUnsuitable`), nor do the playing categories
    /// need an output: a session may be active before the headphones are plugged in.
    mutating func activate(for call: CallID, at time: HostTime) -> [SessionEffect] {
        guard state.isConnected else { return [.reply(call, .connectionLost)] }
        return dropOverdueDoubts(at: time) + claim(for: call)
    }

    private mutating func claim(for call: CallID) -> [SessionEffect] {
        switch state.activation {
        case .active:
            return [.reply(call, nil)]
        case .claiming:
            state.waitingCalls.append(call)
            return []
        case .inactive:
            let category = state.configuration.category
            if category == .record, state.hasInventory, state.inventory.inputs.isEmpty {
                return [
                    .reply(
                        call,
                        SessionError(
                            .resourceNotAvailable,
                            "Category record needs an input, and none is connected. Connect a microphone, or set one of: "
                                + "\(RoutePolicy.availableCategories(state.inventory).map { "\($0)" }.joined(separator: ", "))."
                        ))
                ]
            }
            state.claimCount += 1
            let id = ClaimID(number: state.claimCount)
            state.activation = .claiming(id)
            state.waitingCalls = [call]
            return [.claim(id, state.configuration)]
        }
    }

    /// Always succeeds; an activation that was waiting for its claim is told that it has been overtaken.
    mutating func deactivate(for call: CallID, notifyOthers: Bool, isSuperseded: Bool) -> [SessionEffect] {
        guard !isSuperseded else { return [.reply(call, nil)] }
        let overtaken = SessionError(
            .sessionNotActive,
            "The session was deactivated before its activation was granted. Activate it again to sound.")
        return endActivation(with: overtaken, notifyOthers: notifyOthers) + [.reply(call, nil)]
    }

    /// Goes back to inactive and answers the waiting calls with `error`.
    ///
    /// A claim at a server that is gone needs no release.
    mutating func endActivation(with error: SessionError, notifyOthers: Bool = false) -> [SessionEffect] {
        let replies = state.waitingCalls.map { SessionEffect.reply($0, error) }
        state.waitingCalls = []
        defer { state.activation = .inactive }
        switch state.activation {
        case .inactive: return replies
        case .claiming(let id), .active(let id):
            return (state.isConnected ? [.release(id, notifyOthers: notifyOthers)] : []) + replies
        }
    }

    /// An answer to a claim that is no longer wanted changes nothing: it has been released already.
    mutating func grantClaim(_ id: ClaimID, at place: ClaimPlace) -> [SessionEffect] {
        guard state.activation == .claiming(id) else { return [] }
        state.activation = .active(id)
        defer { state.waitingCalls = [] }
        return state.waitingCalls.map { .reply($0, nil) }
    }

    mutating func refuseClaim(_ id: ClaimID, _ error: SessionError) -> [SessionEffect] {
        guard state.activation == .claiming(id) else { return [] }
        state.activation = .inactive
        defer { state.waitingCalls = [] }
        return state.waitingCalls.map { .reply($0, error) }
    }
}

extension SessionError {
    static let connectionLost = SessionError(
        .mediaServicesFailed,
        "The connection to the sound server is lost. Wait until it is back, then activate the session and open the "
            + "player again.")
}
