package import AudioModel
internal import Foundation

/// What `Mixing.pan` does to the channels of a mixer.
///
/// A balance: the side that the sound moves away from fades by a quarter of a cosine, the other stays at 1; centre,
/// low-frequency and mono channels stay as they are. So 0 is bit-exact, nothing ever gets louder than it was, and at
/// -1 and 1 the far side is silent. An equal-power law proper would take 3 dB off at 0, which Apple's default, pan 0 at
/// full level, rules out.
///
/// Source: ours (docs/decisions/0006-one-plan-for-the-graph.md); Apple names the range and no law.
package enum PanLaw {
    /// A gain for each channel.
    package static func gains(pan: Float, channels: [ChannelLabel]) -> [Float] {
        guard pan != 0 else { return Array(repeating: 1, count: channels.count) }
        let position = min(max(pan, -1), 1)
        // Exactly 0 at the edge, where the cosine is only nearly so.
        let far = abs(position) == 1 ? 0 : cosf(abs(position) * .pi / 2)
        let isPlaced = channels.contains { side(of: $0) != nil }
        return channels.enumerated().map { index, channel in
            // Anonymous channels: the first two are a stereo pair, as `MixMatrix` has it.
            let anonymous: Side? =
                isPlaced || channels.count < 2 || channel != .discrete(index)
                ? nil : index == 0 ? .left : index == 1 ? .right : nil
            switch side(of: channel) ?? anonymous {
            case .left: return position > 0 ? far : 1
            case .right: return position < 0 ? far : 1
            case nil: return 1
            }
        }
    }

    private enum Side { case left, right }

    private static func side(of channel: ChannelLabel) -> Side? {
        switch channel {
        case .left, .rearLeft, .sideLeft: .left
        case .right, .rearRight, .sideRight: .right
        case .mono, .center, .lowFrequency, .rearCenter, .discrete: nil
        }
    }
}
