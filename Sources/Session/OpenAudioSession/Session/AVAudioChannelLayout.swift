package import AudioModel
@_exported public import CAudioTypes
public import Foundation

/// The positions of channels in the room.
///
/// Two layouts are equal if tag, bitmap and descriptions are equal.
///
/// `@unchecked Sendable`: the memory is written in the initialiser only; a subclass must not add mutable state.
///
/// Source: SDK header AVAudioChannelLayout.h.
open class AVAudioChannelLayout: NSObject, @unchecked Sendable {
    /// The layout for Core Audio's C functions.
    ///
    /// Valid while this object is.
    public let layout: UnsafePointer<AudioChannelLayout>
    /// The number of channels that the layout describes.
    public let channelCount: AVAudioChannelCount

    private let storage: UnsafeMutableRawBufferPointer

    /// A layout that a tag describes completely.
    ///
    /// - Returns: nil for tags that refer to a bitmap or to descriptions.
    public convenience init?(layoutTag: AudioChannelLayoutTag) {
        guard
            layoutTag != kAudioChannelLayoutTag_UseChannelDescriptions,
            layoutTag != kAudioChannelLayoutTag_UseChannelBitmap
        else { return nil }
        var layout = AudioChannelLayout()
        layout.mChannelLayoutTag = layoutTag
        self.init(layout: &layout)
    }

    /// A copy of a C layout with all its descriptions.
    public init(layout: UnsafePointer<AudioChannelLayout>) {
        let used = Self.usedBytes(descriptions: Int(layout.pointee.mNumberChannelDescriptions))
        storage = Self.zeros(byteCount: used)
        storage.copyMemory(from: UnsafeRawBufferPointer(start: layout, count: used))
        self.layout = UnsafePointer(storage.baseAddress!.bindMemory(to: AudioChannelLayout.self, capacity: 1))
        channelCount =
            switch layout.pointee.mChannelLayoutTag {
            case kAudioChannelLayoutTag_UseChannelDescriptions: layout.pointee.mNumberChannelDescriptions
            case kAudioChannelLayoutTag_UseChannelBitmap: UInt32(layout.pointee.mChannelBitmap.rawValue.nonzeroBitCount)
            case let tag: tag & 0xFFFF
            }
        super.init()
    }

    deinit { storage.deallocate() }

    /// The channels with these places: by a tag where one says it, else by descriptions.
    package convenience init(places: [ChannelLabel]) {
        if let tag = ChannelLabel.tag(of: places) {
            var layout = AudioChannelLayout()
            layout.mChannelLayoutTag = tag
            self.init(layout: &layout)
            return
        }
        let memory = Self.zeros(byteCount: Self.usedBytes(descriptions: places.count))
        defer { memory.deallocate() }
        let layout = memory.baseAddress!.bindMemory(to: AudioChannelLayout.self, capacity: 1)
        layout.pointee.mChannelLayoutTag = kAudioChannelLayoutTag_UseChannelDescriptions
        layout.pointee.mNumberChannelDescriptions = UInt32(places.count)
        for (index, place) in places.enumerated() {
            var description = AudioChannelDescription()
            description.mChannelLabel = AudioChannelLabel(place)
            memory.storeBytes(
                of: description, toByteOffset: Self.usedBytes(descriptions: index), as: AudioChannelDescription.self)
        }
        self.init(layout: layout)
    }

    /// The number of the layout; `kAudioChannelLayoutTag_UseChannelDescriptions` if it lists its channels.
    open var layoutTag: AudioChannelLayoutTag { layout.pointee.mChannelLayoutTag }

    /// Each channel's place; channels that have none here, or an unknown one, are discrete by their index.
    package var places: [ChannelLabel] {
        switch layoutTag {
        case kAudioChannelLayoutTag_UseChannelDescriptions:
            (0..<Int(channelCount)).map { index in
                let description = UnsafeRawBufferPointer(storage).load(
                    fromByteOffset: Self.usedBytes(descriptions: index), as: AudioChannelDescription.self)
                return ChannelLabel(description.mChannelLabel) ?? .discrete(index)
            }
        case kAudioChannelLayoutTag_UseChannelBitmap: ChannelLabel.places(of: layout.pointee.mChannelBitmap)
        case let tag: ChannelLabel.places(of: tag) ?? (0..<Int(channelCount)).map { .discrete($0) }
        }
    }

    /// The layout's bytes, as `AVChannelLayoutKey` has them.
    package var data: Data { Data(storage) }

    /// A layout from the bytes of `AVChannelLayoutKey`; nil when they are too few for what they announce.
    package convenience init?(data: Data) {
        let least = Self.usedBytes(descriptions: 0)
        guard data.count >= least else { return nil }
        let memory = Self.zeros(byteCount: data.count)
        defer { memory.deallocate() }
        memory.copyBytes(from: data)
        let layout = memory.baseAddress!.bindMemory(to: AudioChannelLayout.self, capacity: 1)
        guard Self.usedBytes(descriptions: Int(layout.pointee.mNumberChannelDescriptions)) <= data.count else {
            return nil
        }
        self.init(layout: layout)
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioChannelLayout else { return false }
        return other === self || UnsafeRawBufferPointer(storage).elementsEqual(UnsafeRawBufferPointer(other.storage))
    }

    open override var hash: Int { combinedHash(layoutTag, channelCount) }

    open override var description: String {
        "<AVAudioChannelLayout: \(places.map(\.name).joined(separator: ", "))>"
    }

    private static func usedBytes(descriptions: Int) -> Int {
        MemoryLayout<AudioChannelLayout>.offset(of: \.mChannelDescriptions)!
            + descriptions * MemoryLayout<AudioChannelDescription>.stride
    }

    /// Memory for a layout of so many bytes, and for Core Audio's structure, which has one description.
    private static func zeros(byteCount: Int) -> UnsafeMutableRawBufferPointer {
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(byteCount, usedBytes(descriptions: 1)), alignment: MemoryLayout<AudioChannelLayout>.alignment
        )
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        return memory
    }
}

extension ChannelLabel {
    /// The place that a label of Core Audio names; nil for one that this library has no place for.
    package init?(_ label: AudioChannelLabel) {
        let candidates = Self.placed + [.discrete(Int(label & 0xFFFF))]
        guard let place = candidates.first(where: { AudioChannelLabel($0) == label }) else { return nil }
        self = place
    }

    private static let placed: [ChannelLabel] = [
        .mono, .left, .right, .center, .lowFrequency, .rearLeft, .rearRight, .sideLeft, .sideRight, .rearCenter,
    ]

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

/// A number of channels.
public typealias AVAudioChannelCount = UInt32
