package import AudioFiles
import AudioModel
public import CoreMedia
public import Foundation
import MediaStreams
internal import OpenAudioSession
package import QueueRuntime
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
    private let mixFilter = MixFilter()
    let metadata = TimedMetadata()
    private let source: AVAsset
    public let _observers = _KeyValueObservers()

    private struct State {
        var status = Status.unknown
        /// Nil before it is open.
        var sound: ItemSound?
        var log = ItemLog()
        var opening: Cancellation?
        weak var player: QueuePlayer?
        var seeks = ItemSeeks()
        var settings = Settings()
        var track: AVPlayerItemTrack?
        var timebase: CMTimebase?
    }

    /// What a copy has too.
    private struct Settings {
        /// Where it begins without a seek.
        var startSeconds = 0.0
        var forwardEnd = CMTime.invalid
        var reverseEnd = CMTime.invalid
        var bufferSeconds: TimeInterval = 0
        var pitch = AVAudioTimePitchAlgorithm.timeDomain
        var bitRate = 0.0
        var usesNetworkWhilePaused = false
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
            $0.settings.startSeconds = range.start.isNumeric ? max(0, range.start.seconds) : 0
            $0.settings.forwardEnd = range.end
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
        let settings = state.withLock { $0.settings }
        copy.state.withLock { $0.settings = settings }
        copy.audioMix = audioMix
        return copy
    }

    /// What it is made of.
    open var asset: AVAsset { source }
    /// Where it begins without a seek.
    package var startSeconds: Double { state.withLock { $0.settings.startSeconds } }

    // MARK: State

    /// Whether the file has been opened; observable with `observe(\.status)`.
    open var status: Status { state.withLock { $0.status } }
    /// Why the item failed.
    open var error: (any Error)? { state.withLock { $0.log.error } }

    /// `.indefinite` until the item is ready, and where the file does not say its length.
    open var duration: CMTime { sound?.duration ?? .indefinite }

    /// What is available now: of a file the whole sound, once it is ready; of a sound from a network what has been decoded
    /// ahead, and some seconds before that.
    open var loadedTimeRanges: [NSValue] { sound?.loadedRange.map { [NSValue(timeRange: $0)] } ?? [] }

    /// One range, the whole sound, in `NSValue.timeRangeValue`; empty while the length is not known, where the sound comes
    /// from a server that sends no parts of it, and of a radio station.
    open var seekableTimeRanges: [NSValue] {
        sound.flatMap { $0.isSeekable ? $0.wholeRange : nil }.map { [NSValue(timeRange: $0)] } ?? []
    }

    /// Whether enough has come to go on.
    open var isPlaybackLikelyToKeepUp: Bool { readySound?.isFlowing ?? false }

    /// True until the item is ready, and where all has been played that has come from its server.
    open var isPlaybackBufferEmpty: Bool { readySound?.isEmpty ?? true }

    /// Whether as much has come as is fetched ahead.
    open var isPlaybackBufferFull: Bool { readySound?.isFull ?? false }

    private var sound: ItemSound? { state.withLock { $0.sound } }

    private var readySound: ItemSound? { state.withLock { $0.status == .readyToPlay ? $0.sound : nil } }

    func endWait() { readySound?.endWait() }

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
        let (traffic, log) = state.withLock { ($0.sound?.traffic, $0.log) }
        return log.accesses(traffic, at: asset.printableAddress)
    }

    /// Why an item from a server failed; nil while it has not, and of files.
    open func errorLog() -> AVPlayerItemErrorLog? {
        asset.location.isFileURL ? nil : state.withLock { $0.log }.errors(at: asset.printableAddress)
    }

    func noteStall() { state.withLock { $0.log.stallCount += 1 } }

    // MARK: Sound

    /// The sound, as one track; none until the item is ready.
    open var tracks: [AVPlayerItemTrack] {
        state.withLock { state in
            guard state.status == .readyToPlay else { return [] }
            let track = state.track ?? AVPlayerItemTrack(AVAssetTrack(asset), mixFilter)
            state.track = track
            return [track]
        }
    }

    /// What is done to the sound before it is heard, as a copy; nil: nothing.
    ///
    /// Exact to the frame where it is set before the item plays. While it plays, a mix is heard within 0.3 s, the first one with a
    /// short join and later ones with a change of volume over 5 ms.
    open var audioMix: AVAudioMix? {
        get { mixFilter.mix }
        set {
            mixFilter.setMix(newValue?.copied(as: AVAudioMix.self))
            state.withLock { $0.player }?.wakeClock()
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
        get { state.withLock { $0.settings.forwardEnd } }
        set {
            let player = state.withLock { state in
                state.settings.forwardEnd = newValue
                return state.player
            }
            player?.endChanged(of: self)
        }
    }

    /// Without effect: rates below 0 are not supported.
    open var reversePlaybackEndTime: CMTime {
        get { state.withLock { $0.settings.reverseEnd } }
        set { state.withLock { $0.settings.reverseEnd = newValue } }
    }

    /// The position; where it begins while it is not a player's current item.
    open func currentTime() -> CMTime {
        let (player, waiting) = state.withLock { ($0.player, $0.seeks.waiting?.seconds) }
        if let waiting { return CMTime(position: waiting) }
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
        get { state.withLock { $0.settings.nowPlaying }.values }
        set {
            let given = AppValues(values: newValue)
            state.change { $0.settings.nowPlaying = given }
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
        let number = state.withLock { $0.seeks.begin() }
        seek(toSeconds: time.seconds) { [weak self] isFinished in
            guard let completionHandler else { return }
            // However fast the sound was there: of two seeks in a row, the first one is always the one that was replaced.
            notices.enqueueOnMainThread {
                completionHandler(isFinished && self?.state.withLock(\.seeks.count) ?? number == number)
            }
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
        let (player, dropped) = state.withLock { state in
            state.seeks.begin()
            return (state.player, state.seeks.replaceWaiting(with: nil))
        }
        dropped?.completion(false)
        player?.cancelSeeks(of: self)
    }

    private func seek(toSeconds seconds: Double, _ completion: @escaping @Sendable (Bool) -> Void) {
        let (player, isSeekable) = state.withLock { ($0.player, $0.sound?.isSeekable ?? true) }
        guard isSeekable else { return completion(false) }
        let isOpen = player?.firstItem === self && status != .unknown
        let waiting: ItemSeeks.Waiting? = isOpen ? nil : (max(0, seconds), completion)
        let dropped = state.withLock { $0.seeks.replaceWaiting(with: waiting) }
        dropped?.completion(false)
        if isOpen { player?.seek(self, toSeconds: seconds, completion: completion) }
    }

    /// Seconds of a sound from a network that are fetched ahead, before it is opened; 0 is 10 s.
    ///
    /// At least 2, and at most what 16 MB hold: 40 s of stereo at 48 kHz. Without effect for files.
    open var preferredForwardBufferDuration: TimeInterval {
        get { state.withLock { $0.settings.bufferSeconds } }
        set { state.withLock { $0.settings.bufferSeconds = newValue } }
    }

    // MARK: Without effect

    /// Without effect: every rate keeps the pitch.
    open var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm {
        get { state.withLock { $0.settings.pitch } }
        set { state.withLock { $0.settings.pitch = newValue } }
    }

    /// Without effect: there is one variant of a file.
    open var preferredPeakBitRate: Double {
        get { state.withLock { $0.settings.bitRate } }
        set { state.withLock { $0.settings.bitRate = newValue } }
    }

    /// Without effect: what a station sends is fetched until as much has come as is fetched ahead.
    open var canUseNetworkResourcesForLiveStreamingWhilePaused: Bool {
        get { state.withLock { $0.settings.usesNetworkWhilePaused } }
        set { state.withLock { $0.settings.usesNetworkWhilePaused = newValue } }
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
            if state.status == .readyToPlay, let position { state.seeks.keepPosition(position) }
        }
        endTap()
    }

    /// It is not read soon.
    func endTap() { mixFilter.endTap() }

    func noteOpened() {
        let (player, waiting) = state.withLock { state in
            state.status = .readyToPlay
            return (state.player, state.seeks.replaceWaiting(with: nil))
        }
        guard let waiting, let player else { return }
        player.seek(self, toSeconds: waiting.seconds, completion: waiting.completion)
    }

    func noteFailed(_ error: NSError) {
        state.withLock { ($0.status, $0.log.failure) = (.failed, (error, Date())) }
    }
}

extension AVPlayerItem: QueueItem {
    package var filter: (any FrameFilter)? { mixFilter }

    package var isSeparate: Bool { state.withLock { $0.seeks.waiting != nil } }

    package var endSeconds: Double? {
        let end = state.withLock { $0.settings.forwardEnd }
        return end.isNumeric ? max(0, end.seconds) : nil
    }

    package func open(outputSampleRate: Double) throws(AudioFileError) -> sending AudioFileReader {
        let opening = Cancellation()
        let seconds = state.withLock { state in
            state.opening = opening
            return state.settings.bufferSeconds
        }
        let reader = try asset.reader(
            outputSampleRate: outputSampleRate,
            aheadSeconds: seconds > 0 ? seconds : StreamBuffer.usualAheadSeconds, cancellation: opening)
        let sound = ItemSound(reader)
        metadata.open(asset, reader.streamBuffer)
        state.withLock {
            $0.sound = sound
            $0.opening = nil
        }
        return reader
    }

    package func cancelOpening() { state.withLock { $0.opening }?.cancel() }
}
