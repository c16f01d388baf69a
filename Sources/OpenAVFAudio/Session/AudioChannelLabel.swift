package import AudioModel

/// The position of a channel in the room, with Core Audio's numbers.
///
/// Source: SDK header CoreAudioBaseTypes.h; only the values that a port of this library can have.
public typealias AudioChannelLabel = UInt32

/// The device does not say where the channel is.
public let kAudioChannelLabel_Unknown: AudioChannelLabel = 0xFFFF_FFFF
/// Front left.
public let kAudioChannelLabel_Left: AudioChannelLabel = 1
/// Front right.
public let kAudioChannelLabel_Right: AudioChannelLabel = 2
/// Front centre.
public let kAudioChannelLabel_Center: AudioChannelLabel = 3
/// Low frequencies: the subwoofer.
public let kAudioChannelLabel_LFEScreen: AudioChannelLabel = 4
/// Left behind or beside the listener, in 5.1.
public let kAudioChannelLabel_LeftSurround: AudioChannelLabel = 5
/// Right behind or beside the listener, in 5.1.
public let kAudioChannelLabel_RightSurround: AudioChannelLabel = 6
/// Behind the listener.
public let kAudioChannelLabel_CenterSurround: AudioChannelLabel = 9
/// Rear left, in 7.1.
public let kAudioChannelLabel_RearSurroundLeft: AudioChannelLabel = 33
/// Rear right, in 7.1.
public let kAudioChannelLabel_RearSurroundRight: AudioChannelLabel = 34
/// The only channel of a mono device.
public let kAudioChannelLabel_Mono: AudioChannelLabel = 42
/// A channel without a position; its index is added in the lower 16 bits.
public let kAudioChannelLabel_Discrete_0: AudioChannelLabel = 1 << 16

extension AudioChannelLabel {
    package init(_ label: ChannelLabel) {
        self =
            switch label {
            case .mono: kAudioChannelLabel_Mono
            case .left: kAudioChannelLabel_Left
            case .right: kAudioChannelLabel_Right
            case .center: kAudioChannelLabel_Center
            case .lowFrequency: kAudioChannelLabel_LFEScreen
            case .rearLeft: kAudioChannelLabel_RearSurroundLeft
            case .rearRight: kAudioChannelLabel_RearSurroundRight
            case .sideLeft: kAudioChannelLabel_LeftSurround
            case .sideRight: kAudioChannelLabel_RightSurround
            case .rearCenter: kAudioChannelLabel_CenterSurround
            case .discrete(let index): kAudioChannelLabel_Discrete_0 | UInt32(truncatingIfNeeded: index) & 0xFFFF
            }
    }
}
