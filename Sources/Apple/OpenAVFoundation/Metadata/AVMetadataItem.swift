import AudioFiles
public import Foundation
import MediaTags
internal import OpenAVFAudio
import Synchronization

/// One fact of a sound's tags: its title, its artist, its picture.
///
/// Any thread.
///
/// Source: SDK header AVMetadataItem.h of AVFoundation.
open class AVMetadataItem: NSObject, NSCopying, NSMutableCopying, AVAsynchronousKeyValueLoading, @unchecked Sendable {
    // @unchecked: set by initialisers only; subclasses have to keep to that.
    private var fields = Fields()

    /// @unchecked: a value is not changed once an item has it.
    fileprivate struct Fields: @unchecked Sendable {
        var space: AVMetadataKeySpace?
        var key: (any NSCopying & NSObjectProtocol)?
        var value: (any NSCopying & NSObjectProtocol)?
        var dataType: String?
        /// Of an item that says the same as a text and as a number: track 3 of 12.
        var number: NSNumber?
        /// The same as bytes, as iTunes writes it.
        var data: Data?
        var attributes: [AVMetadataExtraAttributeKey: Any] = [:]
    }

    /// An item without a key and a value, for a double of an app's tests.
    public override init() { super.init() }

    /// Convenience: a subclass of an app's inherits the initialisers only if it may see all designated ones.
    fileprivate convenience init(_ fields: Fields) {
        self.init()
        self.fields = fields
    }

    fileprivate var current: Fields { fields }

    /// The same object: it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// An item that can be changed, of the same key and value.
    open func mutableCopy(with zone: NSZone? = nil) -> Any { AVMutableMetadataItem(current) }

    /// The key space and the key.
    open var identifier: AVMetadataIdentifier? {
        guard let space = keySpace, let key else { return nil }
        return AVMetadataItem.identifier(forKey: key, keySpace: space)
    }

    /// The identifier of a key in its key space.
    ///
    /// - Parameters:
    ///   - key: a text.
    ///   - keySpace: where it belongs to.
    open class func identifier(forKey key: Any, keySpace: AVMetadataKeySpace) -> AVMetadataIdentifier? {
        (key as? AVMetadataKey).map { AVMetadataIdentifier(space: keySpace, key: $0.rawValue) }
            ?? AVMetadataIdentifier(space: keySpace, key: "\(key)")
    }

    /// Which kind of tag the item comes from.
    open var keySpace: AVMetadataKeySpace? { fields.space }

    /// The name of the tag in its key space, as an `NSString`.
    open var key: (any NSCopying & NSObjectProtocol)? { fields.key }

    /// Nil for what only one kind of file has.
    open var commonKey: AVMetadataKey? {
        guard let space = keySpace, let key else { return nil }
        return AVMetadataKey.common(for: "\(key)", in: space)
    }

    /// `NSString`, `NSNumber` or `NSData`.
    open var value: (any NSCopying & NSObjectProtocol)? { fields.value }

    /// What else the tag says: the description of a comment, a text or a picture of ID3.
    open var extraAttributes: [AVMetadataExtraAttributeKey: Any]? {
        fields.attributes.isEmpty ? nil : fields.attributes
    }

    /// Nil for what is no text and no number.
    open var stringValue: String? {
        switch value {
        case let text as NSString: "\(text)"
        case let number as NSNumber: number.stringValue
        default: nil
        }
    }

    /// A number, or the whole number that the text begins with: a year, the number of a track.
    open var numberValue: NSNumber? {
        fields.number ?? value as? NSNumber
            ?? stringValue.flatMap { Int($0.prefix { $0.isASCII && $0.isNumber }) }.map { NSNumber(value: $0) }
    }

    /// A date, or that of a text that is a day: "2019-05-04".
    open var dateValue: Date? {
        if let date = value as? NSDate { return date as Date }
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withFullDate]
        return stringValue.flatMap { formatter.date(from: String($0.prefix(10))) }
    }

    /// Of a picture a whole JPEG or PNG file, as the tags have it; of a track's number what iTunes writes; nil for a text.
    open var dataValue: Data? { fields.data ?? (value as? NSData).map { $0 as Data } }

    /// "public.jpeg", "public.utf-8", ...
    open var dataType: String? { fields.dataType }

    /// Calls the handler: the values of an item are there from the start.
    ///
    /// - Parameters:
    ///   - keys: names of properties.
    ///   - handler: called once, on a thread of its own.
    @preconcurrency
    open func loadValuesAsynchronously(
        forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)? = nil
    ) {
        if let handler { DispatchQueue.global().async { handler() } }
    }

    /// Always `.loaded`.
    open func statusOfValue(forKey key: String, error outError: NSErrorPointer) -> AVKeyValueStatus { .loaded }

    /// The items with an identifier; with a common one those of every kind of tag that mean the same.
    open class func metadataItems(
        from metadataItems: [AVMetadataItem], filteredByIdentifier identifier: AVMetadataIdentifier
    ) -> [AVMetadataItem] {
        metadataItems.filter { item in
            item.identifier == identifier
                || item.commonKey.map { AVMetadataIdentifier(space: .common, key: $0.rawValue) } == identifier
        }
    }

    /// The items with a key, and of a key space.
    ///
    /// - Parameters:
    ///   - metadataItems: searched in their order.
    ///   - key: a text or an `AVMetadataKey`; nil: any.
    ///   - keySpace: nil: any; `common`: of every kind of tag, by their common keys.
    open class func metadataItems(
        from metadataItems: [AVMetadataItem], withKey key: Any?, keySpace: AVMetadataKeySpace?
    ) -> [AVMetadataItem] {
        let name = (key as? AVMetadataKey)?.rawValue ?? (key as? String) ?? (key as? NSString).map { "\($0)" }
        guard key == nil || name != nil else { return [] }
        return metadataItems.filter { item in
            let isCommon = item.commonKey != nil && (name == nil || item.commonKey?.rawValue == name)
            let isOwn = name == nil || item.key.map { "\($0)" } == name
            return switch keySpace {
            case nil: isCommon || isOwn
            case .common?: isCommon
            case let space?: isOwn && item.keySpace == space
            }
        }
    }
}

/// A fact that an app states itself, as for a group of its own.
///
/// Any thread. Nothing is written to a file.
///
/// Source: SDK header AVMetadataItem.h of AVFoundation.
open class AVMutableMetadataItem: AVMetadataItem, @unchecked Sendable {
    private let given = Mutex(Fields())

    /// An item without a key and a value.
    public override init() { super.init() }

    fileprivate convenience init(_ fields: Fields) {
        self.init()
        given.withLock { $0 = fields }
    }

    fileprivate override var current: Fields { given.withLock { $0 } }

    /// An item of the same key and value, which does not change.
    open override func copy(with zone: NSZone? = nil) -> Any { AVMetadataItem(current) }

    /// The key space and the key; nil without both, or to remove both.
    open override var identifier: AVMetadataIdentifier? {
        get { super.identifier }
        set {
            let parts = newValue?.parts
            replace {
                $0.space = parts?.space
                $0.key = parts.map { NSString(string: $0.key) }
            }
        }
    }

    /// Which kind of tag the item comes from; nil at first.
    open override var keySpace: AVMetadataKeySpace? {
        get { current.space }
        set { replace { $0.space = newValue } }
    }

    /// The name of the tag in its key space; nil at first.
    open override var key: (any NSCopying & NSObjectProtocol)? {
        get { current.key }
        set { replace { $0.key = newValue } }
    }

    /// `NSString`, `NSNumber`, `NSDate`, `NSData` or another object; nil at first.
    open override var value: (any NSCopying & NSObjectProtocol)? {
        get { current.value }
        set {
            replace {
                $0.value = newValue
                ($0.number, $0.data) = (nil, nil)
            }
        }
    }

    /// What else the tag says; nil at first.
    open override var extraAttributes: [AVMetadataExtraAttributeKey: Any]? {
        get { current.attributes.isEmpty ? nil : current.attributes }
        set { replace { $0.attributes = newValue ?? [:] } }
    }

    /// A number, or the whole number that a text begins with.
    open override var numberValue: NSNumber? { current.number ?? super.numberValue }

    /// Nil for what is no data.
    open override var dataValue: Data? { current.data ?? super.dataValue }

    /// What the app set; nil at first.
    open override var dataType: String? {
        get { current.dataType }
        set { replace { $0.dataType = newValue } }
    }

    /// An object that the item has no more is released without the lock: it is the app's.
    private func replace(_ change: (inout Fields) -> Void) {
        let before = given.withLock { fields in
            defer { change(&fields) }
            return fields
        }
        withExtendedLifetime(before) {}
    }
}

extension AVMetadataItem {
    static func title(_ text: String) -> AVMetadataItem { item(.common, AVMetadataKey.commonKeyTitle.rawValue, text) }

    /// What a radio station says that it plays.
    static func streamTitle(_ text: String) -> AVMetadataItem {
        item(.icy, AVMetadataKey.icyMetadataKeyStreamTitle.rawValue, text)
    }

    private static func item(_ space: AVMetadataKeySpace, _ key: String, _ text: String) -> AVMetadataItem {
        AVMetadataItem(
            Fields(
                space: space, key: NSString(string: key), value: NSString(string: text), dataType: "public.utf-8"))
    }

    private static func item(
        _ space: AVMetadataKeySpace, _ key: String, picture: [UInt8], mediaType: String
    ) -> AVMetadataItem {
        let type = "public." + (mediaType.split(separator: "/").last ?? "data")
        return AVMetadataItem(
            Fields(
                space: space, key: NSString(string: key), value: NSData(data: Data(picture)), dataType: type))
    }

    /// - Parameter text: for what the file has as a number of a list, such as a genre of ID3; nil: as the file has it.
    private convenience init(_ fact: TagFact, text: String?) {
        var fields = Fields(space: AVMetadataKeySpace(fact.space), key: NSString(string: fact.key))
        fields.dataType = "public.utf-8"
        switch fact.value {
        case .text(let own): fields.value = NSString(string: text ?? own)
        case .number(let number, let count):
            if let text {
                fields.value = NSString(string: text)
            } else if ["trkn", "disk"].contains(fact.key) {
                fields.value = NSString(string: count.map { "\(number)/\($0)" } ?? "\(number)")
                fields.number = NSNumber(value: number)
                let words = [0, number, count ?? 0, 0].map(UInt16.init(truncatingIfNeeded:))
                fields.data = Data(words.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
            } else {
                (fields.value, fields.dataType) = (NSNumber(value: number), "public.integer")
            }
        case .data(let bytes): (fields.value, fields.dataType) = (NSData(data: Data(bytes)), "public.data")
        case .picture(let bytes, let mediaType):
            fields.value = NSData(data: Data(bytes))
            fields.dataType = "public." + (mediaType.split(separator: "/").last ?? "data")
        }
        if let label = fact.label { fields.attributes[.info] = label }
        self.init(fields)
    }

    /// The tags as items: those that the file has in its own kind of tags, then what else is known of it.
    ///
    /// - Parameters:
    ///   - tags: what every kind of file may say.
    ///   - facts: what the file says in its own kind of tags.
    ///   - space: that of the file's kind of tags, whose keys the tags have where the file has none.
    ///   - artwork: asked for where the facts have no picture.
    static func items(
        _ tags: TrackTags, _ facts: [TagFact], in space: AVMetadataKeySpace, _ artwork: () -> TrackArtwork?
    ) -> [AVMetadataItem] {
        // A genre may be a number in a list of ID3.
        func isNumber(_ fact: TagFact) -> Bool {
            switch (fact.key, fact.value) {
            case ("gnre", _): true
            case ("TCON", .text(let text)): text.first == "(" || text.allSatisfy(\.isNumber)
            default: false
            }
        }
        var items = facts.map { AVMetadataItem($0, text: isNumber($0) ? tags.genre : nil) }
        let known = Set(items.compactMap(\.commonKey))
        let common: [(AVMetadataKey, String?)] = [
            (.commonKeyTitle, tags.title), (.commonKeyArtist, tags.artist), (.commonKeyAlbumName, tags.album),
            (.commonKeyCreator, tags.composer), (.commonKeyType, tags.genre), (.commonKeyCreationDate, tags.date),
            (.commonKeyDescription, tags.comment), (.commonKeyCopyrights, tags.copyright),
            (.commonKeySoftware, tags.software),
        ]
        for case (let key, let text?) in common where !known.contains(key) {
            let own = AVMetadataKey.own(for: key, in: space)
            items.append(item(own == nil ? .common : space, own ?? key.rawValue, text))
        }
        // What has no common key is of iTunes where the file has no kind of tags of its own.
        let others = [
            ("aART", "TPE2", tags.albumArtist), ("trkn", "TRCK", tags.trackNumber),
        ]
        let keys = Set(facts.map(\.key))
        for case (let key, let id3, let text?) in others where keys.isDisjoint(with: [key, id3]) {
            items.append(item(space == .id3 ? .id3 : .iTunes, space == .id3 ? id3 : key, text))
        }
        if !known.contains(.commonKeyArtwork), let artwork = artwork() {
            items.append(
                item(
                    .common, AVMetadataKey.commonKeyArtwork.rawValue, picture: artwork.bytes,
                    mediaType: artwork.mediaType))
        }
        return items
    }
}

extension AVMetadataKey {
    /// The keys that mean the same as common ones; the first one of each is what a file gets that says it otherwise.
    private static let own: [AVMetadataKeySpace: [(String, AVMetadataKey)]] = [
        .id3: [
            ("TIT2", .commonKeyTitle), ("TPE1", .commonKeyArtist), ("TALB", .commonKeyAlbumName),
            ("TCOM", .commonKeyCreator), ("TCON", .commonKeyType), ("TDRC", .commonKeyCreationDate),
            ("TYER", .commonKeyCreationDate), ("COMM", .commonKeyDescription), ("TCOP", .commonKeyCopyrights),
            ("TSSE", .commonKeySoftware), ("APIC", .commonKeyArtwork), ("TPUB", .commonKeyPublisher),
            ("TLAN", .commonKeyLanguage), ("TEXT", .commonKeyAuthor),
        ],
        .iTunes: [
            ("©nam", .commonKeyTitle), ("©ART", .commonKeyArtist), ("©alb", .commonKeyAlbumName),
            ("©wrt", .commonKeyCreator), ("©gen", .commonKeyType), ("gnre", .commonKeyType),
            ("©day", .commonKeyCreationDate), ("©cmt", .commonKeyDescription), ("cprt", .commonKeyCopyrights),
            ("©too", .commonKeySoftware), ("covr", .commonKeyArtwork), ("©pub", .commonKeyPublisher),
            ("©aut", .commonKeyAuthor),
        ],
        .quickTimeMetadata: [
            "title", "artist", "album", "author", "creationdate", "description", "copyright", "software", "artwork",
            "publisher", "make", "model",
        ].map { name in
            let key =
                switch name {
                case "album": AVMetadataKey.commonKeyAlbumName
                case "creationdate": AVMetadataKey.commonKeyCreationDate
                case "copyright": AVMetadataKey.commonKeyCopyrights
                default: AVMetadataKey(rawValue: name)
                }
            return ("com.apple.quicktime." + name, key)
        },
    ]

    fileprivate static func common(for key: String, in space: AVMetadataKeySpace) -> AVMetadataKey? {
        switch space {
        case .common: AVMetadataKey(rawValue: key)
        case .icy: key == icyMetadataKeyStreamTitle.rawValue ? .commonKeyTitle : nil
        default: own[space]?.first { $0.0 == key }?.1
        }
    }

    fileprivate static func own(for common: AVMetadataKey, in space: AVMetadataKeySpace) -> String? {
        own[space]?.first { $0.1 == common }?.0
    }
}

/// The name of a fact.
///
/// Source: SDK header AVMetadataFormat.h of AVFoundation.
public struct AVMetadataKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// What a tag says besides its value.
///
/// Source: SDK header AVMetadataFormat.h of AVFoundation.
public struct AVMetadataExtraAttributeKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The description of a comment, a text or a picture of ID3, a text.
    public static let info = AVMetadataExtraAttributeKey(rawValue: "info")
    /// The address of a value; no tag gives one here.
    public static let valueURI = AVMetadataExtraAttributeKey(rawValue: "dataURI")
    /// The address of a value's type; no tag gives one here.
    public static let baseURI = AVMetadataExtraAttributeKey(rawValue: "baseURI")
}

/// Where a key belongs to.
///
/// Source: SDK header AVMetadataFormat.h of AVFoundation.
public struct AVMetadataKeySpace: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Of every kind of file.
    public static let common = AVMetadataKeySpace(rawValue: "comn")
    /// Of the ID3 tags of MP3, WAV and AIFF files.
    public static let id3 = AVMetadataKeySpace(rawValue: "org.id3")
    /// Of MPEG-4 files, and of facts of other files that have no common key.
    public static let iTunes = AVMetadataKeySpace(rawValue: "itsk")
    /// Of QuickTime files.
    public static let quickTimeMetadata = AVMetadataKeySpace(rawValue: "mdta")
    /// Of old QuickTime files; no item is of it here.
    public static let quickTimeUserData = AVMetadataKeySpace(rawValue: "udta")
    /// Of radio stations.
    public static let icy = AVMetadataKeySpace(rawValue: "icy")

    fileprivate init(_ space: TagFact.Space) {
        self =
            switch space {
            case .id3: .id3
            case .iTunes: .iTunes
            case .quickTime: .quickTimeMetadata
            }
    }
}

/// A key with its key space.
///
/// Source: SDK header AVMetadataIdentifiers.h of AVFoundation.
public struct AVMetadataIdentifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The © of iTunes' keys is a byte in the text.
    fileprivate init(space: AVMetadataKeySpace, key: String) {
        rawValue = (space == .id3 ? "id3" : space.rawValue) + "/" + key.replacing("©", with: "%A9")
    }

    fileprivate var parts: (space: AVMetadataKeySpace, key: String)? {
        let parts = rawValue.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        let space = parts[0] == "id3" ? .id3 : AVMetadataKeySpace(rawValue: parts[0])
        return (space, parts[1].replacing("%A9", with: "©"))
    }
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
