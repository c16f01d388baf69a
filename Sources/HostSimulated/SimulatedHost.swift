package import AudioModel
package import HostInterface

/// A machine made of values: every audio event on cue, in virtual time, with a record of what reached each port.
///
/// Time is counted in frames at the machine's rate, starts at 0 and moves only in `advance` (or in `runInRealTime`).
/// Renderers run on the thread that advances. The machine lives as long as this object; a session connects to it with
/// `start` and leaves with `shutdown`, and may connect again later.
///
/// Events are delivered on the thread that caused them, between cycles, one after the other, before the call that caused
/// them returns; the closure may therefore do no more than enqueue. The first inventory is delivered as the last act of
/// `start`: for a closure that only enqueues this is the same as after it.
///
/// The host holds no lock while it calls out, and it objects: what a session does against the contract is recorded in
/// `violations`, besides being thrown where the protocol throws. So are mistakes of the script that drives the machine;
/// these begin with "script:".
package final class SimulatedHost: AudioHost {
    package let kind = HostKind.simulated
    package let sampleRate: Double
    /// Threads wait on it until another has left the renderer, `deliver` or `advance`.
    let state: Monitor<MachineState>

    /// The longest cycle, in frames.
    package static let maximumQuantum = 8192

    /// - Parameters:
    ///   - sampleRate: hertz, a whole number from 1 to 768 000.
    ///   - quantum: frames of one cycle, 1 to 8192.
    ///   - captureSeconds: how much of the past each port keeps, in seconds of virtual time.
    package init(
        _ machine: SimulatedMachine = .phone, sampleRate: Int = 48000, quantum: Int = 480, captureSeconds: Double = 60
    ) {
        precondition((1...768_000).contains(sampleRate), "the rate is \(sampleRate) Hz; allowed are 1 to 768000")
        precondition(
            (1...Self.maximumQuantum).contains(quantum),
            "the quantum is \(quantum) frames; allowed are 1 to \(Self.maximumQuantum)")
        precondition(
            captureSeconds >= 0 && captureSeconds < 1e6,
            "the capture is \(captureSeconds) s long; allowed are 0 to 1000000")
        self.sampleRate = Double(sampleRate)
        state = Monitor(
            MachineState(
                machine: machine, rate: sampleRate, quantum: quantum,
                captureLimit: max(1, Int(captureSeconds * Double(sampleRate)))))
    }

    deinit { state.withLock { $0.pacer }?.requestStop() }

    // MARK: AudioHost

    /// Throws: `unreachable` while the server is down, `refused` when the session is connected already.
    package func start(deliver: @escaping @Sendable (HostEvent) -> Void) throws(HostError) {
        try change { state throws(HostError) in
            state.checkCaller(of: "start")
            if state.deliver != nil {
                state.object("start was called twice; shut the host down before starting it again")
                throw .refused("this session is connected already; shut the host down before starting it again")
            }
            if !state.serverIsUp {
                throw .unreachable("the simulated server is down; call restartServer() on the machine")
            }
            state.deliver = deliver
            // A session's ids are its own; a new session may begin at 1 again.
            state.usedStreamIDs = []
            state.usedClaimIDs = []
            state.voidClaims = []
            state.note(.connected)
            state.emit(.inventoryChanged(state.hardware.inventory))
        }
    }

    package func shutdown() {
        // What the closure holds is let go of after the lock: its last act may be a call of ours.
        let (deliver, streams) = state.withLock { state in
            state.checkCaller(of: "shutdown")
            defer {
                state.deliver = nil
                state.outbox = []
            }
            return (state.deliver, state.streamOrder)
        }
        for id in streams { closeStream(id) }
        let thread = ThreadID.current
        state.wait { $0.deliverer != nil && $0.deliverer != thread }
        guard deliver != nil else { return }
        state.withLock { state in
            state.voidHeldClaims()
            state.note(.disconnected)
        }
    }

    /// The start of the current cycle, exact to the nanosecond below.
    package func now() -> HostTime { state.withLock { Self.time(atFrame: $0.frame, rate: $0.rate) } }

    package func claim(_ claim: SessionClaim) {
        change { state in
            state.checkCaller(of: "claim")
            if !state.usedClaimIDs.insert(claim.id).inserted {
                state.object("claim \(claim.id.number) was made twice; each activation has an id of its own")
            }
            if state.deliver == nil {
                state.object("claim \(claim.id.number) was made while the session is not connected; call start first")
            }
            let refusal = state.serverIsUp ? state.nextClaimError : .connectionLost
            state.nextClaimError = nil
            if let refusal {
                state.voidClaims.insert(claim.id)
                state.note(.claimRefused(claim.id))
                state.emit(.claimRefused(claim.id, refusal))
            } else {
                state.heldClaims.insert(claim.id)
                state.note(.claimGranted(claim.id))
                state.emit(.claimGranted(claim.id, ClaimPlace(number: claim.id.number)))
            }
        }
    }

    package func allowSleep() {}
    package func wake(at time: HostTime) {}

    package func release(_ id: ClaimID, notifyingOthers: Bool) {
        change { state in
            state.checkCaller(of: "release")
            if state.heldClaims.remove(id) != nil {
                state.note(.claimReleased(id))
            } else if state.voidClaims.remove(id) == nil {
                state.object("claim \(id.number) was released but is not held; release what was granted, once")
            }
        }
    }

    package func openStream(_ configuration: StreamConfiguration) throws(HostError) -> any HostStream {
        let id = configuration.id
        try change { state throws(HostError) in
            state.checkCaller(of: "openStream")
            guard state.deliver != nil else {
                state.object("stream \(id.number) was opened while the session is not connected; call start first")
                throw .unreachable("the session is not connected to the simulated machine; call start first")
            }
            guard state.serverIsUp else { throw .connectionLost }
            if let error = state.nextOpenError {
                state.nextOpenError = nil
                throw error
            }
            if let fault = Self.fault(in: configuration, machineRate: state.rate) {
                state.object("stream \(id.number): \(fault)")
                throw .refused(fault)
            }
            guard state.usedStreamIDs.insert(id).inserted else {
                state.object("stream \(id.number) was opened twice; ids are never used again")
                throw .refused("stream \(id.number) was opened before; ids are never used again")
            }
            let clock = StreamClock(streamRate: Int(configuration.sampleRate.rounded()), machineRate: state.rate)
            state.streams[id] = StreamState(configuration: configuration, clock: clock)
            state.streamOrder.append(id)
            state.note(.streamOpened(id))
        }
        return SimulatedStream(id: id, host: self)
    }

    private static func fault(in configuration: StreamConfiguration, machineRate: Int) -> String? {
        let rate = configuration.sampleRate
        guard rate >= 1, rate <= 768_000 else {
            return "its rate is \(rate) Hz; allowed are 1 to 768000"
        }
        let least = (Int(rate.rounded()) + machineRate - 1) / machineRate
        guard configuration.maximumFrames >= least else {
            return "its longest cycle is \(configuration.maximumFrames) frames; allowed are \(least) and more"
        }
        return nil
    }

    static func time(atFrame frame: Int, rate: Int) -> HostTime {
        let (seconds, rest) = frame.quotientAndRemainder(dividingBy: rate)
        return HostTime(nanoseconds: UInt64(seconds) * 1_000_000_000 + UInt64(rest) * 1_000_000_000 / UInt64(rate))
    }

    // MARK: Change and delivery

    /// Changes the state under the lock, then delivers what the change has to tell.
    @discardableResult
    func change<Value: Sendable, Failure: Error>(
        _ body: (inout MachineState) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let result = state.withLock { (state) -> Result<Value, Failure> in
            do throws(Failure) { return .success(try body(&state)) } catch { return .failure(error) }
        }
        flush()
        return try result.get()
    }

    /// Delivers the queued events, in the order of the changes; one thread at a time does it, the others wait for it.
    ///
    /// Returns at once inside `deliver`, where the outer call goes on, and inside a renderer, where the cycle does it
    /// when the renderer has returned: no event comes from the render thread.
    func flush() {
        let thread = ThreadID.current
        var isDeliverer = false
        while true {
            let step = state.withLock { state -> DeliveryStep in
                if isDeliverer {
                    state.deliverer = nil
                } else if state.deliverer == thread || state.renderer?.thread == thread {
                    return .done
                } else if state.deliverer != nil {
                    return .wait
                }
                guard let deliver = state.deliver, !state.outbox.isEmpty else { return .done }
                state.deliverer = thread
                return .deliver(deliver, state.outbox.removeFirst())
            }
            switch step {
            case .deliver(let deliver, let event):
                isDeliverer = true
                deliver(event)
            case .wait:
                state.wait { $0.deliverer != nil }
            case .done:
                if isDeliverer { state.notifyAll() }
                return
            }
        }
    }

    private enum DeliveryStep: Sendable {
        case deliver(@Sendable (HostEvent) -> Void, HostEvent)
        case wait
        case done
    }
}
