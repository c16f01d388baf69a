package import AudioModel
package import HostInterface
package import Threading

/// A simulated machine, as one of its apps sees it: a test causes every audio event, time is virtual, and the samples of
/// each port can be recorded.
///
/// Time is counted in frames at the machine's rate, starts at 0 and moves only in `advance` (or in `runInRealTime`).
/// Renderers run on the thread that advances. A session connects with `start` and leaves with `shutdown`, and may connect
/// again later.
///
/// `anotherApp` gives the host of a further app on the same machine. What an app has of its own are its session, its
/// claims and its streams; the hardware, the clock, the other programs, the claim registry and the record are the
/// machine's, and the same through every app's host. The machine lives as long as one of them.
///
/// Events are delivered on the thread that caused them, between cycles, one after the other, before the call that caused
/// them returns; the closure may therefore do no more than enqueue. The first inventory is delivered as the last act of
/// `start`: for a closure that only enqueues this is the same as after it.
///
/// The host holds no lock while it calls out. `violations` has what a session does against the contract, also where the
/// protocol throws, and the mistakes of the script that drives the machine; these begin with "script:".
package final class SimulatedHost: AudioHost {
    package let name = "simulated"
    package let hasVirtualTime = true
    package let sampleRate: Double
    package let machine: SharedMachine
    package var machineIdentity: AnyObject { machine }
    package let app: AppID
    package var state: Monitor<MachineState> { machine.state }

    /// The longest cycle, in frames.
    package static let maximumQuantum = 8192

    /// A new machine with its first app, whose sound is not recorded.
    ///
    /// - Parameters:
    ///   - sampleRate: hertz, a whole number from 1 to 768 000.
    ///   - quantum: frames of one cycle, 1 to 8192.
    ///   - appName: what the app's peers see; the record and the violations name it too.
    package convenience init(
        silent machine: SimulatedMachine, sampleRate: Int = 48000, quantum: Int = 480, appName: String = ""
    ) {
        precondition((1...768_000).contains(sampleRate), "the rate is \(sampleRate) Hz; allowed are 1 to 768000")
        precondition(
            (1...Self.maximumQuantum).contains(quantum),
            "the quantum is \(quantum) frames; allowed are 1 to \(Self.maximumQuantum)")
        var state = MachineState(machine: machine, rate: sampleRate, quantum: quantum)
        let app = state.launch(named: appName)
        self.init(machine: SharedMachine(state), app: app, sampleRate: Double(sampleRate))
    }

    /// Another handle to an existing app.
    package init(machine: SharedMachine, app: AppID, sampleRate: Double) {
        self.machine = machine
        self.app = app
        self.sampleRate = sampleRate
    }

    // MARK: AudioHost

    /// Throws: `unreachable` while the server is down or when the app was killed, `refused` when the session is connected
    /// already.
    package func start(deliver: @escaping @Sendable (HostEvent) -> Void) throws(HostError) {
        try change { state throws(HostError) in
            state.checkCaller(of: "start", by: app)
            if state[app].isKilled { throw .unreachable("this app was killed; launch another one") }
            if state[app].deliver != nil {
                state.object("start was called twice; shut the host down before starting it again", to: app)
                throw .refused("this session is connected already; shut the host down before starting it again")
            }
            if !state.serverIsUp {
                throw .unreachable("the simulated server is down; wait until it returns")
            }
            state.beginSession(of: app, deliver: deliver)
            state.note(.connected, of: app)
            state.tellOthers(to: app)
            state.emit(.inventoryChanged(state.hardware.inventory), to: app)
        }
    }

    package func shutdown() { end(as: .disconnected) }

    /// The start of the current cycle, exact to the nanosecond below.
    package func now() -> HostTime { state.withLock { $0.now } }

    package func openStream(_ configuration: StreamConfiguration) throws(HostError) -> any HostStream {
        let key = StreamKey(app: app, id: configuration.id)
        try change { state throws(HostError) in
            state.checkCaller(of: "openStream", by: app)
            if state[app].isKilled { throw .connectionLost }
            guard state[app].deliver != nil else {
                state.object(
                    "stream \(key.number) was opened while the session is not connected; call start first", to: app)
                throw .unreachable("the session is not connected to the simulated machine; activate it again")
            }
            guard state.serverIsUp else { throw .connectionLost }
            if let error = state[app].nextOpenError {
                state[app].nextOpenError = nil
                throw error
            }
            if let fault = Self.fault(in: configuration, machineRate: state.rate) {
                state.object(fault, to: key)
                throw .refused(fault)
            }
            guard state[app].usedStreamIDs.insert(key.id).inserted else {
                state.object("stream \(key.number) was opened twice; ids are never used again", to: app)
                throw .refused("stream \(key.number) was opened before; ids are never used again")
            }
            let clock = StreamClock(streamRate: Int(configuration.sampleRate.rounded()), machineRate: state.rate)
            state.streams[key] = StreamState(configuration: configuration, clock: clock)
            state.streamOrder.append(key)
            state.note(.streamOpened(key.id), of: app)
        }
        return SimulatedStream(key: key, host: self)
    }

    /// Sets the volume of a port for all apps, as a mixer or an app does.
    package func setVolume(_ volume: PortVolume, ofPort uid: String) throws(HostError) {
        try change { state throws(HostError) in
            guard state.hardware.port(uid: uid) != nil else {
                state.object("the volume of \(uid) was set, but there is no such port")
                throw .noSuchPort(uid: uid)
            }
            let before = state.hardware
            state.hardware.setVolume(volume, ofPort: uid)
            state.applyHardwareChange(since: before)
        }
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
}
