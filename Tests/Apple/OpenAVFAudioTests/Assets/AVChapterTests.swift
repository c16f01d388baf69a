import CoreMedia
import Foundation
import TestAudio
import Testing

@testable import OpenAVFoundation

/// The chapters of an asset, and the kind of its tags.
@Suite struct AVChapterTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func asset(_ codec: String, _ ending: String, _ starts: [Int] = [0, 500]) throws -> AVURLAsset {
        let chapters = starts.map { (title: "At \($0)", start: $0) }
        return AVURLAsset(
            url: URL(
                filePath: try EncodedFile.writeChapters(chapters, codec: codec, ending: ending, in: directory)))
    }

    @Test func chapters_areGroupsOfTheirTitles() async throws {
        let asset = try asset("aac", "m4b")
        let locale = try #require(try await asset.load(.availableChapterLocales).first)
        #expect(asset.availableChapterLocales == [locale])
        let groups = asset.chapterMetadataGroups(withTitleLocale: locale, containingItemsWithCommonKeys: nil)
        #expect(groups.map { $0.items.map(\.stringValue) } == [["At 0"], ["At 500"]])
        #expect(groups.map { $0.items.map(\.commonKey) } == [[.commonKeyTitle], [.commonKeyTitle]])
        let half = CMTime(value: 1, timescale: 2)
        #expect(
            groups.map(\.timeRange) == [
                CMTimeRange(start: .zero, duration: half), CMTimeRange(start: half, end: asset.duration),
            ])
        func ranges(_ groups: [AVTimedMetadataGroup]) -> [CMTimeRange] { groups.map(\.timeRange) }
        #expect(ranges(asset.chapterMetadataGroups(bestMatchingPreferredLanguages: ["de"])) == ranges(groups))
        #expect(
            ranges(try await asset.loadChapterMetadataGroups(bestMatchingPreferredLanguages: [])) == ranges(groups))
        #expect(ranges(try await asset.loadChapterMetadataGroups(withTitleLocale: locale)) == ranges(groups))
        let other = Locale(identifier: "fr_FR")
        #expect(asset.chapterMetadataGroups(withTitleLocale: other, containingItemsWithCommonKeys: []).isEmpty)
        #expect(try await asset.loadChapterMetadataGroups(withTitleLocale: other).isEmpty)
        let own = AVTimedMetadataGroup(items: groups[0].items, timeRange: .zero)
        #expect(own.items == groups[0].items && own.timeRange == .zero)
    }

    @Test func assetWithoutChapters_hasNone() async throws {
        let plain = AVURLAsset(url: URL(filePath: try TestFile.write(.ramp, seconds: 0.1, in: directory)))
        #expect(plain.availableChapterLocales.isEmpty && plain.availableMetadataFormats.isEmpty)
        #expect(try await plain.loadChapterMetadataGroups(bestMatchingPreferredLanguages: ["en"]).isEmpty)
        let missing = AVURLAsset(url: URL(filePath: directory.path("missing.m4b")))
        #expect(missing.chapterMetadataGroups(bestMatchingPreferredLanguages: []).isEmpty)
        await #expect(throws: NSError.self) { try await missing.load(.availableChapterLocales) }
        await #expect(throws: NSError.self) {
            try await missing.loadChapterMetadataGroups(bestMatchingPreferredLanguages: [])
        }
    }

    @Test(arguments: [
        ("aac", "m4b", AVMetadataFormat.iTunesMetadata, "com.apple.itunes"),
        ("libmp3lame", "mp3", .id3Metadata, "org.id3"), ("libvorbis", "ogg", .unknown, "unknown"),
    ])
    func metadataFormat_isThatOfTheFile(codec: String, ending: String, format: AVMetadataFormat, name: String)
        async throws
    {
        let asset = try asset(codec, ending)
        #expect(asset.availableMetadataFormats == [format] && format.rawValue == name)
        #expect(try await asset.load(.availableMetadataFormats) == [format])
        #expect(asset.metadata(forFormat: format).first?.stringValue == "Book")
        #expect(asset.metadata(forFormat: AVMetadataFormat(rawValue: "other")).isEmpty)
    }
}
