import AudioModel
import HostInterface

/// Everything a `SimulatedHost` guards with its lock.
struct MachineState: Sendable {
    let rate: Int
    var hardware: Hardware
    var frame = 0
    var quantum: Int
    var serverIsUp = true

    // The session's side.
    var deliver: (@Sendable (HostEvent) -> Void)?
    var outbox: [HostEvent] = []
    var streams: [StreamID: StreamState] = [:]
    /// The order in which the streams were opened, which is the order in which they render.
    var streamOrder: [StreamID] = []
    var usedStreamIDs: Set<StreamID> = []
    var heldClaims: Set<ClaimID> = []
    /// Refused, or lost with the connection: the session may release them or not.
    var voidClaims: Set<ClaimID> = []
    var usedClaimIDs: Set<ClaimID> = []

    // Who is where. Each is set and cleared by the thread it names.
    var advancer: ThreadID?
    var deliverer: ThreadID?
    var renderer: (id: StreamID, thread: ThreadID)?
    var pacer: Pacer?

    // Faults on cue.
    var nextClaimError: HostError?
    var nextLinkError: HostError?
    var nextOpenError: HostError?

    // The record.
    let captureLimit: Int
    var captures: [String: PortCapture] = [:]
    var steps: [(frame: Int, action: @Sendable (SimulatedHost) -> Void)] = []
    var timeline: [TimelineEntry] = []
    private(set) var violations: [String] = []
    /// When each port left that was there once.
    var departures: [String: Int] = [:]
    /// Memory of closed streams, kept for a while to see whether anybody still writes to it.
    private(set) var retired: [(id: StreamID, buffers: RenderBuffers)] = []

    init(machine: SimulatedMachine, rate: Int, quantum: Int, captureLimit: Int) {
        self.rate = rate
        self.quantum = quantum
        self.captureLimit = captureLimit
        hardware = Hardware(machine)
        openCaptures()
    }

    mutating func note(_ fact: TimelineFact) { timeline.append(TimelineEntry(frame, fact)) }

    /// Records a breach of the contract, each text once, and a thousand at most.
    mutating func object(_ text: String) {
        guard violations.count < 1000, !violations.contains(text) else { return }
        violations.append(text)
    }

    /// Queues an event for the session; there is none to hear it before `start`, after `shutdown`, or across a crash.
    mutating func emit(_ event: HostEvent) {
        guard deliver != nil else { return }
        outbox.append(event)
    }

    /// Objects to a call of the session from a place where the contract allows none.
    mutating func checkCaller(of call: String) {
        let thread = ThreadID.current
        if deliverer == thread {
            object("\(call) was called from inside deliver; deliver may only enqueue the event and return")
        }
        if renderer?.thread == thread {
            object("\(call) was called from the renderer; only the session's thread may call the host")
        }
    }

    // MARK: Hardware

    /// Ends a change of the hardware: silences the streams whose port is gone before anybody hears of it, then reports.
    mutating func settle(since before: Hardware) {
        for id in streamOrder {
            guard let stream = streams[id], stream.isGateOpen else { continue }
            let lost = stream.links.lazy.compactMap { [hardware] in hardware.lostPortUID(linkedTo: $0, since: before) }
            guard let lostUID = lost.first else { continue }
            closeGate(id)
            emit(.streamSilenced(id, lostPortUID: lostUID))
        }
        let (old, new) = (before.inventory, hardware.inventory)
        guard old != new else { return }
        for port in old.ports where new.port(uid: port.uid) == nil { departures[port.uid] = frame }
        if old.defaultOutputUID != new.defaultOutputUID { note(.defaultOutputChanged(new.defaultOutputUID)) }
        if old.defaultInputUID != new.defaultInputUID { note(.defaultInputChanged(new.defaultInputUID)) }
        openCaptures()
        if serverIsUp { emit(.inventoryChanged(new)) }
    }

    /// Begins to record the output ports that are not recorded yet, or had another number of channels.
    private mutating func openCaptures() {
        for port in hardware.inventory.outputs where captures[port.uid]?.channels.count != port.channels.count {
            captures[port.uid] = PortCapture(
                channelCount: port.channels.count, startFrame: frame, limit: captureLimit)
        }
    }

    // MARK: The session's claims and streams

    /// The claims are gone without the session's doing.
    mutating func voidHeldClaims() {
        voidClaims.formUnion(heldClaims)
        heldClaims = []
    }

    mutating func closeGate(_ id: StreamID) {
        guard streams[id]?.isGateOpen == true else { return }
        streams[id]?.links = []
        streams[id]?.generation += 1
        note(.streamGated(id))
    }

    /// Takes the stream out of every later cycle.
    mutating func fail(_ id: StreamID, _ error: HostError) {
        closeGate(id)
        streams[id]?.isRunning = false
        streams[id]?.failure = error
        note(.streamFailed(id))
    }

    /// Returns what the stream held, to be let go of after the lock: the session's closures may end in a call of ours.
    mutating func close(_ id: StreamID) -> StreamState? {
        guard streams[id] != nil else { return nil }
        closeGate(id)
        if let buffers = streams[id]?.buffers {
            retired.append((id, buffers))
            if retired.count > 16 { retired.removeFirst() }
        }
        streamOrder.removeAll { $0 == id }
        note(.streamClosed(id))
        return streams.removeValue(forKey: id)
    }

    /// Looks for writes to memory that is out of use.
    ///
    /// For calls between cycles only.
    mutating func inspectMemory() {
        for id in streamOrder {
            if let fault = streams[id]?.buffers?.strayWrite { object("stream \(id.number): \(fault)") }
        }
        for (id, buffers) in retired {
            if let fault = buffers.strayWrite { object("stream \(id.number), which is closed: \(fault)") }
        }
    }
}
