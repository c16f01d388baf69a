package import AudioModel

extension ChannelLabel {
    /// The place that a label of Core Audio names; nil for one that this library has no place for.
    package init?(_ label: AudioChannelLabel) {
        switch label {
        case kAudioChannelLabel_Mono: self = .mono
        case kAudioChannelLabel_Left: self = .left
        case kAudioChannelLabel_Right: self = .right
        case kAudioChannelLabel_Center: self = .center
        case kAudioChannelLabel_LFEScreen: self = .lowFrequency
        case kAudioChannelLabel_LeftSurround: self = .sideLeft
        case kAudioChannelLabel_RightSurround: self = .sideRight
        case kAudioChannelLabel_CenterSurround: self = .rearCenter
        case kAudioChannelLabel_RearSurroundLeft: self = .rearLeft
        case kAudioChannelLabel_RearSurroundRight: self = .rearRight
        case kAudioChannelLabel_Discrete_0...(kAudioChannelLabel_Discrete_0 | 0xFFFF):
            self = .discrete(Int(label & 0xFFFF))
        default: return nil
        }
    }

    /// The places of a layout tag's channels; nil for tags that this library does not know.
    package static func places(of tag: AudioChannelLayoutTag) -> [ChannelLabel]? {
        table.first { $0.tag == tag }?.places
    }

    /// A layout tag for exactly these places in this order; nil when none says it.
    package static func tag(of places: [ChannelLabel]) -> AudioChannelLayoutTag? {
        if places == places.indices.map({ .discrete($0) }) {
            return kAudioChannelLayoutTag_DiscreteInOrder | UInt32(places.count)
        }
        return table.first { $0.places == places }?.tag
    }

    /// Source: SDK header CoreAudioBaseTypes.h, the comments on the tags.
    private static let table: [(tag: AudioChannelLayoutTag, places: [ChannelLabel])] = [
        (kAudioChannelLayoutTag_Mono, [.mono]),
        (kAudioChannelLayoutTag_Stereo, [.left, .right]),
        (kAudioChannelLayoutTag_StereoHeadphones, [.left, .right]),
        (kAudioChannelLayoutTag_MPEG_3_0_A, [.left, .right, .center]),
        (kAudioChannelLayoutTag_MPEG_3_0_B, [.center, .left, .right]),
        (kAudioChannelLayoutTag_Quadraphonic, [.left, .right, .sideLeft, .sideRight]),
        (kAudioChannelLayoutTag_WAVE_4_0_B, [.left, .right, .rearLeft, .rearRight]),
        (kAudioChannelLayoutTag_MPEG_4_0_A, [.left, .right, .center, .rearCenter]),
        (kAudioChannelLayoutTag_MPEG_5_0_A, [.left, .right, .center, .sideLeft, .sideRight]),
        (kAudioChannelLayoutTag_MPEG_5_0_B, [.left, .right, .sideLeft, .sideRight, .center]),
        (kAudioChannelLayoutTag_MPEG_5_0_C, [.left, .center, .right, .sideLeft, .sideRight]),
        (kAudioChannelLayoutTag_MPEG_5_0_D, [.center, .left, .right, .sideLeft, .sideRight]),
        (kAudioChannelLayoutTag_WAVE_5_0_B, [.left, .right, .center, .rearLeft, .rearRight]),
        (kAudioChannelLayoutTag_MPEG_5_1_A, [.left, .right, .center, .lowFrequency, .sideLeft, .sideRight]),
        (kAudioChannelLayoutTag_MPEG_5_1_B, [.left, .right, .sideLeft, .sideRight, .center, .lowFrequency]),
        (kAudioChannelLayoutTag_MPEG_5_1_C, [.left, .center, .right, .sideLeft, .sideRight, .lowFrequency]),
        (kAudioChannelLayoutTag_MPEG_5_1_D, [.center, .left, .right, .sideLeft, .sideRight, .lowFrequency]),
        (kAudioChannelLayoutTag_WAVE_5_1_B, [.left, .right, .center, .lowFrequency, .rearLeft, .rearRight]),
        (
            kAudioChannelLayoutTag_MPEG_6_1_A,
            [.left, .right, .center, .lowFrequency, .sideLeft, .sideRight, .rearCenter]
        ),
        (
            kAudioChannelLayoutTag_WAVE_6_1,
            [.left, .right, .center, .lowFrequency, .rearCenter, .sideLeft, .sideRight]
        ),
        (
            kAudioChannelLayoutTag_MPEG_7_1_C,
            [.left, .right, .center, .lowFrequency, .sideLeft, .sideRight, .rearLeft, .rearRight]
        ),
        (
            kAudioChannelLayoutTag_WAVE_7_1,
            [.left, .right, .center, .lowFrequency, .rearLeft, .rearRight, .sideLeft, .sideRight]
        ),
    ]

    /// The channels of a WAV file's mask, lowest bit first.
    package static func places(of bitmap: AudioChannelBitmap) -> [ChannelLabel] {
        let bits = (0..<UInt32.bitWidth).filter { bitmap.rawValue & 1 << UInt32($0) != 0 }
        return bits.enumerated().map { bitmapPlaces[$0.element] ?? .discrete($0.offset) }
    }

    private static let bitmapPlaces: [Int: ChannelLabel] = [
        0: .left, 1: .right, 2: .center, 3: .lowFrequency, 4: .rearLeft, 5: .rearRight, 8: .rearCenter,
        9: .sideLeft, 10: .sideRight,
    ]
}
