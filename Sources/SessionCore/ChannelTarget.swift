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
