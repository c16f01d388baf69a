import AudioFiles
public import Foundation
import Synchronization

/// One fact of a sound's tags: its title, its artist, its picture.
///
/// Any thread.
///
/// Source: SDK header AVMetadataItem.h of AVFoundation.
open class AVMetadataItem: NSObject, AVAsynchronousKeyValueLoading, @unchecked Sendable {
    // @unchecked: constants; subclasses have to keep to that.
    private let content: Content
    private let space: AVMetadataKeySpace
    private let name: String

    fileprivate enum Content {
        case text(String)
        case picture(Data, mediaType: String)
    }

    fileprivate init(_ content: Content, space: AVMetadataKeySpace, name: String) {
        self.content = content
        self.space = space
        self.name = name
        super.init()
    }

    /// The key space and the key.
    open var identifier: AVMetadataIdentifier? { AVMetadataIdentifier(space: space, key: name) }

    /// Which kind of tag the item comes from: common, iTunes or a radio station; never nil here.
    open var keySpace: AVMetadataKeySpace? { space }

    /// The name of the tag in its key space, as an `NSString`.
    open var key: (any NSCopying & NSObjectProtocol)? { NSString(string: name) }

    /// Nil for what only one kind of file has.
    open var commonKey: AVMetadataKey? {
        switch space {
        case .common: AVMetadataKey(rawValue: name)
        case .icy: .commonKeyTitle
        default: nil
        }
    }

    /// `NSString` or `NSData`.
    open var value: (any NSCopying & NSObjectProtocol)? {
        switch content {
        case .text(let text): NSString(string: text)
        case .picture(let data, _): NSData(data: data)
        }
    }

    /// Nil for a picture.
    open var stringValue: String? { if case .text(let text) = content { text } else { nil } }

    /// The whole number that the text begins with: a year, the number of a track.
    open var numberValue: NSNumber? {
        stringValue.flatMap { Int($0.prefix { $0.isASCII && $0.isNumber }) }.map { NSNumber(value: $0) }
    }

    /// Of a text that is a day: "2019-05-04".
    open var dateValue: Date? {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withFullDate]
        return stringValue.flatMap { formatter.date(from: String($0.prefix(10))) }
    }

    /// Of a picture: a whole JPEG or PNG file, as the tags have it.
    open var dataValue: Data? { if case .picture(let data, _) = content { data } else { nil } }

    /// "public.jpeg", "public.utf-8", ...
    open var dataType: String? {
        switch content {
        case .text: "public.utf-8"
        case .picture(_, let mediaType): "public." + (mediaType.split(separator: "/").last ?? "data")
        }
    }

    /// The items with an identifier.
    open class func metadataItems(
        from metadataItems: [AVMetadataItem], filteredByIdentifier identifier: AVMetadataIdentifier
    ) -> [AVMetadataItem] {
        metadataItems.filter { $0.identifier == identifier }
    }

    /// The items with a key, and of a key space.
    ///
    /// - Parameters:
    ///   - metadataItems: searched in their order.
    ///   - key: a text or an `AVMetadataKey`; nil: any.
    ///   - keySpace: nil: any.
    open class func metadataItems(
        from metadataItems: [AVMetadataItem], withKey key: Any?, keySpace: AVMetadataKeySpace?
    ) -> [AVMetadataItem] {
        let name = (key as? AVMetadataKey)?.rawValue ?? (key as? String) ?? (key as? NSString).map { "\($0)" }
        guard key == nil || name != nil else { return [] }
        return metadataItems.filter {
            (name == nil || $0.key.map { "\($0)" } == name) && (keySpace == nil || $0.keySpace == keySpace)
        }
    }
}

/// A fact that an app states itself, as for a group of its own.
///
/// Any thread. Nothing is written to a file.
///
/// Source: SDK header AVMetadataItem.h of AVFoundation.
open class AVMutableMetadataItem: AVMetadataItem, @unchecked Sendable {
    /// @unchecked: a value is not changed once an item has it.
    private struct Fields: @unchecked Sendable {
        var space: AVMetadataKeySpace?
        var key: (any NSCopying & NSObjectProtocol)?
        var value: (any NSCopying & NSObjectProtocol)?
        var dataType: String?
    }

    private let fields = Mutex(Fields())

    /// An item without a key and a value.
    public init() { super.init(.text(""), space: .common, name: "") }

    /// The key space and the key; nil without both, or to remove both.
    open override var identifier: AVMetadataIdentifier? {
        get {
            guard let space = keySpace, let key else { return nil }
            return AVMetadataIdentifier(space: space, key: "\(key)")
        }
        set {
            let parts = newValue?.rawValue.split(separator: "/", maxSplits: 1).map(String.init) ?? []
            fields.withLock {
                $0.space = parts.first.map(AVMetadataKeySpace.init(rawValue:))
                $0.key = parts.dropFirst().first.map { NSString(string: $0) }
            }
        }
    }

    /// Which kind of tag the item comes from; nil at first.
    open override var keySpace: AVMetadataKeySpace? {
        get { fields.withLock { $0.space } }
        set { fields.withLock { $0.space = newValue } }
    }

    /// The name of the tag in its key space; nil at first.
    open override var key: (any NSCopying & NSObjectProtocol)? {
        get { fields.withLock { $0 }.key }
        set { replace { $0.key = newValue } }
    }

    /// Nil in another key space than the common one.
    open override var commonKey: AVMetadataKey? {
        guard keySpace == .common, let key else { return nil }
        return AVMetadataKey(rawValue: "\(key)")
    }

    /// `NSString`, `NSNumber`, `NSDate`, `NSData` or another object; nil at first.
    open override var value: (any NSCopying & NSObjectProtocol)? {
        get { fields.withLock { $0 }.value }
        set { replace { $0.value = newValue } }
    }

    /// Nil for what is no text and no number.
    open override var stringValue: String? {
        switch value {
        case let text as NSString: "\(text)"
        case let number as NSNumber: number.stringValue
        default: nil
        }
    }

    /// A number, or the whole number that a text begins with.
    open override var numberValue: NSNumber? { value as? NSNumber ?? super.numberValue }

    /// A date, or that of a text that is a day.
    open override var dateValue: Date? { (value as? NSDate).map { $0 as Date } ?? super.dateValue }

    /// Nil for what is no data.
    open override var dataValue: Data? { (value as? NSData).map { $0 as Data } }

    /// What the app set; nil at first.
    open override var dataType: String? {
        get { fields.withLock { $0.dataType } }
        set { fields.withLock { $0.dataType = newValue } }
    }

    /// An object that the item has no more is released without the lock: it is the app's.
    private func replace(_ change: (inout Fields) -> Void) {
        let before = fields.withLock { fields in
            defer { change(&fields) }
            return fields
        }
        withExtendedLifetime(before) {}
    }
}

extension AVMetadataItem {
    static func title(_ text: String) -> AVMetadataItem {
        AVMetadataItem(.text(text), space: .common, name: AVMetadataKey.commonKeyTitle.rawValue)
    }

    /// What a radio station says that it plays.
    static func streamTitle(_ text: String) -> AVMetadataItem {
        AVMetadataItem(.text(text), space: .icy, name: AVMetadataKey.icyMetadataKeyStreamTitle.rawValue)
    }

    /// The tags as items, in the order of Apple's keys; the picture last.
    static func items(_ tags: TrackTags, _ artwork: TrackArtwork?) -> [AVMetadataItem] {
        let common: [(AVMetadataKey, String?)] = [
            (.commonKeyTitle, tags.title), (.commonKeyArtist, tags.artist), (.commonKeyAlbumName, tags.album),
            (.commonKeyCreator, tags.composer), (.commonKeyType, tags.genre), (.commonKeyCreationDate, tags.date),
            (.commonKeyDescription, tags.comment), (.commonKeyCopyrights, tags.copyright),
            (.commonKeySoftware, tags.software),
        ]
        let others = [("aART", tags.albumArtist), ("trkn", tags.trackNumber)]
        return common.compactMap { key, text in
            text.map { AVMetadataItem(.text($0), space: .common, name: key.rawValue) }
        }
            + others.compactMap { key, text in text.map { AVMetadataItem(.text($0), space: .iTunes, name: key) } }
            + (artwork.map { artwork in
                [
                    AVMetadataItem(
                        .picture(Data(artwork.bytes), mediaType: artwork.mediaType), space: .common,
                        name: AVMetadataKey.commonKeyArtwork.rawValue)
                ]
            } ?? [])
    }
}

/// The name of a fact.
///
/// Source: SDK header AVMetadataFormat.h of AVFoundation.
public struct AVMetadataKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The title, a text.
    public static let commonKeyTitle = AVMetadataKey(rawValue: "title")
    /// The artist, a text.
    public static let commonKeyArtist = AVMetadataKey(rawValue: "artist")
    /// The name of the album, a text.
    public static let commonKeyAlbumName = AVMetadataKey(rawValue: "albumName")
    /// The picture, as the data of an image file.
    public static let commonKeyArtwork = AVMetadataKey(rawValue: "artwork")
    /// The composer.
    public static let commonKeyCreator = AVMetadataKey(rawValue: "creator")
    /// The genre.
    public static let commonKeyType = AVMetadataKey(rawValue: "type")
    /// As the file writes it; often a year.
    public static let commonKeyCreationDate = AVMetadataKey(rawValue: "creationDate")
    /// The comment.
    public static let commonKeyDescription = AVMetadataKey(rawValue: "description")
    /// The copyright notice, a text.
    public static let commonKeyCopyrights = AVMetadataKey(rawValue: "copyrights")
    /// The program that made the file.
    public static let commonKeySoftware = AVMetadataKey(rawValue: "software")
    /// What a radio station says that it plays, a text.
    public static let icyMetadataKeyStreamTitle = AVMetadataKey(rawValue: "StreamTitle")
}

/// Where a key belongs to.
///
/// Source: SDK header AVMetadataFormat.h of AVFoundation.
public struct AVMetadataKeySpace: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Of every kind of file.
    public static let common = AVMetadataKeySpace(rawValue: "comn")
    /// Of the facts that have no common key here, whatever the kind of file.
    public static let iTunes = AVMetadataKeySpace(rawValue: "itsk")
    /// Of radio stations.
    public static let icy = AVMetadataKeySpace(rawValue: "icy")
}

/// A key with its key space.
///
/// Source: SDK header AVMetadataIdentifiers.h of AVFoundation.
public struct AVMetadataIdentifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    fileprivate init(space: AVMetadataKeySpace, key: String) { rawValue = "\(space.rawValue)/\(key)" }
    private init(_ key: AVMetadataKey) { self.init(space: .common, key: key.rawValue) }

    /// The title, in any kind of tag.
    public static let commonIdentifierTitle = AVMetadataIdentifier(.commonKeyTitle)
    /// The artist, in any kind of tag.
    public static let commonIdentifierArtist = AVMetadataIdentifier(.commonKeyArtist)
    /// The name of the album, in any kind of tag.
    public static let commonIdentifierAlbumName = AVMetadataIdentifier(.commonKeyAlbumName)
    /// The picture, in any kind of tag.
    public static let commonIdentifierArtwork = AVMetadataIdentifier(.commonKeyArtwork)
    /// The composer, in any kind of tag.
    public static let commonIdentifierCreator = AVMetadataIdentifier(.commonKeyCreator)
    /// The genre, in any kind of tag.
    public static let commonIdentifierType = AVMetadataIdentifier(.commonKeyType)
    /// The date, in any kind of tag.
    public static let commonIdentifierCreationDate = AVMetadataIdentifier(.commonKeyCreationDate)
    /// The comment, in any kind of tag.
    public static let commonIdentifierDescription = AVMetadataIdentifier(.commonKeyDescription)
    /// The copyright notice, in any kind of tag.
    public static let commonIdentifierCopyrights = AVMetadataIdentifier(.commonKeyCopyrights)
    /// The program that encoded the file, in any kind of tag.
    public static let commonIdentifierSoftware = AVMetadataIdentifier(.commonKeySoftware)
    /// The artist of the whole album, as iTunes writes it.
    public static let iTunesMetadataAlbumArtist = AVMetadataIdentifier(space: .iTunes, key: "aART")
    /// The number of the track on its album, as iTunes writes it.
    public static let iTunesMetadataTrackNumber = AVMetadataIdentifier(space: .iTunes, key: "trkn")
    /// What a radio station says that it plays: often the artist, a dash and the title.
    public static let icyMetadataStreamTitle = AVMetadataIdentifier(space: .icy, key: "StreamTitle")
}

extension AVPartialAsyncProperty where Root: AVMetadataItem {
    /// For `load(_:)`: the value as a text, or nil.
    public static var stringValue: AVAsyncProperty<Root, String?> { AVAsyncProperty { $0.stringValue } }
    /// For `load(_:)`: the value as a number, or nil.
    public static var numberValue: AVAsyncProperty<Root, NSNumber?> { AVAsyncProperty { $0.numberValue } }
    /// For `load(_:)`: the value as a date, or nil.
    public static var dateValue: AVAsyncProperty<Root, Date?> { AVAsyncProperty { $0.dateValue } }
    /// For `load(_:)`: the value as data, or nil.
    public static var dataValue: AVAsyncProperty<Root, Data?> { AVAsyncProperty { $0.dataValue } }
}
