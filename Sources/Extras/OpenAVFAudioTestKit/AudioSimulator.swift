internal import AudioModel
internal import HostSimulated
public import OpenAudioSession
internal import SceneCore
internal import SceneRuntime
internal import SessionRest
internal import SessionRuntime
internal import SimulatedControls
internal import Synchronization
internal import Threading

/// A simulated machine.
///
/// A test controls its devices, settings, calls and clock.
///
/// Time is virtual: it advances only in ``advance(bySeconds:)``. Every method returns when the sessions have processed its
/// effects and every observer has been called. Create one per test, with ``SimulatorTrait`` or `run(_:isolation:_:)`. Within it,
/// `AVAudioSession.sharedInstance()` is the simulator's session, so that tests can run in parallel.
///
///     try await AudioSimulator.run(.phone) { phone in
///         phone.plug(.wiredHeadphones)
///         #expect(AVAudioSession.sharedInstance().currentRoute.outputs.first?.portType == .headphones)
///     }
///
/// Thread: any except the session thread and the poster (do not call it in a notification handler).
public final class AudioSimulator: Sendable {
    /// The session of this machine's first app.
    ///
    /// ``launchApp(named:)`` starts other apps.
    public let session: AVAudioSession
    let host: SimulatedHost
    /// The scene of a simulator that was made for one.
    let stage: SceneStage?
    let sceneIsPerformed = Atomic(false)
    /// The launched apps that have not been killed.
    let apps = Monitor<[App]>([])

    /// The simulator of the current test.
    @TaskLocal public static var current: AudioSimulator?

    /// Creates a machine at time 0 with its built-in devices; `run(_:isolation:_:)` also ends it.
    ///
    /// - Throws: an error if the session cannot start, which does not happen on a new machine.
    public init(_ machine: Machine = .phone) throws {
        host = SimulatedHost(machine.simulated)
        stage = nil
        session = AVAudioSession(watched: try SessionRuntime(host: host))
    }

    /// Creates the machine of a scene at time 0.
    init(_ scene: AudioScene) throws {
        let stage = SceneStage(scene, captureSeconds: 60)
        self.stage = stage
        host = stage.host
        session = AVAudioSession(watched: try SessionRuntime(host: host, recorders: [stage.recorder]))
    }

    /// Runs `body` with a new simulator.
    ///
    /// Within it, `AVAudioSession.sharedInstance()` is the simulator's session.
    public static func run<Value>(
        _ machine: Machine = .phone, isolation: isolated (any Actor)? = #isolation,
        _ body: (AudioSimulator) async throws -> Value
    ) async throws -> Value {
        try await AudioSimulator(machine).use(body)
    }

    /// Runs `body`, within which `AVAudioSession.sharedInstance()` is this simulator's session, alone on every thread; ends it.
    func use<Value>(
        alone: Bool = false, isolation: isolated (any Actor)? = #isolation,
        _ body: (AudioSimulator) async throws -> Value
    ) async throws -> Value {
        defer { shutdown() }
        return try await Self.$current.withValue(self) {
            guard alone else {
                return try await AVAudioSession.$taskSession.withValue(session) { try await body(self) }
            }
            let outer = AVAudioSession.processSession.withLock { $0 }
            AVAudioSession.processSession.withLock { $0 = session }
            defer { AVAudioSession.processSession.withLock { $0 = outer } }
            return try await body(self)
        }
    }

    // MARK: Devices

    /// Connects a device.
    ///
    /// The newest output and the newest input become the machine's defaults.
    public func plug(_ device: Device) {
        host.plug(device.simulated)
        settle()
    }

    /// Disconnects a device.
    ///
    /// The previous defaults are used again.
    public func unplug(_ device: Device) {
        host.unplug(device.simulated)
        settle()
    }

    /// Selects another default output, like the user in the machine's settings.
    public func setDefaultOutput(_ device: Device) {
        host.setDefaultOutput(device.uid)
        settle()
    }

    /// Sets the volume of a device, like the user in a mixer; see `AVAudioSession.outputVolume`.
    ///
    /// - Parameters:
    ///   - device: must be plugged in.
    ///   - volume: 0...1.
    ///   - isMuted: whether the device is silent at this volume.
    public func setVolume(of device: Device, to volume: Float, isMuted: Bool = false) {
        // A device that is not plugged is in the list of violations.
        try? host.setVolume(PortVolume(level: volume, isMuted: isMuted), ofPort: device.uid)
        settle()
    }

    /// Changes the sample rate of the device's hardware, in hertz.
    public func setSampleRate(of device: Device, to hertz: Double) {
        host.setSampleRate(of: device.uid, to: hertz)
        settle()
    }

    /// Sets the signal that a device's microphone records from now on; nil is silence.
    ///
    /// - Parameters:
    ///   - device: one with a microphone; it need not be plugged in yet.
    ///   - signal: returns the sample, nominal ±1, of a channel at a frame. Frames are counted from the creation of the
    ///     machine at 48 kHz, for every rate of the device. Called on the thread that advances the time.
    @preconcurrency
    public func setInput(of device: Device, _ signal: (@Sendable (_ frame: Int, _ channel: Int) -> Float)?) {
        host.setInput(of: device.simulated.inputUID ?? device.uid, signal)
    }

    // MARK: Time and sound

    /// The virtual time since the machine was created, in seconds.
    public var now: Double { host.now().seconds }

    /// Advances the time: players play, and their sound reaches the ports.
    ///
    /// What happens on the way, as the end of a player's item, is reacted to at its moment: time waits until every observer has
    /// been called and what it has asked for is done. On the main thread, observers of the main thread are called here.
    public func advance(bySeconds seconds: Double) {
        settle()
        host.advance(seconds: seconds, afterEvents: { settle() }, isBusy: { isBusy })
        settle()
    }

    /// The samples that reached an output in the last minute: `[channel][frame]`, Float32, nominal ±1.
    public func samples(of device: Device) -> [[Float]] { host.capture(of: device.uid) }

    /// The number of frames above -60 dBFS on any channel that reached an output since `time` (seconds).
    public func loudFrames(of device: Device, since time: Double = 0) -> Int {
        host.loudFrames(of: device.uid, since: Int((time * host.sampleRate).rounded()))
    }

    /// Violations of the host's rules by the sessions, and impossible requests by the test ("script: ...").
    ///
    /// Empty unless this library or the test has a fault.
    public var violations: [String] { host.violations }

    /// Waits until the sessions of all apps have applied every event and every notification has been delivered.
    public func settle() {
        // An event of one app may cause events in others: repeat until a round delivers no event.
        for _ in 0..<Self.mostRounds {
            let told = host.deliveredCount
            for runtime in processes { runtime.drain() }
            if host.deliveredCount == told { return }
        }
        host.object(script: "the apps still cause events in each other after \(Self.mostRounds) rounds")
    }

    /// Far more than any chain of interruptions needs.
    ///
    /// Two apps that react to each other forever fail a test, not hang it.
    private static let mostRounds = 1000

    /// Whether an app still works on something.
    var isBusy: Bool { processes.contains { !$0.isAtRest } }

    private var processes: [SessionRuntime] { [session.runtime] + apps.withLock { $0 }.map(\.session.runtime) }

    func shutdown() {
        for runtime in processes { runtime.shutdown() }
        apps.withLock { $0 = [] }
    }
}

extension AudioSimulator {
    /// The built-in devices of the simulated machine.
    public enum Machine: Sendable, CaseIterable {
        /// Speaker, receiver and microphone.
        case phone
        /// A card with one sink for its speaker and for a jack (``Device/headphonesInJack``), and a microphone.
        case laptop
        /// Line out and a microphone.
        case desktop
        /// Nothing: every port must be plugged in.
        case bare

        var simulated: SimulatedMachine {
            switch self {
            case .phone: .phone
            case .laptop: .laptop
            case .desktop: .desktop
            case .bare: .bare
            }
        }
    }
}
