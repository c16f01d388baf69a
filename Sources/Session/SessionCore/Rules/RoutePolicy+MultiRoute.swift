package import AudioModel

/// When the machine's own speaker is part of a `multiRoute` session's route: Apple's two texts differ.
package enum MultiRouteSpeaker: String, Hashable, Sendable, CaseIterable, Codable {
    /// Only while no other eligible output is connected.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0), `AVAudioSessionCategoryMultiRoute`.
    case onlyWhenAlone
    /// Whenever it is there: the route then has every eligible output.
    ///
    /// Source: Apple documentation ("Routing audio to specific devices in multidevice sessions").
    case always
}

/// The rules of `multiRoute`: all eligible outputs at once, and one input.
///
/// Source: SDK header AVAudioSessionTypes.h (iOS 18.0), `AVAudioSessionCategoryMultiRoute`, for the kinds that Apple's
/// devices have; the others, the order and the limits are ours.
extension RoutePolicy {
    /// What one stream can be linked to; outputs that would exceed it are left out, the newest first.
    package static let maximumOutputs = 8
    package static let maximumOutputChannels = 64

    /// Every eligible output, in order of arrival.
    ///
    /// These are the wired ones. The built-in speaker is among them as `speaker` says, and a virtual output only where
    /// there is nothing else. Of the outputs that one card switches between, only one can sound: the best eligible one.
    package static func multiRouteOutputs(
        in inventory: Inventory, arrivals: ArrivalOrder, speaker: MultiRouteSpeaker
    ) -> [Port] {
        let outputs = inventory.outputs
        let wired = outputs.filter { isWired($0.kind) }
        let speakers = outputs.filter { $0.kind == .builtInSpeaker }
        let eligible: [Port] =
            switch speaker {
            case .onlyWhenAlone: wired.isEmpty ? speakers : wired
            case .always: outputs.filter { isWired($0.kind) || $0.kind == .builtInSpeaker }
            }
        let candidates = eligible.isEmpty ? outputs.filter { $0.kind == .virtual } : eligible
        var channelCount = 0
        return arrivals.sorted(withoutAlternatives(candidates, in: inventory)).filter { port in
            let total = channelCount + port.channels.count
            guard total <= maximumOutputChannels else { return false }
            channelCount = total
            return true
        }.prefix(maximumOutputs).map { $0 }
    }

    /// The inputs that may be the one of the route.
    package static func multiRouteInputs(in inventory: Inventory) -> [Port] {
        inventory.inputs.filter { port in
            switch port.kind {
            case .usbAudio, .headsetMic, .builtInMic, .lineIn, .pci, .fireWire, .avb, .thunderbolt: true
            case .lineOut, .headphones, .bluetoothA2DP, .builtInReceiver, .builtInSpeaker, .hdmi, .airPlay,
                .bluetoothLE, .bluetoothHFP, .carAudio, .virtual, .displayPort:
                false
            }
        }
    }

    /// The one that came last; of several that came together the host's default, else the best.
    package static func multiRouteInput(in inventory: Inventory, arrivals: ArrivalOrder) -> Port? {
        let newest = arrivals.newest(of: multiRouteInputs(in: inventory))
        return newest.first { $0.uid == inventory.defaultInputUID } ?? newest.first
    }

    /// The ports without those whose sink another of them has taken; the first in the order given takes it.
    static func withoutAlternatives(_ ports: [Port], in inventory: Inventory) -> [Port] {
        var taken: Set<Int> = []
        return ports.filter { port in
            guard let group = inventory.alternatives.firstIndex(where: { $0.contains(port.uid) }) else { return true }
            return taken.insert(group).inserted
        }
    }

    private static func isWired(_ kind: PortKind) -> Bool {
        switch kind {
        case .usbAudio, .lineOut, .headphones, .hdmi, .displayPort, .pci, .fireWire, .avb, .thunderbolt: true
        case .lineIn, .builtInMic, .headsetMic, .bluetoothA2DP, .builtInReceiver, .builtInSpeaker, .airPlay,
            .bluetoothLE, .bluetoothHFP, .carAudio, .virtual:
            false
        }
    }
}
