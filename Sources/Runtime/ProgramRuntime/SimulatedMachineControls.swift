package import AudioModel
internal import HostInterface
internal import SessionRuntime

/// The controls of the simulated host: devices, calls, the server, and virtual time.
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

    package func crashServer() {
        guard host.isServerRunning else { return }
        host.crashServer()
        runtime.drain()
    }

    package func restartServer() {
        if !host.isServerRunning { host.restartServer() }
        runtime.drain()
    }

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
