package import AudioModel
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
        let size = Self.byteCount(descriptions: Int(layout.pointee.mNumberChannelDescriptions))
        storage = .allocate(byteCount: size, alignment: MemoryLayout<AudioChannelLayout>.alignment)
        storage.initializeMemory(as: UInt8.self, repeating: 0)
        let used = Self.usedBytes(descriptions: Int(layout.pointee.mNumberChannelDescriptions))
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
        let size = Self.byteCount(descriptions: places.count)
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: size, alignment: MemoryLayout<AudioChannelLayout>.alignment)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0)
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
    public var layoutTag: AudioChannelLayoutTag { layout.pointee.mChannelLayoutTag }

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
        let size = max(data.count, MemoryLayout<AudioChannelLayout>.size)
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: size, alignment: MemoryLayout<AudioChannelLayout>.alignment)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0)
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

    private static func byteCount(descriptions: Int) -> Int { usedBytes(descriptions: max(1, descriptions)) }
}
