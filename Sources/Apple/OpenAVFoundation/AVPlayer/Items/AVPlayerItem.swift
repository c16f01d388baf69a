package import AudioFiles
import AudioModel
import AudioRuntime
public import CoreMedia
public import Foundation
internal import OpenAudioSession
import QueueRuntime
import SessionRuntime
import Synchronization

/// One sound of an `AVPlayer`: an asset, and where its playback stands.
///
/// Any thread. The file is opened when the item becomes its player's current item; `status` says how that went.
///
/// Source: SDK header AVPlayerItem.h of AVFoundation.
open class AVPlayerItem: _ObservedByName, _KeyValueObservable, NSCopying, @unchecked Sendable {
    // @unchecked: constants, and Mutexes; subclasses have to keep to that.
    private let state = Mutex(State())
    private let filter = MixFilter()
    let metadata = TimedMetadata()
    private let source: AVAsset
    public let _observers = _KeyValueObservers()

    private struct State {
        var status = Status.unknown
        /// Where it begins without a seek.
        var startSeconds = 0.0
        var error: NSError?
        var info: AudioFileInfo?
        /// Of a sound from a network, while it is open.
        weak var buffer: StreamBuffer?
        /// Of a sound from a network.
        var traffic: StreamTraffic?
        var stallCount = 0
        var failureDate: Date?
        var isSeekable = true
        var opening: Cancellation?
        weak var player: QueuePlayer?
        /// Sought before it was open, or where it was when it left its player.
        var start: (seconds: Double, completion: @Sendable (Bool) -> Void)?
        /// Seeks and cancellations; a handler that is called after another one says false.
        var seekCount: UInt64 = 0
        var forwardEnd = CMTime.invalid
        var reverseEnd = CMTime.invalid
        var bufferSeconds: TimeInterval = 0
        var pitch = AVAudioTimePitchAlgorithm.timeDomain
        var bitRate = 0.0
        var usesNetworkWhilePaused = false
        var mix: AVAudioMix?
        var track: AVPlayerItemTrack?
        var timebase: CMTimebase?
        var nowPlaying = AppValues()
    }

    /// Rule: the values are the app's; they are only handed back to it.
    private struct AppValues: @unchecked Sendable {
        var values: [String: Any]?
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
        source = asset
        super.init()
    }

    /// An item that plays a range of an asset; `.invalid` is all of it.
    ///
    /// Convenience: a subclass of an app's inherits the initialisers only if it may see all designated ones.
    convenience init(asset: AVAsset, range: CMTimeRange) {
        self.init(asset: asset, automaticallyLoadedAssetKeys: nil)
        state.withLock {
            $0.startSeconds = range.start.isNumeric ? max(0, range.start.seconds) : 0
            $0.forwardEnd = range.end
        }
    }

    /// An item of an asset, for code that names the properties it will read.
    ///
    /// - Parameters:
    ///   - asset: may have several items.
    ///   - keys: ignored: opening the file reads all of them.
    public convenience init(asset: AVAsset, automaticallyLoadedAssetKeys keys: [AVPartialAsyncProperty<AVAsset>]) {
        self.init(asset: asset, automaticallyLoadedAssetKeys: nil)
    }

    /// Another item of the same asset, with the values that an app has set: ends, mix, rates and what is fetched ahead.
    ///
    /// It is an `AVPlayerItem`, begins at the start, and has no player, outputs and observers.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = AVPlayerItem(asset: asset, automaticallyLoadedAssetKeys: nil)
        state.withLock { state in
            copy.state.withLock {
                $0.startSeconds = state.startSeconds
                $0.forwardEnd = state.forwardEnd
                $0.reverseEnd = state.reverseEnd
                $0.bufferSeconds = state.bufferSeconds
                $0.pitch = state.pitch
                $0.bitRate = state.bitRate
                $0.usesNetworkWhilePaused = state.usesNetworkWhilePaused
                $0.nowPlaying = state.nowPlaying
            }
        }
        copy.audioMix = audioMix
        return copy
    }

    /// What it is made of.
    open var asset: AVAsset { source }
    /// Where it begins without a seek.
    package var startSeconds: Double { state.withLock { $0.startSeconds } }

    // MARK: State

    /// Whether the file has been opened; observable with `observe(\.status)`.
    open var status: Status { state.withLock { $0.status } }
    /// Why the item failed.
    open var error: (any Error)? { state.withLock { $0.error } }

    /// `.indefinite` until the item is ready, and where the file does not say its length.
    open var duration: CMTime { state.withLock { $0.info }.map { CMTime(durationOf: $0) } ?? .indefinite }

    /// What is available now: of a file the whole sound, once it is ready; of a sound from a network what has been decoded
    /// ahead, and some seconds before that.
    open var loadedTimeRanges: [NSValue] {
        guard let buffer = readyBuffer else { return wholeTimeRange }
        let range = buffer.status.range
        guard !range.isEmpty else { return [] }
        func time(_ frame: Int64) -> CMTime { CMTime(position: Double(frame) / buffer.sampleRate) }
        return [NSValue(timeRange: CMTimeRange(start: time(range.lowerBound), end: time(range.upperBound)))]
    }

    /// One range, the whole sound, in `NSValue.timeRangeValue`; empty while the length is not known, where the sound comes
    /// from a server that sends no parts of it, and of a radio station.
    open var seekableTimeRanges: [NSValue] { state.withLock { $0.isSeekable } ? wholeTimeRange : [] }

    private var wholeTimeRange: [NSValue] {
        let duration = duration
        return duration.isNumeric ? [NSValue(timeRange: CMTimeRange(start: .zero, duration: duration))] : []
    }

    /// Whether enough has come to go on.
    open var isPlaybackLikelyToKeepUp: Bool {
        status == .readyToPlay && readyBuffer.map { !$0.status.isWaiting } ?? true
    }

    /// True until the item is ready, and where all has been played that has come from its server.
    open var isPlaybackBufferEmpty: Bool {
        status != .readyToPlay
            || readyBuffer.map { $0.status.position >= $0.status.range.upperBound && !$0.status.isFull } ?? false
    }

    /// Whether as much has come as is fetched ahead.
    open var isPlaybackBufferFull: Bool { status == .readyToPlay && readyBuffer?.status.isFull ?? true }

    private var readyBuffer: StreamBuffer? { state.withLock { $0.status == .readyToPlay ? $0.buffer : nil } }

    func endWait() { readyBuffer?.endWait() }

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

    // MARK: Log

    /// What has come from the server; nil before the item is open, and of files.
    open func accessLog() -> AVPlayerItemAccessLog? {
        let (traffic, stalls) = state.withLock { ($0.traffic, $0.stallCount) }
        return traffic.map {
            AVPlayerItemAccessLog(AVPlayerItemAccessLogEvent($0, asset.printableAddress, stalls: stalls))
        }
    }

    /// Why an item from a server failed; nil while it has not, and of files.
    open func errorLog() -> AVPlayerItemErrorLog? {
        let (error, date) = state.withLock { ($0.error, $0.failureDate) }
        guard !asset.location.isFileURL, let error, let date else { return nil }
        return AVPlayerItemErrorLog(AVPlayerItemErrorLogEvent(error, date, asset.printableAddress))
    }

    func noteStall() { state.withLock { $0.stallCount += 1 } }

    // MARK: Sound

    /// The sound, as one track; none until the item is ready.
    open var tracks: [AVPlayerItemTrack] {
        state.withLock { state in
            guard state.status == .readyToPlay else { return [] }
            let track = state.track ?? AVPlayerItemTrack(AVAssetTrack(asset), filter)
            state.track = track
            return [track]
        }
    }

    /// What is done to the sound before it is heard, as a copy; nil: nothing.
    ///
    /// Exact to the frame where it is set before the item plays. While it plays, a mix is heard within 0.3 s, the first one with a
    /// short join and later ones with a change of volume over 5 ms.
    open var audioMix: AVAudioMix? {
        get { state.withLock { $0.mix } }
        set {
            let mix = newValue?.copied(as: AVAudioMix.self)
            filter.setMix(mix)
            let player = state.withLock { state in
                state.mix = mix
                return state.player
            }
            player?.wakeClock()
        }
    }

    // MARK: Facts with times

    /// What a radio station says that it plays at the player's time; nil of files and before the first title.
    ///
    /// Observable with `observe(\.timedMetadata)`. Chapters come with an ``AVPlayerItemMetadataOutput``.
    open var timedMetadata: [AVMetadataItem]? { metadata.currentItems }

    /// Those that were added.
    open var outputs: [AVPlayerItemOutput] { metadata.outputs }

    /// Adds an output; without effect for one that is no ``AVPlayerItemMetadataOutput``, as there are no pictures.
    open func add(_ output: AVPlayerItemOutput) {
        if let output = output as? AVPlayerItemMetadataOutput { metadata.add(output) }
        state.withLock { $0.player }?.wakeClock()
    }

    /// Takes an output away; its delegate is not told any more.
    open func remove(_ output: AVPlayerItemOutput) { metadata.remove(output) }

    // MARK: Time

    /// Where playback ends, as at the item's own end; `.invalid`, as at first, is the item's own end.
    ///
    /// Exact to the frame, and the next item of a queue follows without a gap. A time that has passed ends the item at once.
    /// Seeks may go beyond it; then the item ends there. It may be changed while the item plays.
    open var forwardPlaybackEndTime: CMTime {
        get { state.withLock { $0.forwardEnd } }
        set {
            let player = state.withLock { state in
                state.forwardEnd = newValue
                return state.player
            }
            player?.endChanged(of: self)
        }
    }

    /// Without effect: rates below 0 are not supported.
    open var reversePlaybackEndTime: CMTime {
        get { state.withLock { $0.reverseEnd } }
        set { state.withLock { $0.reverseEnd = newValue } }
    }

    /// The position; where it begins while it is not a player's current item.
    open func currentTime() -> CMTime {
        let (player, start) = state.withLock { ($0.player, $0.start?.seconds) }
        if let start { return CMTime(position: start) }
        guard let player, player.firstItem === self else { return CMTime(position: startSeconds) }
        return CMTime(position: player.position)
    }

    /// The clock of the position, for `CMTimebaseGetTime` and `CMTimebaseGetRate`; it cannot be set.
    open var timebase: CMTimebase? {
        state.withLock { state in
            let timebase = state.timebase ?? CMTimebase(of: self)
            state.timebase = timebase
            return timebase
        }
    }

    /// 0 while it does not play.
    var playingRate: Double {
        guard let player = state.withLock({ $0.player }), player.firstItem === self else { return 0 }
        let status = player.status
        return status.phase == .playing ? Double(status.requestedRate) : 0
    }

    /// What the app says of it for the media controls; `nowPlayingInfo` of MediaPlayer.
    package var nowPlayingValues: [String: Any]? {
        get { state.withLock { $0.nowPlaying }.values }
        set {
            let given = AppValues(values: newValue)
            // What was there is released without the lock: it is the app's.
            let before = state.withLock { state in
                defer { state.nowPlaying = given }
                return state.nowPlaying
            }
            withExtendedLifetime(before) {}
        }
    }

    /// Goes to a time exactly, whatever the tolerances; clamped to the length.
    ///
    /// - Parameters:
    ///   - time: from the start of the item; a time that is not a number ends the seek with false.
    ///   - toleranceBefore: ignored: every seek is exact.
    ///   - toleranceAfter: ignored: every seek is exact.
    ///   - completionHandler: called once, on the main thread; with false where another seek took its place, and for a sound
    ///     that cannot be sought (`seekableTimeRanges`).
    @preconcurrency
    open func seek(
        to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime,
        completionHandler: (@Sendable (Bool) -> Void)?
    ) {
        let runtime = state.withLock { $0.player }?.runtime ?? AVAudioSession.sharedInstance().runtime
        let notices = runtime.notices
        guard time.isNumeric else {
            if let completionHandler { notices.enqueueOnMainThread { completionHandler(false) } }
            return
        }
        let number = countSeek()
        seek(toSeconds: time.seconds) { [weak self] isFinished in
            guard let completionHandler else { return }
            // However fast the sound was there: of two seeks in a row, the first one is always the one that was replaced.
            notices.enqueueOnMainThread {
                completionHandler(isFinished && self?.state.withLock(\.seekCount) ?? number == number)
            }
        }
    }

    @discardableResult
    private func countSeek() -> UInt64 {
        state.withLock { state in
            state.seekCount += 1
            return state.seekCount
        }
    }

    /// Goes to a time; see `seek(to:toleranceBefore:toleranceAfter:completionHandler:)`.
    @preconcurrency
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
        countSeek()
        let (player, start) = state.withLock { state in
            defer { state.start = nil }
            return (state.player, state.start)
        }
        start?.completion(false)
        player?.cancelSeeks(of: self)
    }

    private func seek(toSeconds seconds: Double, _ completion: @escaping @Sendable (Bool) -> Void) {
        let (player, isSeekable) = state.withLock { ($0.player, $0.isSeekable) }
        guard isSeekable else { return completion(false) }
        let isOpen = player?.firstItem === self && status != .unknown
        let dropped = state.withLock { state in
            defer { state.start = isOpen ? nil : (max(0, seconds), completion) }
            return state.start
        }
        dropped?.completion(false)
        if isOpen { player?.seek(self, toSeconds: seconds, completion: completion) }
    }

    /// Seconds of a sound from a network that are fetched ahead, before it is opened; 0 is 10 s.
    ///
    /// At least 2, and at most what 16 MB hold: 40 s of stereo at 48 kHz. Without effect for files.
    open var preferredForwardBufferDuration: TimeInterval {
        get { state.withLock { $0.bufferSeconds } }
        set { state.withLock { $0.bufferSeconds = newValue } }
    }

    // MARK: Without effect

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

    /// Without effect: what a station sends is fetched until as much has come as is fetched ahead.
    open var canUseNetworkResourcesForLiveStreamingWhilePaused: Bool {
        get { state.withLock { $0.usesNetworkWhilePaused } }
        set { state.withLock { $0.usesNetworkWhilePaused = newValue } }
    }

    // MARK: The player

    /// Ends the program where another player has the item.
    func checkIsFree(for player: QueuePlayer) {
        let owner = state.withLock { $0.player }
        programmerError(
            unless: owner == nil || owner === player || owner?.items.contains { $0 === self } == false,
            "an AVPlayerItem belongs to one AVPlayer: take it out of the other player first, or make a second item of its asset"
        )
    }

    func attach(to player: QueuePlayer) { state.withLock { $0.player = player } }

    /// - Parameter position: in seconds; it goes on there in the next player. Nil for the beginning.
    func leavePlayer(at position: Double?) {
        state.withLock { state in
            state.player = nil
            if state.start == nil, state.status == .readyToPlay, let position { state.start = (position, { _ in }) }
        }
        endTap()
    }

    /// It is not read soon.
    func endTap() { filter.endTap() }

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
            $0.failureDate = Date()
        }
    }
}

extension AVPlayerItem: QueueItem {
    /// It was sought before it is open.
    package var isSeparate: Bool { state.withLock { $0.start != nil } }

    package var endSeconds: Double? {
        let end = state.withLock { $0.forwardEnd }
        return end.isNumeric ? max(0, end.seconds) : nil
    }

    package func open(outputSampleRate: Double) throws(AudioFileError) -> sending AudioFileReader {
        let opening = Cancellation()
        let seconds = state.withLock { state in
            state.opening = opening
            return state.bufferSeconds
        }
        let reader = try asset.reader(
            outputSampleRate: outputSampleRate,
            aheadSeconds: seconds > 0 ? seconds : StreamBuffer.usualAheadSeconds, cancellation: opening)
        reader.filter = filter
        let (info, buffer) = (reader.info, reader.streamBuffer)
        metadata.open(asset, buffer)
        state.withLock {
            $0.info = info
            $0.buffer = buffer
            if let traffic = buffer?.traffic { $0.traffic = traffic }
            $0.isSeekable = buffer.map { $0.reach == .anywhere } ?? true
            $0.opening = nil
        }
        return reader
    }

    package func cancelOpening() { state.withLock { $0.opening }?.cancel() }
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
    /// The sound did not arrive in time from its server; object: the item; never posted for files.
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
