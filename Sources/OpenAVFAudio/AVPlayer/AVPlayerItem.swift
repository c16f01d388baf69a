package import AudioFiles
import AudioRuntime
public import CoreMedia
public import Foundation
import Synchronization

/// One sound of an `AVPlayer`: an asset, and where its playback stands.
///
/// Any thread. The file is opened when the item becomes its player's current item; `status` says how that went.
///
/// Source: SDK header AVPlayerItem.h of AVFoundation.
open class AVPlayerItem: NSObject, _KeyValueObservable, @unchecked Sendable {
    // @unchecked: constants, and Mutexes; subclasses have to keep to that.
    private let state = Mutex(State())
    /// What it is made of.
    public let asset: AVAsset
    public let _observers = _KeyValueObservers()

    private struct State {
        var status = Status.unknown
        var error: NSError?
        var info: AudioFileInfo?
        weak var player: QueuePlayer?
        /// Sought before it was open.
        var start: (seconds: Double, completion: @Sendable (Bool) -> Void)?
        var bufferSeconds: TimeInterval = 0
        var pitch = AVAudioTimePitchAlgorithm.timeDomain
        var bitRate = 0.0
        var usesNetworkWhilePaused = false
    }

    /// Whether the item's file has been opened.
    public enum Status: Int, Sendable {
        /// Not opened yet.
        case unknown = 0
        /// The file is open: `duration` is known, and seeks are exact.
        case readyToPlay = 1
        /// `error` says why.
        case failed = 2
    }

    /// An item of the file at a URL; nothing is read until the item is a player's current item.
    public convenience init(url: URL) { self.init(asset: AVURLAsset(url: url), automaticallyLoadedAssetKeys: nil) }

    /// An item of an asset; an asset may have several items, each with its own position.
    public convenience init(asset: AVAsset) { self.init(asset: asset, automaticallyLoadedAssetKeys: nil) }

    /// An item of an asset, for code that names the properties it will read.
    ///
    /// - Parameters:
    ///   - asset: may have several items.
    ///   - keys: ignored: opening the file reads all of them.
    public init(asset: AVAsset, automaticallyLoadedAssetKeys keys: [String]?) {
        self.asset = asset
        super.init()
    }

    /// An item of an asset, for code that names the properties it will read.
    ///
    /// - Parameters:
    ///   - asset: may have several items.
    ///   - keys: ignored: opening the file reads all of them.
    public convenience init(asset: AVAsset, automaticallyLoadedAssetKeys keys: [AVPartialAsyncProperty<AVAsset>]) {
        self.init(asset: asset, automaticallyLoadedAssetKeys: nil)
    }

    // MARK: State

    /// Whether the file has been opened; observable with `observe(\.status)`.
    open var status: Status { state.withLock { $0.status } }
    /// Why the item failed.
    open var error: (any Error)? { state.withLock { $0.error } }

    /// `.indefinite` until the item is ready, and where the file does not say its length.
    open var duration: CMTime { state.withLock { $0.info }.map { CMTime(durationOf: $0) } ?? .indefinite }

    /// What is available now: the whole sound, once it is ready.
    open var loadedTimeRanges: [NSValue] { seekableTimeRanges }

    /// One range, the whole sound, in `NSValue.timeRangeValue`; empty while the length is not known.
    open var seekableTimeRanges: [NSValue] {
        let duration = duration
        return duration.isNumeric ? [NSValue(timeRange: CMTimeRange(start: .zero, duration: duration))] : []
    }

    /// True as soon as the item is ready: a file does not stall.
    open var isPlaybackLikelyToKeepUp: Bool { status == .readyToPlay }
    /// True until the item is ready.
    open var isPlaybackBufferEmpty: Bool { status != .readyToPlay }
    /// True as soon as the item is ready.
    open var isPlaybackBufferFull: Bool { status == .readyToPlay }

    /// Rates from 1/32 to 32 are possible; none below 0.
    open var canPlayFastForward: Bool { status == .readyToPlay }
    /// Whether rates below 1 are possible; true as soon as the item is ready.
    open var canPlaySlowForward: Bool { status == .readyToPlay }
    /// False: rates below 0 are not supported.
    open var canPlayReverse: Bool { false }
    /// False: rates below 0 are not supported.
    open var canPlayFastReverse: Bool { false }
    /// False: rates below 0 are not supported.
    open var canPlaySlowReverse: Bool { false }
    /// False: a sound has no single pictures to step through; use `seek(to:)`.
    open var canStepForward: Bool { false }
    /// False: a sound has no single pictures to step through; use `seek(to:)`.
    open var canStepBackward: Bool { false }

    // MARK: Time

    /// The position; 0 while it is not a player's current item.
    open func currentTime() -> CMTime {
        let (player, start) = state.withLock { ($0.player, $0.start?.seconds) }
        if let start { return CMTime(position: start) }
        guard let player, player.status.items.first === self else { return .zero }
        return CMTime(position: player.position)
    }

    /// Goes to a time exactly, whatever the tolerances; clamped to the length.
    ///
    /// - Parameters:
    ///   - time: from the start of the item; a time that is not a number ends the seek with false.
    ///   - toleranceBefore: ignored: every seek is exact.
    ///   - toleranceAfter: ignored: every seek is exact.
    ///   - completionHandler: called once, on the main thread; with false where another seek took its place.
    open func seek(
        to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime,
        completionHandler: (@Sendable (Bool) -> Void)?
    ) {
        let runtime = state.withLock { $0.player }?.runtime ?? AVAudioSession.sharedInstance().runtime
        let notices = runtime.notices
        let completion: @Sendable (Bool) -> Void = { isFinished in
            guard let completionHandler else { return }
            notices.enqueueOnMainThread { completionHandler(isFinished) }
        }
        guard time.isNumeric else { return completion(false) }
        seek(toSeconds: time.seconds, completion)
    }

    /// Goes to a time; see `seek(to:toleranceBefore:toleranceAfter:completionHandler:)`.
    open func seek(to time: CMTime, completionHandler: (@Sendable (Bool) -> Void)?) {
        seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero, completionHandler: completionHandler)
    }

    /// Goes to a time; false where another seek took its place.
    @discardableResult
    open func seek(to time: CMTime) async -> Bool {
        await seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
    }

    /// Goes to a time exactly, whatever the tolerances; false where another seek took its place.
    @discardableResult
    open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) async -> Bool {
        await withCheckedContinuation { continuation in
            seek(to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter) {
                continuation.resume(returning: $0)
            }
        }
    }

    /// Seeks that are not finished are not carried out; their handlers are called with false.
    open func cancelPendingSeeks() {
        let (player, start) = state.withLock { state in
            defer { state.start = nil }
            return (state.player, state.start)
        }
        start?.completion(false)
        player?.cancelSeeks(of: self)
    }

    private func seek(toSeconds seconds: Double, _ completion: @escaping @Sendable (Bool) -> Void) {
        let player = state.withLock { $0.player }
        if let player, player.status.items.first === self, status != .unknown {
            return player.seek(self, toSeconds: seconds, completion: completion)
        }
        let dropped = state.withLock { state in
            defer { state.start = (max(0, seconds), completion) }
            return state.start
        }
        dropped?.completion(false)
    }

    // MARK: Without effect

    /// Without effect: files need no buffer, and what is read ahead of the output is 0.65 s.
    open var preferredForwardBufferDuration: TimeInterval {
        get { state.withLock { $0.bufferSeconds } }
        set { state.withLock { $0.bufferSeconds = newValue } }
    }

    /// Without effect: every rate keeps the pitch.
    open var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm {
        get { state.withLock { $0.pitch } }
        set { state.withLock { $0.pitch = newValue } }
    }

    /// Without effect: there is one variant of a file.
    open var preferredPeakBitRate: Double {
        get { state.withLock { $0.bitRate } }
        set { state.withLock { $0.bitRate = newValue } }
    }

    /// Without effect: there are no live streams.
    open var canUseNetworkResourcesForLiveStreamingWhilePaused: Bool {
        get { state.withLock { $0.usesNetworkWhilePaused } }
        set { state.withLock { $0.usesNetworkWhilePaused = newValue } }
    }

    // MARK: The player

    /// - Parameter player: whose item it is now; nil for none.
    func attach(to player: QueuePlayer?) { state.withLock { $0.player = player } }

    func noteOpened() {
        let (player, start) = state.withLock { state in
            state.status = .readyToPlay
            defer { state.start = nil }
            return (state.player, state.start)
        }
        guard let start, let player else { return }
        player.seek(self, toSeconds: start.seconds, completion: start.completion)
    }

    func noteFailed(_ error: NSError) {
        state.withLock {
            $0.status = .failed
            $0.error = error
        }
    }
}

extension AVPlayerItem: QueueItem {
    package var startsAtBeginning: Bool { state.withLock { $0.start == nil } }

    package func open(outputSampleRate: Double) throws(AudioFileError) -> sending AudioFileReader {
        let reader = try asset.reader(outputSampleRate: outputSampleRate)
        let info = reader.info
        state.withLock { $0.info = info }
        return reader
    }
}

/// How the pitch behaves at other rates than 1.
///
/// Source: SDK header AVAudioProcessingSettings.h of AVFoundation.
public struct AVAudioTimePitchAlgorithm: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// For voices on iOS; without effect here, every rate keeps the pitch.
    public static let timeDomain = AVAudioTimePitchAlgorithm(rawValue: "TimeDomain")
    /// For music on iOS; without effect here, every rate keeps the pitch.
    public static let spectral = AVAudioTimePitchAlgorithm(rawValue: "Spectral")
    /// On iOS the pitch follows the rate; without effect here, every rate keeps the pitch.
    public static let varispeed = AVAudioTimePitchAlgorithm(rawValue: "Varispeed")
}

extension AVPlayerItem {
    /// The item has been played to its end; object: the item.
    public static let didPlayToEndTimeNotification = NSNotification.Name("AVPlayerItemDidPlayToEndTimeNotification")
    /// The item ended early; object: the item, ``AVPlayerItemFailedToPlayToEndTimeErrorKey`` says why.
    public static let failedToPlayToEndTimeNotification = NSNotification.Name(
        "AVPlayerItemFailedToPlayToEndTimeNotification")
    /// A seek has changed the position; object: the item.
    public static let timeJumpedNotification = NSNotification.Name("AVPlayerItemTimeJumpedNotification")
    /// The sound did not arrive in time; never posted for files.
    public static let playbackStalledNotification = NSNotification.Name("AVPlayerItemPlaybackStalledNotification")
}

extension NSNotification.Name {
    /// The same as `AVPlayerItem.didPlayToEndTimeNotification`.
    public static let AVPlayerItemDidPlayToEndTime = AVPlayerItem.didPlayToEndTimeNotification
    /// The same as `AVPlayerItem.failedToPlayToEndTimeNotification`.
    public static let AVPlayerItemFailedToPlayToEndTime = AVPlayerItem.failedToPlayToEndTimeNotification
    /// The same as `AVPlayerItem.timeJumpedNotification`.
    public static let AVPlayerItemTimeJumped = AVPlayerItem.timeJumpedNotification
    /// The same as `AVPlayerItem.playbackStalledNotification`.
    public static let AVPlayerItemPlaybackStalled = AVPlayerItem.playbackStalledNotification
}

/// In `userInfo` of `AVPlayerItem.failedToPlayToEndTimeNotification`: the `NSError`.
public let AVPlayerItemFailedToPlayToEndTimeErrorKey = "AVPlayerItemFailedToPlayToEndTimeErrorKey"
