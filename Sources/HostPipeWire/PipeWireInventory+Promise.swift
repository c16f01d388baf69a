internal import AudioModel

extension PipeWireInventory {
    /// Why "not a frame on the speaker" does not hold for this port; nil where it does.
    ///
    /// Behind a virtual sink stands another stream, which the session manager moves as it likes, without a word to us.
    package func promiseOff(uid: String) -> String? {
        guard let location = location(uid: uid), let node = nodes[location.nodeID] else { return nil }
        guard node.isVirtual || location.port.kind == .virtual else { return nil }
        return "\(location.port.name.printable) is a virtual sink; what it does when hardware goes away is not ours to"
            + " stop. Choose a hardware output to be safe."
    }
}
