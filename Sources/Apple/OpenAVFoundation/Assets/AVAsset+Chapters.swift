import AudioFiles
public import CoreMedia
public import Foundation

/// Facts that belong together.
///
/// Source: SDK header AVTimedMetadataGroup.h of AVFoundation.
open class AVMetadataGroup: NSObject, @unchecked Sendable {
    // @unchecked: constants; subclasses have to keep to that.
    /// A group without facts, for a double of an app's tests.
    public override init() { super.init() }

    /// The facts.
    open var items: [AVMetadataItem] { [] }
}

/// Facts of a part of a sound: the title of a chapter.
///
/// Source: SDK header AVTimedMetadataGroup.h of AVFoundation.
open class AVTimedMetadataGroup: AVMetadataGroup, NSCopying, @unchecked Sendable {
    private let facts: [AVMetadataItem]
    private let range: CMTimeRange

    /// A group of an app's own.
    public init(items: [AVMetadataItem], timeRange: CMTimeRange) {
        (facts, range) = (items, timeRange)
        super.init()
    }

    /// The same object: it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The facts.
    open override var items: [AVMetadataItem] { facts }
    /// The part.
    open var timeRange: CMTimeRange { range }
}

/// A kind of tags.
///
/// Source: SDK header AVMetadataFormat.h of AVFoundation.
public struct AVMetadataFormat: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Of MPEG-4 files.
    public static let iTunesMetadata = AVMetadataFormat(rawValue: "com.apple.itunes")
    /// Of QuickTime files.
    public static let quickTimeMetadata = AVMetadataFormat(rawValue: "com.apple.quicktime.mdta")
    /// Of MP3 files, and of WAV and AIFF files that have them.
    public static let id3Metadata = AVMetadataFormat(rawValue: "org.id3")
    /// Of the others.
    public static let unknown = AVMetadataFormat(rawValue: "unknown")
}

extension AVAsset {
    /// The kinds of tags that the file has; none without tags.
    ///
    /// Reads the file's tags on the calling thread; prefer `load(.availableMetadataFormats)`.
    public var availableMetadataFormats: [AVMetadataFormat] { (try? readMetadataFormats()) ?? [] }

    /// The facts of one kind of tags.
    public func metadata(forFormat format: AVMetadataFormat) -> [AVMetadataItem] {
        (try? readMetadata(of: format)) ?? []
    }

    /// The facts of one kind of tags, read without blocking the caller.
    ///
    /// - Throws: `NSError` that describes the problem with the file.
    public func loadMetadata(for format: AVMetadataFormat) async throws -> [AVMetadataItem] {
        try await load(AVAsyncProperty<AVAsset, [AVMetadataItem]> { try $0.readMetadata(of: format) })
    }

    /// The language of the titles of the chapters: one that is not determined, whatever the file says; none without chapters.
    ///
    /// Reads the file's tags on the calling thread; prefer `load(.availableChapterLocales)`.
    public var availableChapterLocales: [Locale] { (try? readChapterLocales()) ?? [] }

    /// The chapters, in the order of their times, each until the next one begins; each has one item, its title.
    ///
    /// Of MPEG-4 (M4B), MP3, WAV, AIFF, Ogg and FLAC files. Reads the file's tags on the calling thread; prefer
    /// `loadChapterMetadataGroups(bestMatchingPreferredLanguages:)`.
    ///
    /// - Parameter preferredLanguages: without effect: all chapters have one language.
    public func chapterMetadataGroups(bestMatchingPreferredLanguages preferredLanguages: [String])
        -> [AVTimedMetadataGroup]
    { (try? readChapterGroups()) ?? [] }

    /// As `chapterMetadataGroups(bestMatchingPreferredLanguages:)`.
    ///
    /// - Parameters:
    ///   - locale: one of `availableChapterLocales`; for others there is none.
    ///   - commonKeys: without effect: chapters have titles only.
    public func chapterMetadataGroups(
        withTitleLocale locale: Locale, containingItemsWithCommonKeys commonKeys: [AVMetadataKey]?
    ) -> [AVTimedMetadataGroup] {
        availableChapterLocales.contains(locale) ? chapterMetadataGroups(bestMatchingPreferredLanguages: []) : []
    }

    /// The chapters, read without blocking the caller; see `chapterMetadataGroups(bestMatchingPreferredLanguages:)`.
    ///
    /// - Throws: `NSError` that describes the problem with the file.
    public func loadChapterMetadataGroups(bestMatchingPreferredLanguages preferredLanguages: [String]) async throws
        -> [AVTimedMetadataGroup]
    { try await load(AVAsyncProperty { try $0.readChapterGroups() }) }

    /// The chapters, read without blocking the caller; see `chapterMetadataGroups(withTitleLocale:containingItemsWithCommonKeys:)`.
    ///
    /// - Throws: `NSError` that describes the problem with the file.
    public func loadChapterMetadataGroups(
        withTitleLocale locale: Locale, containingItemsWithCommonKeys commonKeys: [AVMetadataKey] = []
    ) async throws -> [AVTimedMetadataGroup] {
        try await load(.availableChapterLocales).contains(locale)
            ? loadChapterMetadataGroups(bestMatchingPreferredLanguages: []) : []
    }

    fileprivate func readMetadataFormats() throws -> [AVMetadataFormat] {
        try [.iTunesMetadata, .id3Metadata, .quickTimeMetadata, .unknown].filter { try !readMetadata(of: $0).isEmpty }
    }

    fileprivate func readMetadata(of format: AVMetadataFormat) throws -> [AVMetadataItem] {
        // In other files, iTunes' keys stand for facts that have no common key.
        let hasiTunesTags = try readType()?.container == .mpeg4
        return try readMetadata().filter { item in
            switch item.keySpace {
            case .iTunes? where hasiTunesTags: format == .iTunesMetadata
            case .id3?: format == .id3Metadata
            case .quickTimeMetadata?: format == .quickTimeMetadata
            default: format == .unknown
            }
        }
    }

    fileprivate func readChapterLocales() throws -> [Locale] {
        try readChapters().isEmpty ? [] : [Locale(identifier: "und")]
    }

    func readChapterGroups() throws -> [AVTimedMetadataGroup] {
        let (chapters, info) = (try readChapters(), try info())
        let end = CMTime(durationOf: info)
        let starts = chapters.map {
            CMTime(seconds: $0.startSeconds, preferredTimescale: CMTimeScale(info.sampleRate.rounded()))
        }
        return zip(chapters, starts).enumerated().compactMap { index, chapter in
            let next = starts.indices.contains(index + 1) ? min(starts[index + 1], end) : end
            guard chapter.1 < end else { return nil }
            return AVTimedMetadataGroup(
                items: [.title(chapter.0.title)], timeRange: CMTimeRange(start: chapter.1, end: next))
        }
    }
}

extension AVPartialAsyncProperty where Root: AVAsset {
    /// The kind of tags that the file has; none without tags.
    public static var availableMetadataFormats: AVAsyncProperty<Root, [AVMetadataFormat]> {
        AVAsyncProperty { try $0.readMetadataFormats() }
    }

    /// The language of the titles of the chapters; none without chapters.
    public static var availableChapterLocales: AVAsyncProperty<Root, [Locale]> {
        AVAsyncProperty { try $0.readChapterLocales() }
    }
}
