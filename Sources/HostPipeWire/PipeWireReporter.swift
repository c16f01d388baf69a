internal import AudioModel
internal import HostInterface
internal import Synchronization

/// Folds the shim's facts and turns them into host events.
///
/// The shim's callbacks hold it; it knows no host and no stream.
///
/// Threads: facts come on the loop thread, one after the other, and every event is delivered there; the session thread
/// reads places and hands in claims.
final class PipeWireReporter: Sendable {
    private struct State {
        var facts = PipeWireInventory()
        /// What the session was last told; nil before the first time.
        var told: PipeWireInventory?
        var deliver: (@Sendable (HostEvent) -> Void)?
        /// The first poke has come: `start` has returned.
        var isOpen = false
        var isLost = false
        /// The server's words, until the loss has been told.
        var untoldLoss: String?
        var claims: [ClaimID] = []
        var linked: [StreamID: [String]] = [:]
        var chosen: [StreamID: String] = [:]
    }

    private let state = Mutex(State())

    // MARK: Session thread

    var facts: PipeWireInventory { state.withLock { $0.facts } }
    var isLost: Bool { state.withLock { $0.isLost } }

    /// From the first poke on, events are delivered.
    func begin(_ deliver: @escaping @Sendable (HostEvent) -> Void) { state.withLock { $0.deliver = deliver } }

    func add(claim: ClaimID) { state.withLock { $0.claims.append(claim) } }

    func setLinks(_ uids: [String]?, of stream: StreamID) { state.withLock { $0.linked[stream] = uids } }

    func forget(_ stream: StreamID) {
        state.withLock {
            $0.linked[stream] = nil
            $0.chosen[stream] = nil
        }
    }

    // MARK: Loop thread

    func apply(_ fact: PipeWireFact) { state.withLock { $0.facts.apply(fact) } }

    func settled() {
        deliver { state in
            var events = state.claims.map { claim in
                state.isLost ? HostEvent.claimRefused(claim, .connectionLost) : .claimGranted(claim)
            }
            state.claims = []
            guard !state.isLost else { return events }
            let inventory = state.facts.inventory
            if state.told == nil {
                events.insert(.inventoryChanged(inventory), at: 0)
            } else if let told = state.told, told.inventory != inventory {
                events += state.facts.steps(after: told).map { .inventoryChanged($0) }
            }
            state.told = state.facts
            return events
        }
    }

    func poked() {
        state.withLock { $0.isOpen = true }
        tellLoss()
        settled()
    }

    func rested() {
        apply(.rested)
        settled()
    }

    func silenced(_ stream: StreamID, nodeID: UInt32, routeIndex: Int32?) {
        deliver { state in
            let linked = state.linked.removeValue(forKey: stream) ?? []
            let uid = state.facts.uid(nodeID: nodeID, routeIndex: routeIndex) ?? linked.first ?? ""
            return [.streamSilenced(stream, lostPortUID: uid)]
        }
    }

    func failed(_ stream: StreamID, _ message: String) {
        deliver { state in
            state.linked[stream] = nil
            return [.streamFailed(stream, .refused(message))]
        }
    }

    func moved(_ stream: StreamID, target: String?) {
        deliver { state in
            let uid = target.flatMap { state.facts.place(target: $0)?.port.uid }
            // A target that is not there chooses nothing, and lifts nothing either.
            guard target == nil || uid != nil, state.chosen[stream] != uid else { return [] }
            state.chosen[stream] = uid
            return [.outputChosen(uid: uid)]
        }
    }

    func lost(_ message: String) {
        state.withLock { state in
            state.isLost = true
            state.untoldLoss = message
            state.linked = [:]
        }
        tellLoss()
    }

    private func tellLoss() {
        deliver { state in
            defer { state.untoldLoss = nil }
            return state.untoldLoss.map { [.connectionLost($0)] } ?? []
        }
    }

    /// The lock is not held while the session's mailbox is called.
    private func deliver(_ change: (inout sending State) -> [HostEvent]) {
        let (events, deliver) = state.withLock { state -> ([HostEvent], (@Sendable (HostEvent) -> Void)?) in
            // Before `start` has returned nothing is told; what is told then is the state of that moment.
            guard state.isOpen, let deliver = state.deliver else { return ([], nil) }
            return (change(&state), deliver)
        }
        for event in events { deliver?(event) }
    }
}
