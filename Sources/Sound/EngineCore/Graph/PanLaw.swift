package import AudioModel
internal import Foundation

/// The effect of `Mixing.pan` on the channels of a mixer.
///
/// The law is a balance: the far side fades with a quarter of a cosine, the near side stays at 1. Centre, low-frequency
/// and mono channels do not change. So 0 is bit-exact, nothing gets louder, and at -1 and 1 the far side is silent. An
/// equal-power law would attenuate pan 0 by 3 dB, but Apple's default is pan 0 at full level.
///
/// Source: ours (docs/decisions/0006-one-plan-for-the-graph.md); Apple documents the range and no law.
package enum PanLaw {
    /// A gain for each channel.
    package static func gains(pan: Float, channels: [ChannelLabel]) -> [Float] {
        guard pan != 0 else { return Array(repeating: 1, count: channels.count) }
        let position = min(max(pan, -1), 1)
        // Exactly 0 at the edge, because the cosine is not exactly 0 there.
        let far = abs(position) == 1 ? 0 : cosf(abs(position) * .pi / 2)
        let isPlaced = channels.contains { side(of: $0) != nil }
        return channels.enumerated().map { index, channel in
            // The first two of anonymous channels are a stereo pair, as in `MixMatrix`.
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
