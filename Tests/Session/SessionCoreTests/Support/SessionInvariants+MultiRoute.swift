import AudioModel

@testable import SessionCore

extension SessionInvariants {
    /// Several outputs are for `multiRoute` alone, all of them permitted there, and those that stay keep their order.
    mutating func checkMultiRoute(before: SessionState, after: SessionState) {
        let outputs = after.route.outputs
        if after.route.inputs.count > 1 { fail("the route has \(after.route.inputs.count) inputs") }
        // A new server's configuration is the default one; its route comes with its inventory.
        guard after.isConnected, !after.isFreshlyReset else { return }
        guard after.configuration.category == .multiRoute else {
            if outputs.count > 1 { fail("\(outputs.count) outputs in category \(after.configuration.category)") }
            return
        }
        for port in outputs {
            switch port.kind {
            case .bluetoothA2DP, .bluetoothHFP, .bluetoothLE, .airPlay, .builtInReceiver, .carAudio:
                fail("\(port.kind) in a route of multiRoute")
            case .builtInSpeaker:
                if outputs.count > 1, after.multiRouteSpeaker == .onlyWhenAlone { fail("the speaker is not alone") }
            case .virtual:
                if outputs.contains(where: { $0.kind != .virtual }) { fail("a virtual output beside a real one") }
            case .lineIn, .builtInMic, .headsetMic, .lineOut, .headphones, .hdmi, .usbAudio, .pci, .fireWire,
                .displayPort, .avb, .thunderbolt:
                break
            }
        }
        if after.inventory.alternatives.contains(where: { group in
            outputs.filter { group.contains($0.uid) }.count > 1
        }) {
            fail("two outputs of one sink in a route")
        }
        guard before.configuration.category == .multiRoute else { return }
        let stay = Set(before.route.outputs.map(\.uid)).intersection(outputs.map(\.uid))
        if before.route.outputs.map(\.uid).filter(stay.contains) != outputs.map(\.uid).filter(stay.contains) {
            fail("the outputs that stay have changed places")
        }
    }
}
