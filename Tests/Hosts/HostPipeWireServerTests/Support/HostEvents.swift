import AudioModel
import HostInterface

extension [HostEvent] {
    /// The newest inventory's outputs' uids.
    var outputs: [String]? { inventory?.outputs.map(\.uid) }

    var inventory: Inventory? {
        for event in reversed() {
            if case .inventoryChanged(let inventory, losses: _) = event { return inventory }
        }
        return nil
    }

    /// What was told about servers that went and came, in order.
    var lives: [Life] {
        compactMap { event in
            switch event {
            case .connectionLost: .lost
            case .connectionRestored: .restored
            default: nil
            }
        }
    }

    enum Life { case lost, restored }

    /// The uids of the ports that streams were taken off.
    var lostPorts: [String] {
        flatMap { if case .inventoryChanged(_, let losses) = $0 { losses.map(\.portUID) } else { [String]() } }
    }
}
