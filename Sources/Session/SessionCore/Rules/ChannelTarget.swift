internal import AudioModel

/// Where among the channels of a `multiRoute` session the sound is to go.
package struct ChannelTarget: Hashable, Sendable {
    /// Of the whole route.
    package let channelCount: Int
    /// The device's, counted over the route.
    package let device: Range<Int>

    package init(channelCount: Int, device: Range<Int>) {
        self.channelCount = channelCount
        self.device = device
    }

    /// For each channel of the route the source's channel that sounds there, or -1.
    ///
    /// The first two channels of the source go to the first two of the device, as on Apple's systems; the second has no
    /// place on a device of one channel. A source of one channel sounds on both.
    package func channelMap(sourceChannels: Int) -> [Int] {
        let used = device.prefix(2)
        return (0..<channelCount).map { channel in
            guard used.contains(channel), sourceChannels > 0 else { return -1 }
            return min(channel - device.lowerBound, sourceChannels - 1)
        }
    }
}

extension SessionState {
    /// At the chosen output, or at the route's first one while there is none; nil where the route itself does what was
    /// chosen, and without outputs.
    package var channelTarget: ChannelTarget? {
        let outputs = derived.route.outputs
        guard requested.configuration.category == .multiRoute, !outputs.isEmpty else { return nil }
        let chosenUID = chosenOutput?.uid
        let index = outputs.firstIndex { $0.uid == chosenUID } ?? 0
        let start = outputs[..<index].channelCount
        return ChannelTarget(
            channelCount: derived.route.channelCount(.output), device: start..<start + outputs[index].channels.count)
    }
}
