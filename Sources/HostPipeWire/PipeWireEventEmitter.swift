internal import AudioModel
internal import HostInterface
internal import Synchronization

/// Folds one server's facts and turns them into host events.
///
/// The shim's callbacks hold it; it knows no host and no stream. Another server, after a loss, has another reporter.
///
/// Threads: facts come on the loop thread, one after the other, and every event is delivered there; the session thread
/// reads places and hands in claims.
final class PipeWireEventEmitter: Sendable {
    private struct State {
        var facts = PipeWireInventory()
        /// What the session was last told; nil before the first time.
        var told: PipeWireInventory?
        var delivery: PipeWireDelivery?
        /// The first poke has come: `start` has returned, or the connection has been put in a lost one's place.
        var isOpen = false
        var isLost = false
        var hasToldLoss = false
        var hasSettled = false
        /// The server's words, until the loss has been told.
        var untoldLoss: String?
        /// The facts are one consistent state, not the middle of a burst.
        var isSettled = false
        /// A stream was silenced: an inventory must follow, be it the same as before.
        var owesInventory = false
        /// The ports that streams were to be linked to and that had gone; to be told as losses.
        var missed: [StreamID: String] = [:]
        var board = PipeWireClaimRegistry()
        /// Answers that wait for the first inventory, or for `claim` to return.
        var answers: [HostEvent] = []
        var linked: [StreamID: [String]] = [:]
        /// The streams that the user has moved; the session was told where.
        var moved: Set<StreamID> = []

        mutating func takeAnswers() -> [HostEvent] {
            defer { answers = [] }
            return answers
        }
    }

    /// How far the server is, for whoever waits for it.
    enum Progress: Hashable, Sendable {
        /// It has not told its state yet.
        case waiting
        /// It has, but nobody has chosen a default, or there is no output: its session manager may be starting.
        case settled
        case complete
        case lost
    }

    private let state = Mutex(State())
    /// The first event is `connectionRestored`, together with the first inventory.
    private let followsALoss: Bool
    private let onLossTold: @Sendable () -> Void
    private let onProgress: @Sendable () -> Void

    /// - Parameters:
    ///   - onLossTold: called on the loop thread, after the delivery.
    ///   - onProgress: called on the loop thread when `progress` or `hasTold` may have changed.
    init(
        followsALoss: Bool, onLossTold: @escaping @Sendable () -> Void, onProgress: @escaping @Sendable () -> Void
    ) {
        self.followsALoss = followsALoss
        self.onLossTold = onLossTold
        self.onProgress = onProgress
    }

    // MARK: Any thread

    /// An inventory has been delivered.
    var hasTold: Bool { state.withLock { $0.told != nil } }
    var hasToldLoss: Bool { state.withLock { $0.hasToldLoss } }

    var progress: Progress {
        state.withLock { state in
            if state.isLost { return .lost }
            guard state.hasSettled else { return .waiting }
            return state.facts.isComplete ? .complete : .settled
        }
    }

    // MARK: Session thread

    var facts: PipeWireInventory { state.withLock { $0.facts } }
    var isLost: Bool { state.withLock { $0.isLost } }

    /// From the first poke on, events are delivered.
    func begin(_ delivery: PipeWireDelivery) { state.withLock { $0.delivery = delivery } }

    /// Delivered with the next poke.
    func answer(_ event: HostEvent) { state.withLock { $0.answers.append(event) } }

    func setLinks(_ uids: [String]?, of stream: StreamID) {
        state.withLock {
            $0.linked[stream] = uids
            $0.missed[stream] = nil
        }
    }

    /// The port had gone when a stream was to be linked: with the next poke it is told as any other loss.
    ///
    /// It may be back by then, and no other event would tell its session that the stream is not on it.
    func missed(_ uid: String, by stream: StreamID) { state.withLock { $0.missed[stream] = uid } }

    /// Nothing is delivered from here on.
    func end() { state.withLock { $0.delivery = nil } }

    func forget(_ stream: StreamID) {
        state.withLock {
            $0.linked[stream] = nil
            $0.missed[stream] = nil
            $0.moved.remove(stream)
        }
    }

    // MARK: Loop thread

    func apply(_ fact: PipeWireFact) {
        state.withLock {
            $0.facts.apply(fact)
            $0.isSettled = false
        }
    }

    func settled() {
        state.withLock {
            $0.isSettled = true
            $0.hasSettled = true
        }
        report()
    }

    func poked() {
        state.withLock { $0.isOpen = true }
        tellLoss()
        report()
    }

    /// Tells what there is to tell; in the middle of a burst of facts nothing, for its end is on the way.
    private func report() {
        defer { onProgress() }
        deliver(mayBeFirst: true) { state in
            guard state.isSettled || state.isLost else { return [] }
            defer { state.missed = [:] }
            if state.isLost { return state.takeAnswers() }
            let losses = state.missed.map { HostEvent.streamSilenced($0, lostPortUID: $1) }
            if !losses.isEmpty { state.owesInventory = true }
            let isFirst = state.told == nil
            let ports = inventories(&state)
            let others = state.board.takeNews()
            // Who asks at the first inventory is to be told of all that is there.
            let first: [HostEvent] = isFirst && followsALoss ? [.connectionRestored] : []
            return losses + first + (isFirst ? others + ports : ports + others) + state.takeAnswers()
        }
    }

    /// Nothing, where the session knows it all.
    private func inventories(_ state: inout State) -> [HostEvent] {
        defer {
            state.told = state.facts
            state.owesInventory = false
        }
        let inventory = state.facts.inventory
        guard let told = state.told else {
            return [.inventoryChanged(inventory)]
        }
        if told.inventory != inventory { return state.facts.steps(after: told).map { .inventoryChanged($0) } }
        return state.owesInventory ? [.inventoryChanged(inventory)] : []
    }

    func rested() {
        apply(.rested)
        settled()
    }

    /// - Parameter target: index in the last link's ports.
    func silenced(_ stream: StreamID, target: Int) {
        deliver { state in
            let linked = state.linked.removeValue(forKey: stream) ?? []
            state.owesInventory = true
            return [.streamSilenced(stream, lostPortUID: linked.indices.contains(target) ? linked[target] : "")]
        }
    }

    func failed(_ stream: StreamID, _ message: String) {
        deliver { state in
            state.linked[stream] = nil
            return [.streamFailed(stream, .refused(message))]
        }
    }

    /// Each choice is told, also of the output that was chosen before: the app may have chosen another in between, and the
    /// newest counts.
    ///
    /// Where the user picks the very target that stands in the metadata, there is nothing to tell: the server keeps what
    /// does not change to itself (PipeWire, impl-metadata.c: `impl_set_property`). To hear of it we would have to take the
    /// user's target out when the app chooses. That is the session manager's book: WirePlumber 0.4 forgets with it which
    /// output the program is to have next time, a sandbox may not write there, and what we write late takes out a newer
    /// choice.
    func moved(_ stream: StreamID, target: String?) {
        deliver { state in
            guard let target else {
                // Else it was no choice of the session's: lifting it must not lift what the user chose for another stream.
                return state.moved.remove(stream) == nil ? [] : [.outputChosen(uid: nil)]
            }
            // A target that is not there chooses nothing, and lifts nothing either; nor does an input stream's, an input.
            guard let port = state.facts.place(target: target)?.port, port.direction == .output else { return [] }
            state.moved.insert(stream)
            return [.outputChosen(uid: port.uid)]
        }
    }

    /// Other programs are told of at once, not at the end of a burst: who waits for a claim has no time to lose.
    func onBoard(_ change: (inout PipeWireClaimRegistry) -> Void) {
        state.withLock { change(&$0.board) }
        deliver { state in state.told == nil || state.isLost ? [] : state.board.takeNews() }
    }

    /// Tells what belongs to no burst, though never before the first inventory.
    func tell(_ event: HostEvent) {
        answer(event)
        deliver { state in state.told == nil ? [] : state.takeAnswers() }
    }

    func lost(_ message: String) {
        state.withLock { state in
            state.isLost = true
            state.board = PipeWireClaimRegistry()
            state.untoldLoss = message
            state.linked = [:]
        }
        tellLoss()
        onProgress()
    }

    private func tellLoss() {
        var isTold = false
        // Nothing where the server was never told to be back.
        deliver { state in
            guard let message = state.untoldLoss else { return [] }
            state.untoldLoss = nil
            state.hasToldLoss = true
            isTold = true
            return [.connectionLost(message)]
        }
        if isTold { onLossTold() }
    }

    /// The lock is not held while the session's mailbox is called.
    ///
    /// - Parameter mayBeFirst: what is told may be, or come before, the news that the server is back.
    private func deliver(mayBeFirst: Bool = false, _ change: (inout sending State) -> [HostEvent]) {
        let (events, delivery) = state.withLock { state -> ([HostEvent], PipeWireDelivery?) in
            // Before `start` has returned nothing is told; what is told then is the state of that moment.
            guard state.isOpen, mayBeFirst || !followsALoss || state.told != nil, let delivery = state.delivery else {
                return ([], nil)
            }
            return (change(&state), delivery)
        }
        delivery?.deliver(events)
    }
}
