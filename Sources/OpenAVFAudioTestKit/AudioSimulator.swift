internal import AudioModel
internal import HostSimulated
public import OpenAVFAudio

/// A machine whose plugs, settings, calls and clock a test holds in its hands.
///
/// Time is virtual: it moves only in ``advance(bySeconds:)``, and every method returns when the sessions have dealt with
/// what it caused and every observer has been told. Make one per test, with ``SimulatorTrait`` or ``run(_:_:)``; within
/// it `AVAudioSession.sharedInstance()` is the simulator's session, so that tests run side by side.
///
///     try await AudioSimulator.run(.phone) { phone in
///         phone.plug(.wiredHeadphones)
///         #expect(AVAudioSession.sharedInstance().currentRoute.outputs.first?.portType == .headphones)
///     }
///
/// Thread: any but the session's and the poster's (not in a notification handler).
public final class AudioSimulator: Sendable {
    /// The session of this machine's first app; ``launchApp(named:)`` starts others.
    public let session: AVAudioSession
    let host: SimulatedHost
    /// Those that were launched and live.
    let apps = Monitor<[App]>([])

    /// The simulator of the current test.
    @TaskLocal public static var current: AudioSimulator?

    public init(_ machine: Machine = .phone) throws {
        host = SimulatedHost(machine.simulated)
        session = AVAudioSession(process: try SessionRuntime(host: host))
    }

    /// Runs `body` with a new simulator, whose session is `AVAudioSession.sharedInstance()` meanwhile.
    public static func run<Value>(
        _ machine: Machine = .phone, isolation: isolated (any Actor)? = #isolation,
        _ body: (AudioSimulator) async throws -> Value
    ) async throws -> Value {
        let simulator = try AudioSimulator(machine)
        defer { simulator.shutdown() }
        return try await $current.withValue(simulator) {
            try await AVAudioSession.$taskSession.withValue(simulator.session) { try await body(simulator) }
        }
    }

    // MARK: The hand on the plug

    /// Connects a device; the newest output and the newest input become the machine's defaults.
    public func plug(_ device: Device) {
        host.plug(device.simulated)
        settle()
    }

    /// Takes a device away; the defaults fall back to those of before.
    public func unplug(_ device: Device) {
        host.unplug(device.simulated)
        settle()
    }

    /// The user picks another output in the machine's settings.
    public func setDefaultOutput(_ device: Device) {
        host.setDefaultOutput(device.uid)
        settle()
    }

    /// The device's hardware changes its rate, in hertz.
    public func setSampleRate(of device: Device, to hertz: Double) {
        host.setSampleRate(of: device.uid, to: hertz)
        settle()
    }

    /// What the microphone of a device picks up from now on; nil is silence.
    ///
    /// - Parameter signal: a sample, nominal ±1, for each channel of each frame of the time since the machine was made, at
    ///   48 kHz whatever the device's rate; called on the thread that advances.
    public func setInput(of device: Device, _ signal: (@Sendable (_ frame: Int, _ channel: Int) -> Float)?) {
        host.setInput(of: device.simulated.inputUID ?? device.uid, signal)
    }

    // MARK: Time and sound

    /// The virtual time since the machine was made, in seconds.
    public var now: Double { host.now().seconds }

    /// Lets time pass: players play, and what they play reaches the ports.
    public func advance(bySeconds seconds: Double) {
        settle()
        host.advance(seconds: seconds) { settle() }
        settle()
    }

    /// What reached an output in the last minute: `[channel][frame]`, Float32, nominal ±1.
    public func samples(of device: Device) -> [[Float]] { host.capture(of: device.uid) }

    /// How many frames louder than -60 dBFS on any channel reached an output since `time` (seconds).
    public func loudFrames(of device: Device, since time: Double = 0) -> Int {
        host.loudFrames(of: device.uid, since: Int((time * host.sampleRate).rounded()))
    }

    /// What the sessions did against the rules of the host, and what a test asked of the machine that cannot be ("script:
    /// ..."); empty unless this library or the test has a fault.
    public var violations: [String] { host.violations }

    /// Waits until the sessions of all apps have applied every event and every notification has been delivered.
    public func settle() {
        // What one app does is news to the others: until a round in which nobody was told anything.
        for _ in 0..<Self.mostRounds {
            let told = host.deliveredCount
            for process in processes { process.settle() }
            if host.deliveredCount == told { return }
        }
        host.object(script: "the apps still cause events in each other after \(Self.mostRounds) rounds")
    }

    /// Far above what any chain of interruptions needs: two apps that answer each other forever end a test, not hang it.
    private static let mostRounds = 1000

    private var processes: [SessionRuntime] { [session.process] + apps.withLock { $0 }.map(\.session.process) }

    private func shutdown() {
        for process in processes { process.shutdown() }
        apps.withLock { $0 = [] }
    }
}
