import AudioFiles
import Foundation
import MediaTags

/// What an item says.
///
/// @unchecked: a value is not changed once an item has it.
struct MetadataFields: @unchecked Sendable {
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

extension AVMetadataItem {
    static func title(_ text: String) -> AVMetadataItem { item(.common, AVMetadataKey.commonKeyTitle.rawValue, text) }

    /// What a radio station says that it plays.
    static func streamTitle(_ text: String) -> AVMetadataItem {
        item(.icy, AVMetadataKey.icyMetadataKeyStreamTitle.rawValue, text)
    }

    private static func item(_ space: AVMetadataKeySpace, _ key: String, _ text: String) -> AVMetadataItem {
        AVMetadataItem(
            MetadataFields(
                space: space, key: NSString(string: key), value: NSString(string: text), dataType: "public.utf-8"))
    }

    private static func item(
        _ space: AVMetadataKeySpace, _ key: String, picture: [UInt8], mediaType: String
    ) -> AVMetadataItem {
        let type = "public." + (mediaType.split(separator: "/").last ?? "data")
        return AVMetadataItem(
            MetadataFields(
                space: space, key: NSString(string: key), value: NSData(data: Data(picture)), dataType: type))
    }

    /// - Parameter text: for what the file has as a number of a list, such as a genre of ID3; nil: as the file has it.
    private convenience init(_ fact: TagFact, text: String?) {
        var fields = MetadataFields(space: AVMetadataKeySpace(fact.space), key: NSString(string: fact.key))
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
