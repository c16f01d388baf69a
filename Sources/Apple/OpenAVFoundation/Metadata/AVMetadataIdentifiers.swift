import Foundation

// The names of facts that every kind of tag has, and of those of radio stations.
//
// Source: SDK headers AVMetadataFormat.h and AVMetadataIdentifiers.h of AVFoundation.

extension AVMetadataKey {
    /// The title.
    public static let commonKeyTitle = AVMetadataKey(rawValue: "title")
    /// The composer.
    public static let commonKeyCreator = AVMetadataKey(rawValue: "creator")
    /// The subject.
    public static let commonKeySubject = AVMetadataKey(rawValue: "subject")
    /// The comment.
    public static let commonKeyDescription = AVMetadataKey(rawValue: "description")
    /// The publisher.
    public static let commonKeyPublisher = AVMetadataKey(rawValue: "publisher")
    /// Who else has a part in it.
    public static let commonKeyContributor = AVMetadataKey(rawValue: "contributor")
    /// The date, as the file writes it.
    public static let commonKeyCreationDate = AVMetadataKey(rawValue: "creationDate")
    /// When it was changed.
    public static let commonKeyLastModifiedDate = AVMetadataKey(rawValue: "lastModifiedDate")
    /// The genre.
    public static let commonKeyType = AVMetadataKey(rawValue: "type")
    /// The format.
    public static let commonKeyFormat = AVMetadataKey(rawValue: "format")
    /// What identifies it.
    public static let commonKeyIdentifier = AVMetadataKey(rawValue: "identifier")
    /// Where it comes from.
    public static let commonKeySource = AVMetadataKey(rawValue: "source")
    /// The language.
    public static let commonKeyLanguage = AVMetadataKey(rawValue: "language")
    /// What it belongs to.
    public static let commonKeyRelation = AVMetadataKey(rawValue: "relation")
    /// Where it was made.
    public static let commonKeyLocation = AVMetadataKey(rawValue: "location")
    /// The copyright notice.
    public static let commonKeyCopyrights = AVMetadataKey(rawValue: "copyrights")
    /// The name of the album.
    public static let commonKeyAlbumName = AVMetadataKey(rawValue: "albumName")
    /// The author.
    public static let commonKeyAuthor = AVMetadataKey(rawValue: "author")
    /// The artist.
    public static let commonKeyArtist = AVMetadataKey(rawValue: "artist")
    /// The picture.
    public static let commonKeyArtwork = AVMetadataKey(rawValue: "artwork")
    /// The maker of the device that recorded it.
    public static let commonKeyMake = AVMetadataKey(rawValue: "make")
    /// The device that recorded it.
    public static let commonKeyModel = AVMetadataKey(rawValue: "model")
    /// The program that made the file.
    public static let commonKeySoftware = AVMetadataKey(rawValue: "software")
    /// A description for those who cannot hear it.
    public static let commonKeyAccessibilityDescription = AVMetadataKey(rawValue: "accessibilityDescription")
    /// What a radio station says that it plays, a text.
    public static let icyMetadataKeyStreamTitle = AVMetadataKey(rawValue: "StreamTitle")
    /// The address that a radio station sends; it is not read.
    public static let icyMetadataKeyStreamURL = AVMetadataKey(rawValue: "StreamUrl")
}

extension AVMetadataIdentifier {
    /// The title, in any kind of tag.
    public static let commonIdentifierTitle = AVMetadataIdentifier(rawValue: "comn/title")
    /// The composer, in any kind of tag.
    public static let commonIdentifierCreator = AVMetadataIdentifier(rawValue: "comn/creator")
    /// The subject, in any kind of tag.
    public static let commonIdentifierSubject = AVMetadataIdentifier(rawValue: "comn/subject")
    /// The comment, in any kind of tag.
    public static let commonIdentifierDescription = AVMetadataIdentifier(rawValue: "comn/description")
    /// The publisher, in any kind of tag.
    public static let commonIdentifierPublisher = AVMetadataIdentifier(rawValue: "comn/publisher")
    /// Who else has a part in it, in any kind of tag.
    public static let commonIdentifierContributor = AVMetadataIdentifier(rawValue: "comn/contributor")
    /// The date, as the file writes it, in any kind of tag.
    public static let commonIdentifierCreationDate = AVMetadataIdentifier(rawValue: "comn/creationDate")
    /// When it was changed, in any kind of tag.
    public static let commonIdentifierLastModifiedDate = AVMetadataIdentifier(rawValue: "comn/lastModifiedDate")
    /// The genre, in any kind of tag.
    public static let commonIdentifierType = AVMetadataIdentifier(rawValue: "comn/type")
    /// The format, in any kind of tag.
    public static let commonIdentifierFormat = AVMetadataIdentifier(rawValue: "comn/format")
    /// What identifies it, in any kind of tag.
    public static let commonIdentifierAssetIdentifier = AVMetadataIdentifier(rawValue: "comn/identifier")
    /// Where it comes from, in any kind of tag.
    public static let commonIdentifierSource = AVMetadataIdentifier(rawValue: "comn/source")
    /// The language, in any kind of tag.
    public static let commonIdentifierLanguage = AVMetadataIdentifier(rawValue: "comn/language")
    /// What it belongs to, in any kind of tag.
    public static let commonIdentifierRelation = AVMetadataIdentifier(rawValue: "comn/relation")
    /// Where it was made, in any kind of tag.
    public static let commonIdentifierLocation = AVMetadataIdentifier(rawValue: "comn/location")
    /// The copyright notice, in any kind of tag.
    public static let commonIdentifierCopyrights = AVMetadataIdentifier(rawValue: "comn/copyrights")
    /// The name of the album, in any kind of tag.
    public static let commonIdentifierAlbumName = AVMetadataIdentifier(rawValue: "comn/albumName")
    /// The author, in any kind of tag.
    public static let commonIdentifierAuthor = AVMetadataIdentifier(rawValue: "comn/author")
    /// The artist, in any kind of tag.
    public static let commonIdentifierArtist = AVMetadataIdentifier(rawValue: "comn/artist")
    /// The picture, in any kind of tag.
    public static let commonIdentifierArtwork = AVMetadataIdentifier(rawValue: "comn/artwork")
    /// The maker of the device that recorded it, in any kind of tag.
    public static let commonIdentifierMake = AVMetadataIdentifier(rawValue: "comn/make")
    /// The device that recorded it, in any kind of tag.
    public static let commonIdentifierModel = AVMetadataIdentifier(rawValue: "comn/model")
    /// The program that made the file, in any kind of tag.
    public static let commonIdentifierSoftware = AVMetadataIdentifier(rawValue: "comn/software")
    /// A description for those who cannot hear it, in any kind of tag.
    public static let commonIdentifierAccessibilityDescription = AVMetadataIdentifier(
        rawValue: "comn/accessibilityDescription")
    /// What a radio station says that it plays: often the artist, a dash and the title.
    public static let icyMetadataStreamTitle = AVMetadataIdentifier(rawValue: "icy/StreamTitle")
    /// The address that a radio station sends; it is not read.
    public static let icyMetadataStreamURL = AVMetadataIdentifier(rawValue: "icy/StreamUrl")
}
