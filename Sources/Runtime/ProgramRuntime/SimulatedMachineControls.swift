package import AudioModel
internal import HostSimulated
internal import SessionRest
internal import SessionRuntime
internal import SimulatedControls

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

    private let host: SimulatedHost
    private let runtime: SessionRuntime

    init(host: SimulatedHost, runtime: SessionRuntime) {
        self.host = host
        self.runtime = runtime
    }

    package func plugHeadphones() {
        if !host.isPlugged(.wiredHeadphones) { host.plug(.wiredHeadphones) }
        runtime.drain()
    }

    package func unplugHeadphones() {
        if host.isPlugged(.wiredHeadphones) { host.unplug(.wiredHeadphones) }
        runtime.drain()
    }

    /// Starts a phone call, until `endCall`; idempotent, like all of these.
    package func receiveCall() {
        if host.isServerRunning, !host.isInCall { host.receiveCall() }
        runtime.drain()
    }

    package func endCall() {
        if host.isInCall { host.endCall() }
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
        host.advance(seconds: seconds)
        runtime.drain()
    }

    /// Virtual seconds.
    package var now: Double { host.now().seconds }

    /// Of each output that is connected now.
    package var captures: [Capture] {
        runtime.state.inventory.outputs.compactMap { port in
            host.portCapture(of: port.uid).map { capture in
                let silence = [Float](repeating: 0, count: capture.startFrame)
                return Capture(
                    port: port, sampleRate: host.sampleRate, channels: capture.channels.map { silence + $0 })
            }
        }
    }
}
