internal import AudioModel

/// A mode of a whole Bluetooth card: an output for music, or both directions for calls.
package struct PipeWireProfile: Hashable, Sendable {
    package var index: Int32
    package var name: String
    package var priority: Int32 = 0
    package var isAvailable = true
    package var hasInput: Bool
    package var hasOutput: Bool

    /// Whether this is a headset's HFP or HSP; false if this machine is the headset of a telephone.
    var isHeadset: Bool { name.hasPrefix("headset-head-unit") && hasInput && hasOutput && isAvailable }
    /// Whether this is an output for music only.
    ///
    /// Codecs with "duplex" in their names have their own microphone. For the other codecs, newer servers count HFP's microphone as an
    /// input of the A2DP profile (PipeWire, bluez5-device.c: `autoswitch_routes`).
    var isA2DP: Bool { name.hasPrefix("a2dp-") && !name.contains("duplex") && hasOutput && isAvailable }
}

extension PipeWireDevice {
    /// The profile for calls: the current one if it is a headset profile, otherwise the best one, like WirePlumber's choice.
    ///
    /// Source: WirePlumber 0.4.13, scripts/policy-bluetooth.lua, highestPrioProfileWithInputRoute.
    var headsetProfile: PipeWireProfile? {
        guard api == "bluez5" else { return nil }
        let candidates = profiles.filter(\.isHeadset)
        return candidates.first { $0.index == activeProfile } ?? candidates.max { $0.priority < $1.priority }
    }

    /// Which of the two profiles the card has now; nil for any other profile, and for cards that do not have both.
    var headsetState: Headset.Profile? {
        guard headsetProfile != nil, profiles.contains(where: \.isA2DP),
            let active = profiles.first(where: { $0.index == activeProfile })
        else { return nil }
        if active.isHeadset { return .hfp }
        return active.isA2DP ? .a2dp : nil
    }

    /// The route of the card's output or input in a profile.
    func route(of direction: PortDirection, inProfile index: Int32) -> PipeWireRoute? {
        (routes ?? []).filter { $0.direction == direction && $0.isAvailable && $0.profiles.contains(index) }
            .max { $0.priority < $1.priority }
    }
}
