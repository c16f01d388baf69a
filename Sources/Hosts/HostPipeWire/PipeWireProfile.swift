internal import AudioModel

/// One thing that a Bluetooth card can be as a whole: an output for music, or both directions for calls.
package struct PipeWireProfile: Hashable, Sendable {
    package var index: Int32
    package var name: String
    package var priority: Int32 = 0
    package var isAvailable = true
    package var hasInput: Bool
    package var hasOutput: Bool

    /// HFP or HSP of a headset; not the profile of a telephone that this machine is the headset of.
    var isHeadset: Bool { name.hasPrefix("headset-head-unit") && hasInput && hasOutput && isAvailable }
    /// An output for music alone.
    ///
    /// The codecs with "duplex" in their names have a microphone of their own. With others, newer servers count HFP's
    /// microphone (PipeWire, bluez5-device.c: `autoswitch_routes`).
    var isA2DP: Bool { name.hasPrefix("a2dp-") && !name.contains("duplex") && hasOutput && isAvailable }
}

extension PipeWireDevice {
    /// The profile for calls that WirePlumber takes too: the best one.
    ///
    /// Source: WirePlumber 0.4.13, scripts/policy-bluetooth.lua, highestPrioProfileWithInputRoute.
    var headsetProfile: PipeWireProfile? {
        guard api == "bluez5" else { return nil }
        let candidates = profiles.filter(\.isHeadset)
        return candidates.first { $0.index == activeProfile } ?? candidates.max { $0.priority < $1.priority }
    }

    /// Which of the two the card is in; nil in any other profile, and on cards that do not have both.
    var headsetState: Headset.Profile? {
        guard headsetProfile != nil, profiles.contains(where: \.isA2DP),
            let active = profiles.first(where: { $0.index == activeProfile })
        else { return nil }
        if active.isHeadset { return .hfp }
        return active.isA2DP ? .a2dp : nil
    }

    /// The route that the card's output or input has in a profile.
    func route(of direction: PortDirection, inProfile index: Int32) -> PipeWireRoute? {
        (routes ?? []).filter { $0.direction == direction && $0.isAvailable && $0.profiles.contains(index) }
            .max { $0.priority < $1.priority }
    }
}
