import AudioModel
import AudioRuntime
import HostInterface
import HostSimulated
import OpenAVFAudio
import SessionCore
import Synchronization

/// The controls of the simulated host.
protocol SimulatorControls: AnyObject, Sendable {
    func plugHeadphones()
    func unplugHeadphones()

    /// Starts a phone call, until `endCall`. Idempotent, like all of these.
    func receiveCall()
    func endCall()
    /// Another app takes over the audio, until it is killed.
    func startOtherApp()
    func killOtherApp()
    func crashServer()
    func restartServer()

    /// From now on virtual time follows the wall clock until the backend closes.
    func runInRealTime()

    /// Advances virtual time and returns when every notification of it has been delivered.
    func advance(bySeconds seconds: Double)

    /// Virtual seconds.
    var now: Double { get }

    /// What each port has played since virtual time 0.
    var recordings: [PortRecording] { get }
}

/// The samples of one port.
struct PortRecording: Hashable, Sendable {
    var port: PortFacts
    /// Hertz.
    var sampleRate: Double
    /// `[channel][frame]`, nominal ±1; frame 0 is virtual time 0.
    var channels: [[Float]]
}

/// The controls of a backend on the simulated host.
final class Simulator: SimulatorControls {
    private struct State {
        var isInCall = false
        var otherApp: SimulatedHost?
    }

    private let host: SimulatedHost
    private let runtime: SessionRuntime
    private let state = Mutex(State())

    init(host: SimulatedHost, runtime: SessionRuntime) {
        self.host = host
        self.runtime = runtime
    }

    func plugHeadphones() {
        if !host.isPlugged(.wiredHeadphones) { host.plug(.wiredHeadphones) }
        runtime.settle()
    }

    func unplugHeadphones() {
        if host.isPlugged(.wiredHeadphones) { host.unplug(.wiredHeadphones) }
        runtime.settle()
    }

    func receiveCall() {
        if host.isServerRunning, changeCall(to: true) { host.receiveCall() }
        runtime.settle()
    }

    func endCall() {
        if changeCall(to: false) { host.endCall() }
        runtime.settle()
    }

    /// False where it is so already.
    private func changeCall(to isOn: Bool) -> Bool {
        state.withLock { state in
            defer { state.isInCall = isOn }
            return state.isInCall != isOn
        }
    }

    func startOtherApp() {
        guard host.isServerRunning, state.withLock({ $0.otherApp == nil }) else { return }
        let app = host.anotherApp(named: "Another app")
        state.withLock { $0.otherApp = app }
        // An app without a player takes the sound all the same.
        let claim = SessionClaim(id: ClaimID(number: 1), configuration: SessionConfiguration(category: .playback))
        do throws(HostError) {
            try app.start { _ in }
            app.claim(claim)
        } catch {
            state.withLock { $0.otherApp = nil }
        }
        runtime.settle()
    }

    func killOtherApp() {
        let app = state.withLock { state in
            defer { state.otherApp = nil }
            return state.otherApp
        }
        app?.kill()
        runtime.settle()
    }

    func crashServer() {
        guard host.isServerRunning else { return }
        // The telephone's sound and the other app die with it.
        state.withLock { ($0.isInCall, $0.otherApp) = (false, nil) }
        host.crashServer()
        runtime.settle()
    }

    func restartServer() {
        if !host.isServerRunning { host.restartServer() }
        runtime.settle()
    }

    func runInRealTime() { host.runInRealTime() }

    func advance(bySeconds seconds: Double) {
        runtime.settle()
        host.advance(seconds: seconds)
        runtime.settle()
    }

    var now: Double { host.now().seconds }

    var recordings: [PortRecording] {
        runtime.state.inventory.outputs.compactMap { port in
            guard let capture = host.portCapture(of: port.uid) else { return nil }
            let silence = [Float](repeating: 0, count: capture.startFrame)
            return PortRecording(
                port: PortFacts(AVAudioSessionPortDescription(port)), sampleRate: host.sampleRate,
                channels: capture.channels.map { silence + $0 })
        }
    }
}
