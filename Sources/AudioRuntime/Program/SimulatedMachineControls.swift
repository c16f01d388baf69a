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

    private let host: any ControllableHost
    private let runtime: SessionRuntime
    private let otherApp = Mutex<(any ControllableHost)?>(nil)

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
        host.setCall(isOn: true)
        runtime.drain()
    }

    package func endCall() {
        host.setCall(isOn: false)
        runtime.drain()
    }

    /// Starts an app that interrupts this session, until `killOtherApp`.
    package func startOtherApp() {
        guard host.isServerRunning, otherApp.withLock({ $0 == nil }) else { return }
        let app = host.launchApp(named: "Another app")
        otherApp.withLock { $0 = app }
        // The app interrupts the others even without a player.
        let claim = SessionClaim(id: ClaimID(number: 1), configuration: SessionConfiguration(category: .playback))
        do throws(HostError) {
            try app.start { _ in }
            app.claim(claim)
        } catch {
            otherApp.withLock { $0 = nil }
        }
        runtime.drain()
    }

    package func killOtherApp() {
        let app = otherApp.withLock { app in
            defer { app = nil }
            return app
        }
        app?.kill()
        runtime.drain()
    }

    package func crashServer() {
        guard host.isServerRunning else { return }
        // The other app ends with the server.
        otherApp.withLock { $0 = nil }
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
