internal import AudioModel
package import HostInterface
package import HostPipeWire

/// What a person is warned of. Any thread.
extension AudioHost {
    /// No session manager runs: a stream to a device that it has not set up is interrupted until one does.
    package var lacksSessionManager: Bool { (self as? PipeWireHost)?.clients.map { !$0.hasManager } ?? false }

    /// Why audio may go on elsewhere after an unplug of this port; nil if it cannot, and for unknown ports.
    ///
    /// Untrusted text.
    package func unplugCaveat(ofPort uid: String) -> String? { (self as? PipeWireHost)?.facts.promiseOff(uid: uid) }
}

extension PipeWireInventory {
    /// Why "no frame on the speaker" does not hold for this port; nil if it holds.
    ///
    /// A virtual sink passes its sound on through another stream, which the session manager moves without telling us.
    package func promiseOff(uid: String) -> String? {
        guard let location = location(uid: uid), let node = location.nodeID.flatMap({ nodes[$0] }) else { return nil }
        guard node.isVirtual || location.port.kind == .virtual else { return nil }
        return "\(location.port.name.printable) is a virtual sink; what it does when hardware goes away is not ours to"
            + " stop. Choose a hardware output to be safe."
    }
}
