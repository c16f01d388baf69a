package import AudioModel
internal import HostInterface
internal import SessionCore
internal import Synchronization

/// The controls of the simulated host: devices, calls, other apps, the server, and virtual time.
///
/// Every call returns when the session has processed what it caused. A program's controls; tests use `AudioSimulator`.
package final class SimulatedMachineControls: Sendable {
    /// What one output has played.
    package struct Capture: Sendable {
        package let port: AudioModel.Port
        /// Hertz.
        package let sampleRate: Double
        /// `[channel][frame]`, nominal ±1; frame 0 is virtual time 0.
        package let channels: [[Float]]
    }

    private struct State {
        var isInCall = false
        var otherApp: (any ControllableHost)?
    }

    private let host: any ControllableHost
    private let runtime: SessionRuntime
    private let state = Mutex(State())

    init(host: any ControllableHost, runtime: SessionRuntime) {
        self.host = host
        self.runtime = runtime
    }

    package func plugHeadphones() {
        host.setHeadphones(arePlugged: true)
        runtime.drain()
    }

    package func unplugHeadphones() {
        host.setHeadphones(arePlugged: false)
        runtime.drain()
    }

    /// Starts a phone call, until `endCall`; idempotent, like all of these.
    package func receiveCall() {
        if host.isServerRunning, changeCall(to: true) { host.receiveCall() }
        runtime.drain()
    }

    package func endCall() {
        if changeCall(to: false) { host.endCall() }
        runtime.drain()
    }

    /// - Returns: false if nothing changes.
    private func changeCall(to isOn: Bool) -> Bool {
        state.withLock { state in
            defer { state.isInCall = isOn }
            return state.isInCall != isOn
        }
    }

    /// Starts an app that interrupts this session, until `killOtherApp`.
    package func startOtherApp() {
        guard host.isServerRunning, state.withLock({ $0.otherApp == nil }) else { return }
        let app = host.launchApp(named: "Another app")
        state.withLock { $0.otherApp = app }
        // The app interrupts the others even without a player.
        let claim = SessionClaim(id: ClaimID(number: 1), configuration: SessionConfiguration(category: .playback))
        do throws(HostError) {
            try app.start { _ in }
            app.claim(claim)
        } catch {
            state.withLock { $0.otherApp = nil }
        }
        runtime.drain()
    }

    package func killOtherApp() {
        let app = state.withLock { state in
            defer { state.otherApp = nil }
            return state.otherApp
        }
        app?.kill()
        runtime.drain()
    }

    package func crashServer() {
        guard host.isServerRunning else { return }
        // The call's audio and the other app end with the server.
        state.withLock { ($0.isInCall, $0.otherApp) = (false, nil) }
        host.crashServer()
        runtime.drain()
    }

    package func restartServer() {
        if !host.isServerRunning { host.restartServer() }
        runtime.drain()
    }

    /// From now on virtual time follows the wall clock.
    package func runInRealTime() { host.runInRealTime() }

    /// Advances virtual time, and returns when every notification of it has been delivered.
    package func advance(bySeconds seconds: Double) {
        runtime.drain()
        host.advance(bySeconds: seconds)
        runtime.drain()
    }

    /// Virtual seconds.
    package var now: Double { host.now().seconds }

    /// Of each output that is connected now.
    package var captures: [Capture] {
        runtime.state.inventory.outputs.compactMap { port in
            host.samplesPlayed(onPort: port.uid).map {
                Capture(port: port, sampleRate: host.sampleRate, channels: $0)
            }
        }
    }
}
