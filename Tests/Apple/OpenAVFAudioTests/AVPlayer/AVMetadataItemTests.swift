import Foundation
import TestAudio
import Testing

@testable import OpenAVFoundation

@Suite struct AVMetadataItemTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static let tags = [
        "title": "Tone", "artist": "Nobody", "album": "Sines", "composer": "Somebody", "genre": "Test",
        "date": "2019-05-04", "track": "3/12", "comment": "Loud", "copyright": "None", "album_artist": "All",
    ]

    private static let picture = Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

    private func asset() throws -> AVURLAsset {
        let path = try EncodedFile.writeTagged(
            Self.tags, picture: Self.picture, codec: "aac", ending: "m4a", in: directory)
        return AVURLAsset(url: URL(filePath: path))
    }

    @Test func metadata_isWhatTheTagsSay() async throws {
        let asset = try asset()
        let items = try await asset.load(.metadata)
        #expect(items.map(\.identifier) == asset.metadata.map(\.identifier))
        func text(_ identifier: AVMetadataIdentifier) -> [String?] {
            AVMetadataItem.metadataItems(from: items, filteredByIdentifier: identifier).map(\.stringValue)
        }
        #expect(text(.commonIdentifierTitle) == ["Tone"])
        #expect(text(.commonIdentifierArtist) == ["Nobody"])
        #expect(text(.commonIdentifierAlbumName) == ["Sines"])
        #expect(text(.commonIdentifierCreator) == ["Somebody"])
        #expect(text(.commonIdentifierType) == ["Test"])
        #expect(text(.commonIdentifierCreationDate) == ["2019-05-04"])
        #expect(text(.commonIdentifierDescription) == ["Loud"])
        #expect(text(.commonIdentifierCopyrights) == ["None"])
        #expect(text(.commonIdentifierSoftware).first??.hasPrefix("Lavf") == true)
        #expect(text(.iTunesMetadataAlbumArtist) == ["All"])
        #expect(text(.iTunesMetadataTrackNumber) == ["3/12"])
        #expect(text(.commonIdentifierArtwork) == [nil])
    }

    @Test func commonMetadata_hasCommonKeys_andThePicture() async throws {
        let asset = try asset()
        let items = try await asset.load(.commonMetadata)
        let keys: [AVMetadataKey] = [
            .commonKeyTitle, .commonKeyArtist, .commonKeyAlbumName, .commonKeyCreator, .commonKeyType,
            .commonKeyCreationDate, .commonKeyDescription, .commonKeyCopyrights, .commonKeySoftware, .commonKeyArtwork,
        ]
        #expect(items.count == keys.count && Set(items.compactMap(\.commonKey)) == Set(keys))
        #expect(asset.commonMetadata.map(\.commonKey) == items.map(\.commonKey))
        #expect(items.allSatisfy { $0.keySpace == .iTunes })
        let artwork = try #require(
            AVMetadataItem.metadataItems(from: items, filteredByIdentifier: .commonIdentifierArtwork).first)
        #expect(try await artwork.load(.dataValue) == Self.picture)
        #expect((artwork.dataValue, artwork.value as? NSData) == (Self.picture, Self.picture.map { NSData(data: $0) }))
        #expect(artwork.dataType == "public.png")
        #expect((artwork.stringValue, artwork.numberValue, artwork.dateValue) == (nil, nil, nil))
    }

    @Test func item_tellsItsValue() async throws {
        let items = try asset().metadata
        func item(_ identifier: AVMetadataIdentifier) throws -> AVMetadataItem {
            try #require(AVMetadataItem.metadataItems(from: items, filteredByIdentifier: identifier).first)
        }
        let title = try item(.commonIdentifierTitle)
        #expect(title.value as? NSString == "Tone")
        #expect((title.identifier, title.key as? NSString) == (.iTunesMetadataSongName, "©nam"))
        #expect(title.dataType == "public.utf-8")
        #expect(title.dataValue == nil)
        #expect(try await title.load(.stringValue) == "Tone")
        let track = try item(.iTunesMetadataTrackNumber)
        #expect((track.keySpace, track.commonKey) == (.iTunes, nil))
        #expect(try await track.load(.numberValue) == 3)
        #expect(track.dataValue == Data([0, 0, 0, 3, 0, 12, 0, 0]))
        let date = try item(.commonIdentifierCreationDate)
        #expect(try await date.load(.dateValue) == Date(timeIntervalSince1970: 1_556_928_000))
        #expect(date.numberValue == 2019)
    }

    @Test func mutableItem_hasWhatItWasGiven() {
        let item = AVMutableMetadataItem()
        #expect(item.identifier == nil && item.value == nil && item.stringValue == nil && item.dataType == nil)
        item.identifier = .commonIdentifierTitle
        #expect((item.keySpace, item.commonKey, item.key as? NSString) == (.common, .commonKeyTitle, "title"))
        item.value = NSString(string: "12 bars")
        #expect((item.stringValue, item.numberValue) == ("12 bars", 12))
        let group = AVTimedMetadataGroup(items: [item], timeRange: .zero)
        #expect(AVMetadataItem.metadataItems(from: group.items, withKey: "title", keySpace: .common) == [item])
        (item.keySpace, item.key) = (.iTunes, NSString(string: "trkn"))
        #expect((item.identifier, item.commonKey) == (.iTunesMetadataTrackNumber, nil))
        item.value = NSNumber(value: 3)
        #expect((item.stringValue, item.numberValue) == ("3", 3))
        item.value = NSDate(timeIntervalSince1970: 5)
        #expect((item.dateValue, item.stringValue) == (Date(timeIntervalSince1970: 5), nil))
        item.value = NSData(data: Data([1, 2]))
        item.dataType = "public.data"
        #expect((item.dataValue, item.dataType) == (Data([1, 2]), "public.data"))
        item.identifier = nil
        #expect(item.keySpace == nil && item.key == nil)
    }

    @Test func items_areFoundByKey() throws {
        let items = try asset().metadata
        func found(_ key: Any?, _ space: AVMetadataKeySpace?) -> [String?] {
            AVMetadataItem.metadataItems(from: items, withKey: key, keySpace: space).map(\.stringValue)
        }
        #expect(found(AVMetadataKey.commonKeyTitle, .common) == ["Tone"])
        #expect(found("title", nil) == ["Tone"])
        #expect(found(NSString(string: "title"), .common) == ["Tone"])
        #expect(found("title", .iTunes) == [])
        #expect(found("©nam", .iTunes) == ["Tone"])
        #expect(Set(found(nil, .iTunes)).isSuperset(of: ["All", "3/12", "Tone"]))
        #expect(found(nil, .id3) == [])
        #expect(found(7, nil) == [])
    }

    @Test func framesOfID3_comeUnderTheirIdentifiers() async throws {
        let tags = Self.tags.merging(["publisher": "Press", "Mood of it": "glad"]) { $1 }
        let path = try EncodedFile.writeTagged(
            tags, picture: Self.picture, codec: "libmp3lame", ending: "mp3", in: directory)
        let asset = AVURLAsset(url: URL(filePath: path))
        let items = try await asset.loadMetadata(for: .id3Metadata)
        func item(_ identifier: AVMetadataIdentifier) throws -> AVMetadataItem {
            try #require(AVMetadataItem.metadataItems(from: items, filteredByIdentifier: identifier).first)
        }
        let texts: [(AVMetadataIdentifier, String)] = [
            (.id3MetadataTitleDescription, "Tone"), (.id3MetadataLeadPerformer, "Nobody"),
            (.id3MetadataAlbumTitle, "Sines"), (.id3MetadataComposer, "Somebody"), (.id3MetadataContentType, "Test"),
            (.id3MetadataBand, "All"), (.id3MetadataTrackNumber, "3/12"), (.id3MetadataPublisher, "Press"),
            (.id3MetadataCopyright, "None"),
        ]
        for (identifier, text) in texts { #expect(try item(identifier).stringValue == text, "\(identifier.rawValue)") }
        #expect(try item(.id3MetadataTitleDescription).keySpace == .id3)
        #expect(try item(.id3MetadataTitleDescription).commonKey == .commonKeyTitle)
        #expect(try item(.id3MetadataTitleDescription).identifier?.rawValue == "id3/TIT2")
        #expect(try item(.commonIdentifierTitle).stringValue == "Tone")
        #expect(try item(.id3MetadataAttachedPicture).dataValue == Self.picture)
        let own = AVMetadataItem.metadataItems(from: items, filteredByIdentifier: .id3MetadataUserText)
        #expect(own.contains { $0.stringValue == "glad" && $0.extraAttributes?[.info] as? String == "Mood of it" })
        #expect(asset.availableMetadataFormats == [.id3Metadata])
        #expect(asset.metadata(forFormat: .iTunesMetadata).isEmpty)
    }

    @Test func keysOfQuickTime_comeUnderTheirIdentifiers() async throws {
        let path = try EncodedFile.writeTagged(
            ["com.apple.quicktime.title": "Tone", "com.apple.quicktime.author": "Nobody"], picture: nil, codec: "aac",
            ending: "mov", options: ["-movflags", "use_metadata_tags"], in: directory)
        let asset = AVURLAsset(url: URL(filePath: path))
        let items = try await asset.loadMetadata(for: .quickTimeMetadata)
        func texts(_ identifier: AVMetadataIdentifier) -> [String?] {
            AVMetadataItem.metadataItems(from: items, filteredByIdentifier: identifier).map(\.stringValue)
        }
        #expect(texts(.quickTimeMetadataTitle) == ["Tone"])
        #expect(texts(.commonIdentifierAuthor) == ["Nobody"])
        #expect(items.allSatisfy { $0.keySpace == .quickTimeMetadata })
        #expect(asset.availableMetadataFormats == [.quickTimeMetadata])
    }

    @Test func assetThatCannotBeRead_hasNone() async throws {
        let missing = AVURLAsset(url: URL(filePath: directory.path("missing.m4a")))
        #expect(missing.metadata.isEmpty && missing.commonMetadata.isEmpty)
        await #expect(throws: NSError.self) { try await missing.load(.metadata) }
        await #expect(throws: NSError.self) { try await missing.load(.commonMetadata) }
    }
}
