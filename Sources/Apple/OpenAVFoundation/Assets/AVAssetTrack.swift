public import CoreMedia
internal import EngineCore
public import Foundation
internal import OpenAVFAudio

/// A kind of media.
///
/// Source: SDK header AVMediaFormat.h of AVFoundation.
public struct AVMediaType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Sound: the one kind that assets have here.
    public static let audio = AVMediaType(rawValue: "soun")
    /// Pictures; no asset has them here.
    public static let video = AVMediaType(rawValue: "vide")
    /// Text; no asset has it here.
    public static let text = AVMediaType(rawValue: "text")
    /// Subtitles; no asset has them here.
    public static let subtitle = AVMediaType(rawValue: "sbtl")
    /// Facts with times; no asset has them here.
    public static let metadata = AVMediaType(rawValue: "meta")
}

/// What a track is for.
///
/// Source: SDK header AVMediaFormat.h of AVFoundation.
public struct AVMediaCharacteristic: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It is heard: every track here.
    public static let audible = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicAudible")
    /// It is seen; no track here.
    public static let visual = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicVisual")
    /// It is read; no track here.
    public static let legible = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicLegible")
}

/// A type of file, by its uniform type identifier.
///
/// Source: SDK header AVMediaFormat.h of AVFoundation.
public struct AVFileType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// MPEG-4 with sound only.
    public static let m4a = AVFileType(rawValue: "com.apple.m4a-audio")
    /// MPEG-4.
    public static let mp4 = AVFileType(rawValue: "public.mpeg-4")
    /// QuickTime.
    public static let mov = AVFileType(rawValue: "com.apple.quicktime-movie")
    /// WAVE.
    public static let wav = AVFileType(rawValue: "com.microsoft.waveform-audio")
    /// AIFF.
    public static let aiff = AVFileType(rawValue: "public.aiff-audio")
    /// Core Audio.
    public static let caf = AVFileType(rawValue: "com.apple.coreaudio-format")
    /// MPEG layer 3.
    public static let mp3 = AVFileType(rawValue: "public.mp3")
}

/// The sound of an asset.
///
/// Any thread. Its properties read the file's header on the calling thread; prefer `load`.
///
/// Source: SDK header AVAssetTrack.h of AVFoundation.
open class AVAssetTrack: NSObject, NSCopying, AVAsynchronousKeyValueLoading, @unchecked Sendable {
    // @unchecked: a constant; subclasses have to keep to that.
    private let owner: AVAsset

    init(_ asset: AVAsset) {
        owner = asset
        super.init()
    }

    /// The same object: a track does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Two tracks of one asset are the same.
    open override func isEqual(_ object: Any?) -> Bool { (object as? AVAssetTrack)?.owner === owner }
    open override var hash: Int { ObjectIdentifier(owner).hashValue }

    /// The asset that it is of.
    open var asset: AVAsset? { owner }
    /// Within the asset; 1.
    open var trackID: CMPersistentTrackID { Self.number }
    static let number: CMPersistentTrackID = 1
    /// Always `.audio`.
    open var mediaType: AVMediaType { .audio }
    /// Whether it can be played.
    open var isPlayable: Bool { owner.isPlayable }
    /// Whether it can be decoded.
    open var isDecodable: Bool { owner.isPlayable }
    /// Whether it is played; always.
    open var isEnabled: Bool { true }

    /// What is decoded: one `CMAudioFormatDescription`, Float32 at the file's rate; none of a file that cannot be read.
    open var formatDescriptions: [Any] { (try? descriptions()) ?? [] }
    /// From 0 to the asset's end.
    open var timeRange: CMTimeRange { CMTimeRange(start: .zero, duration: owner.duration) }
    /// The file's sample rate; 0 of a file that cannot be read.
    open var naturalTimeScale: CMTimeScale { (try? timeScale()) ?? 0 }

    func descriptions() throws -> [CMFormatDescription] {
        let info = try owner.info()
        let format = AVAudioFormat(StreamFormat(sampleRate: info.sampleRate, channels: info.channels))
        return [CMFormatDescription(format)]
    }

    fileprivate func timeScale() throws -> CMTimeScale { CMTimeScale(try owner.info().sampleRate.rounded()) }
}

/// Names a track within its asset.
public typealias CMPersistentTrackID = Int32
/// Names no track.
public let kCMPersistentTrackID_Invalid: CMPersistentTrackID = 0

extension AVPartialAsyncProperty where Root: AVAssetTrack {
    /// What is decoded.
    public static var formatDescriptions: AVAsyncProperty<Root, [CMFormatDescription]> {
        AVAsyncProperty { try $0.descriptions() }
    }

    /// From 0 to the asset's end.
    public static var timeRange: AVAsyncProperty<Root, CMTimeRange> {
        AVAsyncProperty { track in
            _ = try track.descriptions()
            return track.timeRange
        }
    }

    /// The file's sample rate.
    public static var naturalTimeScale: AVAsyncProperty<Root, CMTimeScale> { AVAsyncProperty { try $0.timeScale() } }

    /// Whether it can be played.
    public static var isPlayable: AVAsyncProperty<Root, Bool> { AVAsyncProperty { $0.isPlayable } }
}

extension AVPartialAsyncProperty where Root: AVAsset {
    /// The sound, in one track.
    public static var tracks: AVAsyncProperty<Root, [AVAssetTrack]> { AVAsyncProperty { try $0.readTracks() } }
}

extension AVAsset {
    /// The sound, in one track; none of a file that cannot be read.
    ///
    /// Reads the file's header on the calling thread; prefer `load(.tracks)`.
    public var tracks: [AVAssetTrack] { (try? readTracks()) ?? [] }

    /// The tracks of a kind; see ``tracks``.
    public func tracks(withMediaType mediaType: AVMediaType) -> [AVAssetTrack] { mediaType == .audio ? tracks : [] }

    /// The tracks with a characteristic; see ``tracks``.
    public func tracks(withMediaCharacteristic characteristic: AVMediaCharacteristic) -> [AVAssetTrack] {
        characteristic == .audible ? tracks : []
    }

    /// The track of a number; nil where there is none.
    public func track(withTrackID trackID: CMPersistentTrackID) -> AVAssetTrack? {
        tracks.first { $0.trackID == trackID }
    }

    /// The tracks of a kind.
    ///
    /// - Throws: `NSError` that describes the problem with the file.
    public func loadTracks(withMediaType mediaType: AVMediaType) async throws -> [AVAssetTrack] {
        let tracks = try await load(.tracks)
        return mediaType == .audio ? tracks : []
    }

    /// The tracks with a characteristic.
    ///
    /// - Throws: `NSError` that describes the problem with the file.
    public func loadTracks(withMediaCharacteristic characteristic: AVMediaCharacteristic) async throws -> [AVAssetTrack]
    {
        let tracks = try await load(.tracks)
        return characteristic == .audible ? tracks : []
    }

    /// The tracks of a kind, or the problem with the file.
    ///
    /// - Parameters:
    ///   - mediaType: `.audio`; of every other kind there are none.
    ///   - completionHandler: called once, on a thread of its own.
    @preconcurrency
    public func loadTracks(
        withMediaType mediaType: AVMediaType,
        completionHandler: @escaping @Sendable ([AVAssetTrack]?, (any Error)?) -> Void
    ) {
        DispatchQueue.global().async {
            do {
                let tracks = try self.readTracks()
                completionHandler(mediaType == .audio ? tracks : [], nil)
            } catch {
                completionHandler(nil, error)
            }
        }
    }

    fileprivate func readTracks() throws -> [AVAssetTrack] {
        _ = try info()
        return [AVAssetTrack(self)]
    }
}
