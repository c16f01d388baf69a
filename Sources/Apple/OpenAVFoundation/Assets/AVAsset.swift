import AudioFiles
public import CoreMedia
public import Foundation
import MediaStreams
import MediaTags
internal import OpenAVFAudio
import Synchronization

/// A sound at a URL of a file, or of http or https; read when one of its properties is first needed, or when played.
///
/// Any thread. What comes from a server waits for it, 60 s at most.
///
/// Source: SDK header AVAsset.h of AVFoundation.
open class AVAsset: NSObject, NSCopying, AVAsynchronousKeyValueLoading, @unchecked Sendable {
    // @unchecked: constants, and one Mutex; subclasses have to keep to that.
    let location: URL
    /// Of a URL asset.
    var loader: AVAssetResourceLoader? { nil }
    private let known = Mutex(Known())

    private struct Known {
        var info: AudioFileInfo?
        var type: AudioFileType?
        var metadata: [AVMetadataItem]?
        var chapters: [Chapter]?
        var loading = AVKeyValueStatus.unknown
        var loadingError: NSError?
    }

    /// An asset of a file; unlike Apple's it is no `AVURLAsset`.
    public init(url: URL) {
        location = url
        super.init()
    }

    /// The same object: a sound does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Reads the file's header, which all properties come from, without blocking the caller.
    ///
    /// - Parameters:
    ///   - keys: names of properties.
    ///   - handler: called once, on a thread of its own; `statusOfValue(forKey:error:)` says what has come of it.
    @preconcurrency
    open func loadValuesAsynchronously(
        forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)? = nil
    ) {
        beginLoading()
        DispatchQueue.global().async {
            self.finishLoading(Result { _ = try self.readMetadata() })
            handler?()
        }
    }

    /// How far the loading is; of one that failed, the error says why.
    ///
    /// - Parameters:
    ///   - key: all properties come from the file's header, and have one status.
    ///   - outError: set where the answer is `.failed`.
    open func statusOfValue(forKey key: String, error outError: NSErrorPointer) -> AVKeyValueStatus {
        let (status, error) = loading
        if status == .failed { outError?.pointee = error }
        return status
    }

    /// What is being loaded is not told of any more.
    open func cancelLoading() { cancelLoadingOfValues() }

    /// The length; `.indefinite` where the file does not say, `.invalid` for a file that cannot be read.
    ///
    /// Reads the file's header on the calling thread; prefer `load(.duration)`.
    open var duration: CMTime { (try? CMTime(durationOf: info())) ?? .invalid }

    /// Whether the file can be played.
    ///
    /// Reads the file's header on the calling thread; prefer `load(.isPlayable)`.
    open var isPlayable: Bool { (try? info()) != nil }

    /// The facts of the tags that every kind of file may have; the picture of an Ogg file only with FFmpeg.
    ///
    /// Reads the file's tags on the calling thread; prefer `load(.commonMetadata)`.
    open var commonMetadata: [AVMetadataItem] { metadata.filter { $0.commonKey != nil } }

    /// The facts of the tags; the picture of an Ogg file only with FFmpeg.
    ///
    /// Reads the file's tags on the calling thread; prefer `load(.metadata)`.
    open var metadata: [AVMetadataItem] { (try? readMetadata()) ?? [] }

    /// - Throws: as `info`.
    func readMetadata() throws -> [AVMetadataItem] {
        if let metadata = known.withLock({ $0.metadata }) { return metadata }
        let (tags, type) = (try info().tags, try readType())
        let facts = location.isFileURL ? TagFact.list(path: location.path) : []
        let space: AVMetadataKeySpace =
            switch type?.container {
            case .mpeg: .id3
            case .mpeg4: facts.contains { $0.space == .quickTime } ? .quickTimeMetadata : .iTunes
            default: .common
            }
        let metadata = AVMetadataItem.items(tags, facts, in: space) { artwork }
        known.withLock { $0.metadata = metadata }
        return metadata
    }

    /// None of a sound from a server.
    ///
    /// - Throws: as `info`.
    func readChapters() throws -> [Chapter] {
        if let chapters = known.withLock({ $0.chapters }) { return chapters }
        _ = try info()
        let chapters = location.isFileURL ? Chapter.list(path: location.path) : []
        known.withLock { $0.chapters = chapters }
        return chapters
    }

    /// - Throws: as `info`.
    func readType() throws -> AudioFileType? {
        _ = try info()
        return known.withLock { $0.type }
    }

    /// By the names of properties; a property that was read meanwhile is loaded.
    var loading: (AVKeyValueStatus, NSError?) {
        known.withLock { $0.loading == .unknown && $0.info != nil ? (.loaded, nil) : ($0.loading, $0.loadingError) }
    }

    func beginLoading() { known.withLock { if $0.loading != .loaded { $0.loading = .loading } } }

    func finishLoading(_ result: Result<Void, any Error>) {
        known.withLock { known in
            guard known.loading == .loading else { return }
            switch result {
            case .success: known.loading = .loaded
            case .failure(let error): (known.loading, known.loadingError) = (.failed, error as NSError)
            }
        }
    }

    func cancelLoadingOfValues() { known.withLock { if $0.loading == .loading { $0.loading = .cancelled } } }

    private var artwork: TrackArtwork? { location.isFileURL ? TrackArtwork(path: location.path) : nil }

    /// The picture of the tags, without opening the sound; waits for the disk.
    package var artworkData: Data? { artwork.map { Data($0.bytes) } }

    /// Without a name and a password.
    var printableAddress: String {
        var parts = URLComponents(url: location, resolvingAgainstBaseURL: true)
        parts?.user = nil
        parts?.password = nil
        return parts?.string ?? ""
    }

    /// Where the file's properties come from.
    ///
    /// - Throws: `NSError` of `AVFoundationErrorDomain` or `NSURLErrorDomain`.
    func info() throws -> AudioFileInfo {
        if let info = known.withLock({ $0.info }) { return info }
        do throws(AudioFileError) {
            return try reader(outputSampleRate: nil).info
        } catch {
            throw NSError.media(error)
        }
    }

    /// - Parameter outputSampleRate: nil for the file's own.
    func reader(
        outputSampleRate: Double?, aheadSeconds: Double = StreamBuffer.usualAheadSeconds,
        cancellation: Cancellation = Cancellation()
    ) throws(AudioFileError) -> sending AudioFileReader {
        let text = location.isFileURL ? location.path : location.absoluteString
        let reader: AudioFileReader
        if location.isFileURL || AudioFileReader.isAddress(text) {
            reader = try AudioFileReader(
                location: text, outputSampleRate: outputSampleRate, aheadSeconds: aheadSeconds,
                cancellation: cancellation)
        } else if let loader, loader.delegate != nil {
            reader = try AudioFileReader(
                named: text, outputSampleRate: outputSampleRate, aheadSeconds: aheadSeconds, cancellation: cancellation
            ) { () throws(AudioFileError) in try loader.source(cancellation) }
        } else {
            throw AudioFileError(
                .notReadable,
                "\"\(text.printable)\" cannot be played; use the URL of a file, one that begins with http or https, or set a "
                    + "delegate of the asset's resourceLoader.")
        }
        let (info, type) = (reader.info, reader.type)
        known.withLock { ($0.info, $0.type) = (info, type) }
        return reader
    }
}

/// An asset that tells its URL.
///
/// Source: SDK header AVAsset.h of AVFoundation.
open class AVURLAsset: AVAsset, @unchecked Sendable {
    /// An asset of the file at a URL; nothing is read yet.
    ///
    /// - Parameters:
    ///   - url: of a file, of http or https, or of what the delegate of `resourceLoader` gives.
    ///   - options: ignored: every length is exact, and no other option concerns files.
    public init(url: URL, options: [String: Any]? = nil) {
        resourceLoader = AVAssetResourceLoader(url: url)
        super.init(url: url)
    }

    /// Asks the app for the bytes where the URL has a scheme of the app's own.
    public let resourceLoader: AVAssetResourceLoader
    override var loader: AVAssetResourceLoader? { resourceLoader }

    /// The address that the asset was created with.
    open var url: URL { location }
}

/// Whether the duration has to be exact; without effect, because it always is.
public let AVURLAssetPreferPreciseDurationAndTimingKey = "AVURLAssetPreferPreciseDurationAndTimingKey"
/// The type that the bytes have; without effect, because the bytes themselves are examined.
public let AVURLAssetOverrideMIMETypeKey = "AVURLAssetOverrideMIMETypeKey"

extension CMTime {
    /// `.indefinite` where the file does not say its length.
    init(durationOf info: AudioFileInfo) {
        guard info.frameCount > 0 else {
            self = .indefinite
            return
        }
        // Rates that are no whole number do not occur in files that say their length.
        self.init(value: info.frameCount, timescale: CMTimeScale(info.sampleRate.rounded()))
    }

    /// A position within a sound, to the nanosecond.
    init(position seconds: Double) { self.init(seconds: seconds, preferredTimescale: 1_000_000_000) }
}

extension NSError {
    /// An error as AVFoundation's players have it.
    static func media(_ error: AudioFileError) -> NSError {
        switch error.kind {
        case .notFound: media(NSURLErrorDomain, NSURLErrorFileDoesNotExist, error.message)
        case .notReadable, .isDirectory: media(NSURLErrorDomain, NSURLErrorNoPermissionsToReadFile, error.message)
        case .notAudio: media(.fileFormatNotRecognized, error.message)
        case .truncated: media(.fileFailedToParse, error.message)
        case .readFailed: media(error.message)
        case .unreachable: media(NSURLErrorDomain, NSURLErrorCannotConnectToHost, error.message)
        case .cancelled: media(NSURLErrorDomain, NSURLErrorCancelled, error.message)
        }
    }

    static func media(_ code: AVError.Code, _ message: String) -> NSError {
        media(AVFoundationErrorDomain, code.rawValue, message)
    }

    static func media(_ message: String) -> NSError { media(.unknown, message) }

    private static func media(_ domain: String, _ code: Int, _ message: String) -> NSError {
        NSError(domain: domain, code: code, userInfo: [NSLocalizedDescriptionKey: message])
    }
}
