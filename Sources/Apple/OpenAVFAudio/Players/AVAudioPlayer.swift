import AudioModel
import AudioRuntime
import EngineCore
public import Foundation
internal import OpenAudioSession
import SessionCore
import SessionRuntime
import Synchronization
import TimePitch

/// Plays a sound file or its data; it pauses automatically when headphones leave or another program interrupts.
///
/// Any thread, also handlers of notifications. After an interruption, and after a device has left, it stays
/// paused until the app calls `play`, which resumes from the same position. Retain the player while it plays. Rules:
/// docs/behaviours.md, 3 and 82.
///
/// Source: SDK header AVAudioPlayer.h.
open class AVAudioPlayer: NSObject {
    /// Nil for a player without sound, which `init()` makes.
    private let sound: OpenedSound?
    private let state = Mutex(State())
    private let subject = WeakBox<AVAudioPlayer>()
    private let storedDelegate = WeakBox<AnyObject>()

    private struct State {
        var player: FilePlayer?
        var volume: Float = 1
        var pan: Float = 0
        var loops = 0
        var hasRate = false
        var rate: Float = 1
        var assignments: [AVAudioSessionChannelDescription]?
        /// What they stand for.
        var assignedChannels: [PortChannel]?
        var meters = LevelMeters()

        var rateInForce: Float? { hasRate ? rate : nil }
    }

    /// Placeholder without sound; calls return false.
    public override init() {
        sound = nil
        super.init()
    }

    /// Opens a file.
    ///
    /// Required, so that `extension AVAudioPlayer: TheirPlayer {}` compiles for a protocol with this initialiser.
    ///
    /// - Throws: `NSError` in `NSOSStatusErrorDomain` that describes the problem with the file: code 'wht?' (2003334207) for
    ///   a file that does not exist, 'typ?' for a file that is not audio.
    public required init(contentsOf url: URL) throws {
        sound = try OpenedSound(contentsOf: url)
        super.init()
        subject.object = self
    }

    /// Like `init(contentsOf:)`.
    ///
    /// The hint has no effect: the content determines the type of a file.
    public init(contentsOf url: URL, fileTypeHint utiString: String?) throws {
        sound = try OpenedSound(contentsOf: url)
        super.init()
        subject.object = self
    }

    /// Opens the data of a sound file.
    ///
    /// - Throws: as `init(contentsOf:)`.
    public init(data: Data) throws {
        sound = try OpenedSound(data: data)
        super.init()
        subject.object = self
    }

    /// Like `init(data:)`.
    ///
    /// The hint has no effect: the content determines the type of a file.
    public init(data: Data, fileTypeHint utiString: String?) throws {
        sound = try OpenedSound(data: data)
        super.init()
        subject.object = self
    }

    /// Nil for a player of data.
    open var url: URL? { sound?.url }
    /// Nil for a player of a file.
    open var data: Data? { sound?.data }
    /// How the file stores its samples.
    open var format: AVAudioFormat { sound?.format ?? .noDevice }
    /// In seconds; 0 if nothing in the file tells it.
    open var duration: TimeInterval { sound?.duration ?? 0 }

    /// Called on the main thread; not retained.
    open var delegate: (any AVAudioPlayerDelegate)? {
        get { storedDelegate.object as? any AVAudioPlayerDelegate }
        set { storedDelegate.object = newValue }
    }

    /// The number of channels of the sound, not of the output.
    open var numberOfChannels: Int { Int(format.channelCount) }

    /// The file's format as settings.
    open var settings: [String: Any] { format.settings }

    /// Opens a stream of the sound server, so that `play` starts sooner.
    ///
    /// False if no stream is available.
    @discardableResult
    open func prepareToPlay() -> Bool { player() != nil }

    /// Activates the session and plays from the current position, or from the beginning after the end.
    ///
    /// If another app has interrupted the session, `play` takes the audio back (docs/behaviours.md, 81). If play() restarts
    /// before the delegate was called for the previous end, the delegate is not called for it. A sound that was paused with
    /// nothing left to play finishes, and the delegate is called. False if playing is not
    /// possible: during a call, in a category without output, after the loss of the sound server. True also without an
    /// output: then it starts automatically when an output is connected.
    @discardableResult
    open func play() -> Bool { play(at: nil) }

    /// Like `play`, but silent until a time of `deviceCurrentTime`, exact to the frame; immediately if that time has
    /// passed.
    ///
    /// Meanwhile `isPlaying` is true. Players with the same time on the same device start with the same frame if the
    /// time is at least 0.1 s ahead. They are heard after the output's latency. An interruption before that time
    /// cancels the start. A player that plays already pauses until then, and `play` starts it immediately.
    @discardableResult
    open func play(atTime time: TimeInterval) -> Bool {
        play(at: time > 0 ? HostTime.zero.advanced(bySeconds: time) : nil)
    }

    private func play(at time: HostTime?) -> Bool {
        // Before it is opened: an output that leaves meanwhile pauses it.
        let knownLosses = sound?.runtime.outputLosses
        guard let player = player() else { return false }
        do throws(SessionError) {
            try player.play(at: time, knownLosses: knownLosses)
            return true
        } catch {
            if error.code == .insufficientPriority { sound?.runtime.host.note(.playedDuringCall) }
            return false
        }
    }

    /// Seconds of the host's clock, which always runs; 0 for a placeholder.
    ///
    /// All players have the same clock, on every device.
    open var deviceCurrentTime: TimeInterval { sound?.runtime.host.now().seconds ?? 0 }

    /// Fades out within 5 ms and keeps the position.
    open func pause() { prepared?.pause() }

    /// Like `pause`; the next `play` continues from the same position.
    open func stop() { prepared?.pause() }

    /// Whether sound is heard; false as soon as an interruption or the loss of the device pauses it.
    open var isPlaying: Bool { prepared?.status.state == .playing }

    /// In seconds; 0 after the end.
    ///
    /// Setting it seeks, also while paused. It is clamped to 0...`duration`.
    open var currentTime: TimeInterval {
        get {
            guard let status = prepared?.status, status.state != .finished else { return 0 }
            return status.position
        }
        set { player()?.seek(toSeconds: newValue) }
    }

    /// 0...1, linear amplitude; changes take 5 ms.
    open var volume: Float {
        get { state.withLock { $0.player?.volume ?? $0.volume } }
        set { setVolume(newValue, fadeDuration: 0) }
    }

    /// Fades to a volume; the time counts from now, also while paused.
    open func setVolume(_ volume: Float, fadeDuration duration: TimeInterval) {
        // It is the stream that keeps the time.
        if duration > 0 { _ = player() }
        state.withLock { state in
            state.player?.setVolume(volume, overSeconds: duration)
            state.volume = min(volume.asVolume, 1)
        }
    }

    /// -1 (left) to 1 (right); 0, the default, changes nothing.
    ///
    /// A balance: the far side gets quieter, the near side does not change.
    open var pan: Float {
        get { state.withLock { $0.pan } }
        set {
            state.withLock { state in
                state.pan = newValue.asPan
                state.player?.pan = state.pan
            }
        }
    }

    /// Whether `updateMeters` measures; false by default.
    open var isMeteringEnabled: Bool {
        get { state.withLock { $0.meters.isEnabled } }
        set {
            state.withLock { state in
                state.meters.isEnabled = newValue
                state.player?.isMetered = newValue
            }
        }
    }

    /// Updates `averagePower` and `peakPower` for the time since the last call.
    open func updateMeters() {
        state.withLock { $0.meters.measures = $0.player?.takeMeasure() ?? [] }
    }

    /// The level in dBFS of a channel of the file at the player's volume: -160 (silence) to 0.
    ///
    /// Also -160 for a channel that does not exist.
    open func averagePower(forChannel channelNumber: Int) -> Float {
        state.withLock { $0.meters[channelNumber].averagePower }
    }

    /// Like `averagePower`, for the loudest sample.
    open func peakPower(forChannel channelNumber: Int) -> Float {
        state.withLock { $0.meters[channelNumber].peakPower }
    }

    /// How often the sound repeats at its end, without a gap; negative is forever.
    ///
    /// Counted from the time when it is set, and again when the sound is started after its end. A value set less than
    /// 0.25 s before the end may be too late.
    open var numberOfLoops: Int {
        get { state.withLock { $0.loops } }
        set {
            state.withLock { state in
                state.loops = newValue
                state.player?.repetitions = newValue
            }
        }
    }

    /// Whether `rate` is used; false by default.
    ///
    /// Set it before `prepareToPlay`. Setting it while playing works too, with a short audible join.
    open var enableRate: Bool {
        get { state.withLock { $0.hasRate } }
        set { changeRate { $0.hasRate = newValue } }
    }

    /// The speed of playback at unchanged pitch: 0.5 to 2; 1 by default.
    ///
    /// Used only if `enableRate` is set. A change while playing is heard within 0.2 s, within 0.3 s in the first 0.1 s
    /// of playback, and later if the output's cycles are longer than 43 ms. `currentTime` counts the seconds of the
    /// sound. If the rate is 1 from the start, playback is bit-exact. Values out of range are clamped; NaN is ignored.
    /// Implemented with SoundTouch, for 1 to 16 channels at up to 192 000 Hz; other sounds play at their own speed.
    open var rate: Float {
        get { state.withLock { $0.rate } }
        set {
            guard !newValue.isNaN else { return }
            changeRate { $0.rate = min(max(newValue, 0.5), 2) }
        }
    }

    private func changeRate(_ body: (inout State) -> Void) {
        state.withLock { state in
            let old = state.rateInForce
            body(&state)
            if state.rateInForce != old { state.player?.rate = state.rateInForce }
        }
    }

    /// The output channel of the session for each channel of the file; nil, the default, uses the session's choice.
    ///
    /// Use the `channels` of the outputs of `currentRoute`. If a device leaves, its channel is silent until the device
    /// returns, and does not move to another output. Assignments override `pan`.
    ///
    /// A list is ignored, and the old one stays, unless it has `numberOfChannels` entries, each a different channel of
    /// an output of the current route. (Apple does not document this case; channels are not mixed here.)
    open var channelAssignments: [AVAudioSessionChannelDescription]? {
        get { state.withLock { $0.assignments } }
        set {
            // The app's own classes may answer: not under the lock.
            let channels = newValue.map { $0.map { PortChannel(uid: $0.owningPortUID, index: $0.channelNumber - 1) } }
            if let channels, !canSound(on: channels) { return }
            state.change { state in
                (state.assignments, state.assignedChannels) = (newValue, channels)
                state.player?.setChannelAssignments(channels)
            }
        }
    }

    private func canSound(on channels: [PortChannel]) -> Bool {
        guard let sound, channels.count == numberOfChannels, Set(channels).count == channels.count else { return false }
        let ports = sound.runtime.state.route.outputs
        return channels.allSatisfy { channel in
            ports.contains { $0.uid == channel.uid && $0.channels.indices.contains(channel.index) }
        }
    }

    private var prepared: FilePlayer? { state.withLock { $0.player } }

    /// Nil where the host refuses a stream; the next call tries again.
    private func player() -> FilePlayer? {
        state.withLock { state in
            if let player = state.player { return player }
            guard let sound, let reader = try? sound.takeReader() else { return nil }
            let notices = sound.runtime.notices
            SoundTouch.register()
            let player = try? FilePlayer(reader: reader, runtime: sound.runtime, volume: state.volume) {
                [subject] status in Self.tell(subject, status, by: notices)
            }
            player?.pan = state.pan
            player?.repetitions = state.loops
            if let rate = state.rateInForce { player?.rate = rate }
            if let channels = state.assignedChannels { player?.setChannelAssignments(channels) }
            player?.isMetered = state.meters.isEnabled
            state.player = player
            return player
        }
    }

    /// What the delegate hears of it, on the main thread: the end of the sound, or of a file that cannot be decoded.
    ///
    /// A player that the session ended, at the loss of media services for one, has not finished.
    private static func tell(
        _ subject: WeakBox<AVAudioPlayer>, _ status: FilePlayer.Status, by notices: NoticeQueue
    ) {
        guard status.state == .finished || status.state == .failed, status.errorCode == nil else { return }
        notices.enqueueOnMainThread {
            guard let player = subject.object, let delegate = player.delegate else { return }
            if let message = status.message {
                let error = NSError.audio(kAudioFileInvalidFileError, message).inStatusDomain
                delegate.audioPlayerDecodeErrorDidOccur(player, error: error)
            }
            delegate.audioPlayerDidFinishPlaying(player, successfully: status.state == .finished)
        }
    }
}

/// Called at the end of a player, on the main thread.
///
/// Every method is optional: this module has empty default implementations.
///
/// Source: SDK header AVAudioPlayer.h.
public protocol AVAudioPlayerDelegate: NSObjectProtocol {
    /// The sound was played to its end; not after `stop`, nor when an interruption or the loss of a device pauses it.
    ///
    /// - Parameters:
    ///   - player: whose sound has ended.
    ///   - flag: false where the file could not be decoded. The loss of the sound server is no end: nothing is called.
    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool)
    /// The file is damaged; what came before that place was played.
    func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?)

    // Deprecated in iOS 8, and never called, as on iOS since then: observe `AVAudioSession.interruptionNotification`.

    /// Never called; observe `AVAudioSession.interruptionNotification`.
    func audioPlayerBeginInterruption(_ player: AVAudioPlayer)
    /// Never called; observe `AVAudioSession.interruptionNotification`.
    func audioPlayerEndInterruption(_ player: AVAudioPlayer, withOptions flags: Int)
    /// Never called; observe `AVAudioSession.interruptionNotification`.
    func audioPlayerEndInterruption(_ player: AVAudioPlayer, withFlags flags: Int)
    /// Never called; observe `AVAudioSession.interruptionNotification`.
    func audioPlayerEndInterruption(_ player: AVAudioPlayer)
}

extension AVAudioPlayerDelegate {
    public func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {}
    public func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {}
    public func audioPlayerBeginInterruption(_ player: AVAudioPlayer) {}
    public func audioPlayerEndInterruption(_ player: AVAudioPlayer, withOptions flags: Int) {}
    public func audioPlayerEndInterruption(_ player: AVAudioPlayer, withFlags flags: Int) {}
    public func audioPlayerEndInterruption(_ player: AVAudioPlayer) {}
}
