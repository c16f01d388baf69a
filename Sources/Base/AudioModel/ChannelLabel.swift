/// The place of one channel in the listening room.
package enum ChannelLabel: Hashable, Sendable, Codable {
    case mono
    case left, right, center, lowFrequency
    case rearLeft, rearRight, sideLeft, sideRight, rearCenter
    /// A channel without a place; the index counts from 0 within its port.
    case discrete(Int)

    /// The usual labels for a channel count: 1 mono, 2 stereo, 6 is 5.1, 8 is 7.1; other counts are discrete.
    ///
    /// Source: the channel orders of WAV and FLAC files (libsndfile, command.c of 1.2.0).
    package static func standard(count: Int) -> [ChannelLabel] {
        switch count {
        case 1: [.mono]
        case 2: [.left, .right]
        case 4: [.left, .right, .rearLeft, .rearRight]
        case 6: [.left, .right, .center, .lowFrequency, .rearLeft, .rearRight]
        case 8: [.left, .right, .center, .lowFrequency, .rearLeft, .rearRight, .sideLeft, .sideRight]
        default: (0..<max(0, count)).map { .discrete($0) }
        }
    }

    /// A short name for people: "Left", "LFE", "3".
    package var name: String {
        switch self {
        case .mono: "Mono"
        case .left: "Left"
        case .right: "Right"
        case .center: "Center"
        case .lowFrequency: "LFE"
        case .rearLeft: "Rear Left"
        case .rearRight: "Rear Right"
        case .sideLeft: "Side Left"
        case .sideRight: "Side Right"
        case .rearCenter: "Rear Center"
        case .discrete(let index): String(index + 1)
        }
    }
}
