internal import AudioModel
import CSndfile

/// Which channel of a file belongs where in the room.
enum ChannelLayout {
    /// - Parameters:
    ///   - map: the file's own map in libsndfile's numbers, if it has one.
    ///   - format: libsndfile's format word; the codecs differ in the order that they fix for a channel count.
    static func labels(count: Int, map: [Int32]?, format: Int) -> [ChannelLabel] {
        // One channel is heard on both sides, whatever place the file names.
        if count == 1 { return [.mono] }
        if let map, map.count == count {
            let labels = map.enumerated().map { label($0.element, index: $0.offset) }
            // A map that gives one place twice, or no place at all, says nothing; damaged files do.
            let places = labels.filter { if case .discrete = $0 { false } else { true } }
            if !places.isEmpty, Set(places).count == places.count { return labels }
        }
        let codec = format & SF_FORMAT_SUBMASK
        let isXiph = codec == SF_FORMAT_VORBIS || codec == SF_FORMAT_OPUS
        let isFLAC = format & SF_FORMAT_TYPEMASK == SF_FORMAT_FLAC
        return (isXiph ? xiph[count] : isFLAC ? flac[count] : nil) ?? ChannelLabel.standard(count: count)
    }

    /// The places of a mask in WAVE's bits, which are FFmpeg's too.
    ///
    /// - Returns: nil where one of them has no label.
    static func labels(mask: UInt64) -> [ChannelLabel]? {
        let labels = places.filter { mask & $0.bit != 0 }.map(\.label)
        guard labels.count == mask.nonzeroBitCount else { return nil }
        return labels.count == 1 ? [.mono] : labels
    }

    /// Source: FFmpeg 5.1, libavutil/channel_layout.h, which has WAVE's order.
    private static let places: [(bit: UInt64, label: ChannelLabel)] = [
        (0x1, .left), (0x2, .right), (0x4, .center), (0x8, .lowFrequency), (0x10, .rearLeft), (0x20, .rearRight),
        (0x100, .rearCenter), (0x200, .sideLeft), (0x400, .sideRight),
    ]

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

    /// libsndfile's number of each place; of several numbers, the first is written.
    private static let numbers: [(label: ChannelLabel, number: Int)] = [
        (.mono, SF_CHANNEL_MAP_MONO), (.left, SF_CHANNEL_MAP_LEFT), (.right, SF_CHANNEL_MAP_RIGHT),
        (.center, SF_CHANNEL_MAP_CENTER), (.lowFrequency, SF_CHANNEL_MAP_LFE),
        (.rearLeft, SF_CHANNEL_MAP_REAR_LEFT), (.rearRight, SF_CHANNEL_MAP_REAR_RIGHT),
        (.rearCenter, SF_CHANNEL_MAP_REAR_CENTER), (.sideLeft, SF_CHANNEL_MAP_SIDE_LEFT),
        (.sideRight, SF_CHANNEL_MAP_SIDE_RIGHT), (.left, SF_CHANNEL_MAP_FRONT_LEFT),
        (.right, SF_CHANNEL_MAP_FRONT_RIGHT), (.center, SF_CHANNEL_MAP_FRONT_CENTER),
    ]

    /// The places in libsndfile's numbers; nil when one of them has none.
    static func map(_ labels: [ChannelLabel]) -> [Int32]? {
        let map = labels.compactMap { label in numbers.first { $0.label == label }.map { Int32($0.number) } }
        return map.count == labels.count ? map : nil
    }

    private static func label(_ number: Int32, index: Int) -> ChannelLabel {
        numbers.first { $0.number == number }?.label ?? .discrete(index)
    }
}
