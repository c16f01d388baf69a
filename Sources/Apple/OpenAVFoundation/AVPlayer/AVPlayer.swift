import AudioModel
public import CoreMedia
public import Dispatch
public import Foundation
internal import OpenAudioSession
import QueueRuntime
import SessionRuntime
import Synchronization
import TimePitch

/// Plays an item, and knows what the session does to it: it pauses when headphones leave or an interruption begins, and
/// plays on after the interruption where the session may resume.
///
/// It does not resume what its app paused meanwhile. A device that is plugged in does not stop it. `play` activates the
/// session. Release ends the sound.
///
/// Any thread, and no call waits: what was asked for is carried out soon, in order. Notifications are posted on the main
/// thread. Key-value observers are called on the thread that changed a property, or on the main thread where the session
/// or the end of the item changed it.
///
/// Source: SDK header AVPlayer.h of AVFoundation; decision 22.
open class AVPlayer: _ObservedByName, _KeyValueObservable, @unchecked Sendable {
    // @unchecked: constants, and Mutexes; subclasses have to keep to that.
    let core: QueuePlayer
    public let _observers = _KeyValueObservers()
    private let times = TimeObservers()
    private let state = Mutex(State())
    private let subject = WeakBox<AVPlayer>()

    private struct State {
        var defaultRate: Float = 1
        var volume: Float = 1
        var isMuted = false
        var status = Status.unknown
        var error: NSError?
        var waits = true
        var backgroundPolicy = AudiovisualBackgroundPlaybackPolicy.automatic
        var allowsExternalPlayback = true
        var preventsSleep = true

        var loudness: Float { isMuted ? 0 : volume }
    }

    /// A player without an item.
    public override init() {
        let (subject, times) = (subject, times)
        SoundTouch.register()
        core = QueuePlayer(
            runtime: AVAudioSession.sharedInstance().runtime,
            onEvent: { event in subject.object?.receive(event) },
            onTime: { [weak times] position in
                let player = subject.object
                let rate = player?.core.status.requestedRate ?? 0
                guard let next = times?.advance(to: position) else { return .infinity }
                let seconds = min(next, player?.advanceMetadata(to: position) ?? .infinity)
                return rate > 0 ? seconds / Double(rate) : seconds
            })
        core.endAction = .pause
        super.init()
        subject.object = self
    }

    /// A player of the sound at a URL.
    public convenience init(url: URL) { self.init(playerItem: AVPlayerItem(url: url)) }

    /// A player of an item.
    public convenience init(playerItem item: AVPlayerItem?) {
        self.init()
        if let item { replaceCurrentItem(with: item) }
    }

    deinit { core.close() }

    // MARK: Playing

    /// Plays at `defaultRate`.
    open func play() { rate = defaultRate }

    /// Fades out within 5 ms and keeps the position.
    open func pause() { rate = 0 }

    /// Sets `rate`, and plays what has come of a sound from a network, however little.
    open func playImmediately(atRate rate: Float) {
        self.rate = rate
        currentItem?.endWait()
    }

    /// How fast it plays, at unchanged pitch; 0 is paused.
    ///
    /// 1 is bit-exact. Between 1/32 and 32; below 0 counts as 0. While the session keeps the player silent it is 0.
    ///
    /// Each set calls the observers of this property and of `timeControlStatus`, also with the value that it has.
    open var rate: Float {
        get { core.status.rate }
        set {
            core.setRate(newValue > 0 ? min(max(newValue, 1 / 32), 32) : 0)
            propertiesChanged(set: Self.rateProperties)
        }
    }

    /// Those that each set of the rate tells of.
    private static let rateProperties = PropertySet([
        \AVPlayer.rate, \AVPlayer.timeControlStatus, \AVQueuePlayer.rate, \AVQueuePlayer.timeControlStatus,
    ])

    /// The rate of `play`.
    open var defaultRate: Float {
        get { state.withLock { $0.defaultRate } }
        set {
            state.withLock { $0.defaultRate = newValue }
            propertiesChanged()
        }
    }

    /// Whether sound is heard, is paused, or waits; observable with `observe(\.timeControlStatus)`.
    open var timeControlStatus: TimeControlStatus {
        switch core.status.phase {
        case .paused, .suppressed: .paused
        case .waitingForItem, .waitingForOutput: .waitingToPlayAtSpecifiedRate
        case .opening, .waitingForSound: automaticallyWaitsToMinimizeStalling ? .waitingToPlayAtSpecifiedRate : .playing
        case .playing, .ended: .playing
        }
    }

    /// Nil unless `timeControlStatus` is waiting.
    open var reasonForWaitingToPlay: WaitingReason? {
        guard timeControlStatus == .waitingToPlayAtSpecifiedRate else { return nil }
        return switch core.status.phase {
        case .waitingForItem: .noItemToPlay
        case .waitingForSound: .toMinimizeStalls
        case .paused, .opening, .playing, .waitingForOutput, .suppressed, .ended: .evaluatingBufferingRate
        }
    }

    /// `failed` after the sound server was lost; a failed item changes only its own status.
    open var status: Status { state.withLock { $0.status } }
    /// Why the player failed.
    open var error: (any Error)? { state.withLock { $0.error } }

    // MARK: The item

    /// The item that plays or would play; nil in a player without items.
    ///
    /// Any thread; does not wait.
    open var currentItem: AVPlayerItem? { core.firstItem as? AVPlayerItem }

    /// Plays another item at the present rate; nil plays none.
    ///
    /// An item that is put back goes on where it was. It is a programming error to play one that another player has.
    open func replaceCurrentItem(with item: AVPlayerItem?) {
        changeItems(bringing: item.map { [$0] } ?? []) { items in
            guard items.first !== item else { return }
            items = (item.map { [$0] } ?? []) + items.dropFirst()
        }
    }

    /// What happens at the end of the item; `.pause`, or `.advance` for an `AVQueuePlayer`.
    ///
    /// `.advance` is ignored by a player that is no `AVQueuePlayer`.
    open var actionAtItemEnd: ActionAtItemEnd {
        get {
            switch core.endAction {
            case .advance: .advance
            case .pause: .pause
            case .stay: .none
            }
        }
        set {
            switch newValue {
            case .advance: if self is AVQueuePlayer { core.endAction = .advance }
            case .pause: core.endAction = .pause
            case .none: core.endAction = .stay
            }
            propertiesChanged()
        }
    }

    /// - Parameters:
    ///   - new: what `body` may add.
    ///   - body: called once, with the lock of the queue.
    func changeItems(bringing new: [AVPlayerItem] = [], _ body: (inout [AVPlayerItem]) -> Void) {
        // With no lock held, as it asks another player.
        for item in new { item.checkIsFree(for: core) }
        var (before, after) = ([AVPlayerItem](), [AVPlayerItem]())
        let position = core.position
        core.changeItems { items in
            before = items.compactMap { $0 as? AVPlayerItem }
            after = before
            body(&after)
            items = after
            for item in after { item.attach(to: core) }
        }
        for item in before where !after.contains(where: { $0 === item }) {
            item.leavePlayer(at: item === before.first ? position : nil)
        }
        propertiesChanged()
    }

    // MARK: Time

    /// The position in the current item.
    open func currentTime() -> CMTime { currentItem?.currentTime() ?? .zero }

    /// Goes to a time of the current item exactly.
    open func seek(to time: CMTime) { seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) }

    /// Goes to a time exactly, whatever the tolerances.
    open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) {
        currentItem?.seek(
            to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter, completionHandler: nil)
    }

    /// Goes to a time of the current item exactly, and says when it is there.
    ///
    /// - Parameters:
    ///   - time: from the start of the item; beyond its end is the end.
    ///   - completionHandler: called once, on the main thread; with false where another seek took its place, or
    ///     without an item.
    @preconcurrency
    open func seek(to time: CMTime, completionHandler: @escaping @Sendable (Bool) -> Void) {
        seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero, completionHandler: completionHandler)
    }

    /// Goes to a time exactly, whatever the tolerances.
    ///
    /// - Parameters:
    ///   - time: from the start of the item; beyond its end is the end.
    ///   - toleranceBefore: ignored: every seek is exact.
    ///   - toleranceAfter: ignored: every seek is exact.
    ///   - completionHandler: as of `seek(to:completionHandler:)`.
    @preconcurrency
    open func seek(
        to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime,
        completionHandler: @escaping @Sendable (Bool) -> Void
    ) {
        guard let currentItem else { return core.runtime.notices.enqueueOnMainThread { completionHandler(false) } }
        currentItem.seek(
            to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter,
            completionHandler: completionHandler)
    }

    /// Goes to a time; false where another seek took its place, or without an item.
    @discardableResult
    open func seek(to time: CMTime) async -> Bool { await currentItem?.seek(to: time) ?? false }

    /// Goes to a time exactly, whatever the tolerances; false where another seek took its place, or without an item.
    @discardableResult
    open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) async -> Bool {
        await currentItem?.seek(to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter) ?? false
    }

    /// Calls a block each time the position passes a multiple of the interval, and when playback starts, stops or jumps.
    ///
    /// - Parameters:
    ///   - interval: of the item's time, above 0; for one of 10 ms or less, some calls are left out.
    ///   - queue: nil is the main thread.
    ///   - block: called with the position.
    /// - Returns: what `removeTimeObserver` takes.
    @preconcurrency
    open func addPeriodicTimeObserver(
        forInterval interval: CMTime, queue: DispatchQueue?, using block: @escaping @Sendable (CMTime) -> Void
    ) -> Any {
        programmerError(
            unless: interval.isNumeric && interval > .zero,
            "the interval of a time observer is above 0, not \(interval.seconds)")
        defer { core.wakeClock() }
        return times.addPeriodic(seconds: interval.seconds) { [notices = core.runtime.notices] time in
            notices.enqueue(on: queue) { block(time) }
        }
    }

    /// Calls a block each time the position passes one of the times; a seek over a time does not pass it.
    ///
    /// - Parameters:
    ///   - times: made with `NSValue(time:)`.
    ///   - queue: nil is the main thread.
    ///   - block: called on that queue, once for each time that is passed.
    /// - Returns: what `removeTimeObserver` takes.
    @preconcurrency
    open func addBoundaryTimeObserver(
        forTimes times: [NSValue], queue: DispatchQueue?, using block: @escaping @Sendable () -> Void
    ) -> Any {
        defer { core.wakeClock() }
        return self.times.addBoundary(seconds: times.map(\.timeValue.seconds)) { [notices = core.runtime.notices] _ in
            notices.enqueue(on: queue, block)
        }
    }

    /// Ends the calls of a time observer; without effect if they have ended.
    ///
    /// - Parameter observer: what `addPeriodicTimeObserver` or `addBoundaryTimeObserver` returned.
    open func removeTimeObserver(_ observer: Any) {
        if let token = observer as? TimeObservers.Token { times.remove(token) }
    }

    // MARK: Volume

    /// 0...1, linear amplitude; changes take 5 ms.
    open var volume: Float {
        get { state.withLock { $0.volume } }
        set { changeVolume { $0.volume = newValue.isNaN ? 0 : min(max(newValue, 0), 1) } }
    }

    /// Whether the player is silent and keeps its `volume`; changes take 5 ms.
    open var isMuted: Bool {
        get { state.withLock { $0.isMuted } }
        set { changeVolume { $0.isMuted = newValue } }
    }

    private func changeVolume(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            core.setVolume(state.loudness)
        }
        propertiesChanged()
    }

    /// Whether a player whose item is being opened, or whose server has not sent enough, waits; true by default.
    ///
    /// Where it is false, a player whose sound runs dry is paused.
    open var automaticallyWaitsToMinimizeStalling: Bool {
        get { state.withLock { $0.waits } }
        set {
            state.withLock { $0.waits = newValue }
            propertiesChanged()
        }
    }

    // MARK: Without effect

    /// Without effect: programs have no background on Linux.
    open var audiovisualBackgroundPlaybackPolicy: AudiovisualBackgroundPlaybackPolicy {
        get { state.withLock { $0.backgroundPolicy } }
        set { state.withLock { $0.backgroundPolicy = newValue } }
    }

    /// Without effect: there is no AirPlay video.
    open var allowsExternalPlayback: Bool {
        get { state.withLock { $0.allowsExternalPlayback } }
        set { state.withLock { $0.allowsExternalPlayback = newValue } }
    }

    /// Without effect: there is no video.
    open var preventsDisplaySleepDuringVideoPlayback: Bool {
        get { state.withLock { $0.preventsSleep } }
        set { state.withLock { $0.preventsSleep = newValue } }
    }

    // MARK: Events

    /// In the app's own call: what other threads found out about the item is told after it, or a handler that stops the player
    /// would run inside of `play()`.
    private func propertiesChanged(set: PropertySet = PropertySet([])) {
        _observers.deliverChanges(set: set)
        onMainThread { $0.currentItem?._observers.deliverChanges() }
    }

    /// In an event, on the main thread.
    private func tellChanges() {
        _observers.deliverChanges()
        currentItem?._observers.deliverChanges()
    }

    private func receive(_ event: QueuePlayer.Event) {
        switch event {
        case .changed:
            break
        case .reported, .refused, .channelMapReset, .stuck:
            return
        case .rateChanged(let cause):
            let reason = RateDidChangeReason(cause)
            times.announce(core.position)
            return onMainThread { player in
                player.tellChanges()
                NotificationPoster.post(
                    Self.rateDidChangeNotification, object: player, userInfo: [Self.rateDidChangeReasonKey: reason])
            }
        case .opened(let item):
            (item as? AVPlayerItem)?.noteOpened()
            state.withLock { if $0.status == .unknown { $0.status = .readyToPlay } }
        case .failed(let item, let cause, let wasOpen):
            let error = NSError.media(cause)
            // The session is lost: the app makes another player.
            if wasOpen, case .playback(.session) = cause { state.withLock { ($0.status, $0.error) = (.failed, error) } }
            return note(error, of: item, wasOpen: wasOpen)
        case .ended(let item, _):
            endTap(of: item)
            return onMainThread { player in
                player.tellChanges()
                NotificationPoster.post(AVPlayerItem.didPlayToEndTimeNotification, object: item)
            }
        case .stalled(let item):
            (item as? AVPlayerItem)?.noteStall()
            if !automaticallyWaitsToMinimizeStalling, core.status.phase == .waitingForSound { rate = 0 }
            return onMainThread { player in
                player.tellChanges()
                NotificationPoster.post(AVPlayerItem.playbackStalledNotification, object: item)
            }
        case .jumped(let item):
            times.jump(to: core.position)
            (item as? AVPlayerItem)?.metadata.flush(core.runtime.notices)
            return onMainThread { _ in NotificationPoster.post(AVPlayerItem.timeJumpedNotification, object: item) }
        }
        onMainThread { $0.tellChanges() }
    }

    /// An item that has left the queue by itself.
    private func endTap(of item: any QueueItem) {
        if !core.items.contains(where: { $0 === item }) { (item as? AVPlayerItem)?.endTap() }
    }

    /// The thread that reads.
    private func advanceMetadata(to position: Double) -> Double {
        guard let item = currentItem else { return .infinity }
        return item.metadata.advance(to: position, core.runtime.notices) { onMainThread { $0.tellChanges() } }
    }

    private func note(_ error: NSError, of item: any QueueItem, wasOpen: Bool) {
        (item as? AVPlayerItem)?.noteFailed(error)
        endTap(of: item)
        onMainThread { player in
            player.tellChanges()
            (item as? AVPlayerItem)?._observers.deliverChanges()
            guard wasOpen else { return }
            NotificationPoster.post(
                AVPlayerItem.failedToPlayToEndTimeNotification, object: item,
                userInfo: [AVPlayerItemFailedToPlayToEndTimeErrorKey: error])
        }
    }

    /// Not at all once the player is gone.
    private func onMainThread(_ body: @escaping @MainActor @Sendable (AVPlayer) -> Void) {
        core.runtime.notices.enqueueOnMainThread { [subject] in
            if let player = subject.object { body(player) }
        }
    }
}

extension NSError {
    fileprivate static func media(_ error: QueuePlayer.ItemError) -> NSError {
        switch error {
        case .file(let error): media(error)
        case .playback(let failure): media(failure.message)
        }
    }
}
