internal import MediaTags

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

    init(_ space: TagFact.Space) {
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
    init(space: AVMetadataKeySpace, key: String) {
        rawValue = (space == .id3 ? "id3" : space.rawValue) + "/" + key.replacing("©", with: "%A9")
    }

    init(quickTime name: String) { self.init(space: .quickTimeMetadata, key: AVMetadataKey.quickTimePrefix + name) }

    var parts: (space: AVMetadataKeySpace, key: String)? {
        let parts = rawValue.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        let space = parts[0] == "id3" ? .id3 : AVMetadataKeySpace(rawValue: parts[0])
        return (space, parts[1].replacing("%A9", with: "©"))
    }
}

extension AVMetadataKey {
    fileprivate static let quickTimePrefix = "com.apple.quicktime."

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
            return (quickTimePrefix + name, key)
        },
    ]

    static func common(for key: String, in space: AVMetadataKeySpace) -> AVMetadataKey? {
        switch space {
        case .common: AVMetadataKey(rawValue: key)
        case .icy: key == icyMetadataKeyStreamTitle.rawValue ? .commonKeyTitle : nil
        default: own[space]?.first { $0.0 == key }?.1
        }
    }

    static func own(for common: AVMetadataKey, in space: AVMetadataKeySpace) -> String? {
        own[space]?.first { $0.1 == common }?.0
    }
}
