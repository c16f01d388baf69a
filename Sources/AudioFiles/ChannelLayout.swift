internal import AudioModel
import CSndfile

/// Which channel of a file belongs where in the room.
enum ChannelLayout {
    /// - Parameters:
    ///   - map: the file's own map in libsndfile's numbers, if it has one.
    ///   - format: libsndfile's format word; the codecs differ in the order that they fix for a channel count.
    static func labels(count: Int, map: [Int32]?, format: Int) -> [ChannelLabel] {
        if let map, map.count == count {
            let labels = map.enumerated().map { label($0.element, index: $0.offset) }
            // A map that gives one place twice, or no place at all, says nothing; damaged files do.
            let places = labels.filter { if case .discrete = $0 { false } else { true } }
            if !places.isEmpty, Set(places).count == places.count {
                return labels == [.center] ? [.mono] : labels
            }
        }
        let codec = format & Int(SF_FORMAT_SUBMASK)
        let isXiph = codec == Int(SF_FORMAT_VORBIS) || codec == Int(SF_FORMAT_OPUS)
        let isFLAC = format & Int(SF_FORMAT_TYPEMASK) == Int(SF_FORMAT_FLAC)
        return (isXiph ? xiph[count] : isFLAC ? flac[count] : nil) ?? ChannelLabel.standard(count: count)
    }

    /// Source: Vorbis I specification, section 4.3.9; RFC 7845, section 5.1.1.2, which takes it over for Opus.
    private static let xiph: [Int: [ChannelLabel]] = [
        3: [.left, .center, .right],
        5: [.left, .center, .right, .rearLeft, .rearRight],
        6: [.left, .center, .right, .rearLeft, .rearRight, .lowFrequency],
        7: [.left, .center, .right, .sideLeft, .sideRight, .rearCenter, .lowFrequency],
        8: [.left, .center, .right, .sideLeft, .sideRight, .rearLeft, .rearRight, .lowFrequency],
    ]

    /// The counts for which `standard` has no places.
    ///
    /// Source: RFC 9639, section 9.1.3.
    private static let flac: [Int: [ChannelLabel]] = [
        3: [.left, .right, .center],
        5: [.left, .right, .center, .rearLeft, .rearRight],
        7: [.left, .right, .center, .lowFrequency, .rearCenter, .sideLeft, .sideRight],
    ]

    /// The places in libsndfile's numbers; nil when one of them has none.
    static func map(_ labels: [ChannelLabel]) -> [Int32]? {
        let places = labels.compactMap { label -> Int32? in
            switch label {
            case .mono: Int32(SF_CHANNEL_MAP_MONO)
            case .left: Int32(SF_CHANNEL_MAP_LEFT)
            case .right: Int32(SF_CHANNEL_MAP_RIGHT)
            case .center: Int32(SF_CHANNEL_MAP_CENTER)
            case .lowFrequency: Int32(SF_CHANNEL_MAP_LFE)
            case .rearLeft: Int32(SF_CHANNEL_MAP_REAR_LEFT)
            case .rearRight: Int32(SF_CHANNEL_MAP_REAR_RIGHT)
            case .rearCenter: Int32(SF_CHANNEL_MAP_REAR_CENTER)
            case .sideLeft: Int32(SF_CHANNEL_MAP_SIDE_LEFT)
            case .sideRight: Int32(SF_CHANNEL_MAP_SIDE_RIGHT)
            case .discrete: nil
            }
        }
        return places.count == labels.count ? places : nil
    }

    private static func label(_ place: Int32, index: Int) -> ChannelLabel {
        switch Int(place) {
        case Int(SF_CHANNEL_MAP_MONO): .mono
        case Int(SF_CHANNEL_MAP_LEFT), Int(SF_CHANNEL_MAP_FRONT_LEFT): .left
        case Int(SF_CHANNEL_MAP_RIGHT), Int(SF_CHANNEL_MAP_FRONT_RIGHT): .right
        case Int(SF_CHANNEL_MAP_CENTER), Int(SF_CHANNEL_MAP_FRONT_CENTER): .center
        case Int(SF_CHANNEL_MAP_LFE): .lowFrequency
        case Int(SF_CHANNEL_MAP_REAR_LEFT): .rearLeft
        case Int(SF_CHANNEL_MAP_REAR_RIGHT): .rearRight
        case Int(SF_CHANNEL_MAP_REAR_CENTER): .rearCenter
        case Int(SF_CHANNEL_MAP_SIDE_LEFT): .sideLeft
        case Int(SF_CHANNEL_MAP_SIDE_RIGHT): .sideRight
        default: .discrete(index)
        }
    }
}
