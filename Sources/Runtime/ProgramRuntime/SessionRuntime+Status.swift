package import AudioModel
internal import HostDiagnosis
internal import HostInterface
internal import HostSimulated
package import SessionCore
package import SessionRuntime

// What the program asks a running session.

extension SessionRuntime {
    /// A port of the machine, whether the session uses it or not.
    package struct PortStatus: Sendable {
        package let port: AudioModel.Port
        /// The host's default output or input.
        package let isDefault: Bool
        /// Why audio may go on elsewhere after an unplug of this port; nil if it cannot.
        ///
        /// Untrusted text.
        package let caveat: String?
    }

    /// "pipewire" or "simulated".
    package var hostName: String { host.name }

    package var ports: [PortStatus] {
        let inventory = state.inventory
        let defaults = [inventory.defaultOutputUID, inventory.defaultInputUID]
        return inventory.ports.map {
            PortStatus(port: $0, isDefault: defaults.contains($0.uid), caveat: host.unplugCaveat(ofPort: $0.uid))
        }
    }

    /// Why the system has made the session inactive; nil while it is active, and once that reason is gone.
    package var interruptionReason: InterruptionReason? { state.interruption?.reason }

    /// False from the loss of the sound server to its return.
    package var isServerConnected: Bool { state.isConnected }

    /// Why the connection was lost last, in the library's words; nil where the server had gone, and before any loss.
    package var lossReason: String? {
        let reason = state.lossReason
        return reason.isEmpty ? nil : reason.printable
    }

    /// No session manager runs: a stream to a device that it has not set up is interrupted until one does.
    package var lacksSessionManager: Bool { host.lacksSessionManager }

    /// A call of another program has interrupted the session.
    package var isInCall: Bool {
        switch state.interruption?.source {
        case .foreignCall: true
        case .peer(let serial): state.peers.contains { $0.serial == serial && $0.configuration.isCallLike }
        case nil, .heldStream, .sleep, .routeDisconnected, .claimLost: false
        }
    }

    /// The controls of the simulated host; nil on another host.
    package var simulatedMachine: SimulatedMachineControls? {
        (host as? SimulatedHost).map { SimulatedMachineControls(host: $0, runtime: self) }
    }
}
