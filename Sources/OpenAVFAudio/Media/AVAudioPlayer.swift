import AudioFiles
import AudioModel
import AudioRuntime
public import Foundation
import SessionCore
import Synchronization

/// Plays a sound file or the bytes of one, and pauses by itself when headphones leave or another program takes the sound.
///
/// Any thread but that of the session's own callbacks may call it. After an interruption it plays on by itself where the
/// session may resume; after a device has left, `play` goes on from the same place. Keep the player as long as it plays.
///
/// Source: SDK header AVAudioPlayer.h.
open class AVAudioPlayer: NSObject {
    /// Nil for a player of nothing.
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

    /// A player of nothing, to stand where one will be: what it is asked to do is answered with false.
    public override init() {
        sound = nil
        super.init()
    }

    /// Opens a file.
    ///
    /// - Throws: `NSError` of the domain `com.apple.coreaudio.avfaudio` that says what is wrong with the file.
    public init(contentsOf url: URL) throws {
        sound = try OpenedSound(contentsOf: url)
        super.init()
        subject.object = self
    }

    /// As `init(contentsOf:)`; the hint changes nothing, since a file is known by its content.
    public init(contentsOf url: URL, fileTypeHint utiString: String?) throws {
        sound = try OpenedSound(contentsOf: url)
        super.init()
        subject.object = self
    }

    /// Opens the bytes of a sound file.
    ///
    /// - Throws: as `init(contentsOf:)`.
    public init(data: Data) throws {
        sound = try OpenedSound(data: data)
        super.init()
        subject.object = self
    }

    /// As `init(data:)`; the hint changes nothing, since a file is known by its content.
    public init(data: Data, fileTypeHint utiString: String?) throws {
        sound = try OpenedSound(data: data)
        super.init()
        subject.object = self
    }

    /// Nil for a player of bytes.
    open var url: URL? { sound?.url }
    /// Nil for a player of a file.
    open var data: Data? { sound?.data }
    /// How the file stores its samples.
    open var format: AVAudioFormat { sound?.format ?? .noDevice }
    /// Seconds; 0 where the file does not say, an estimate for MP3 files without a Xing header.
    open var duration: TimeInterval { sound?.duration ?? 0 }

    /// Told on the main thread; not kept alive.
    open var delegate: (any AVAudioPlayerDelegate)? {
        get { storedDelegate.object as? any AVAudioPlayerDelegate }
        set { storedDelegate.object = newValue }
    }

    open var numberOfChannels: Int { Int(format.channelCount) }

    /// The file's format as settings.
    open var settings: [String: Any] { format.settings }

    /// Gets a stream from the sound server, so that `play` starts sooner.
    ///
    /// False where there is none to be had.
    @discardableResult
    open func prepareToPlay() -> Bool { player() != nil }

    /// Activates the session and starts, from where it stands; after the end from the beginning.
    ///
    /// An end that the delegate has not been told of by then, it is not told of any more. False where that is not
    /// possible: under a call, in a category without output, after the sound server was lost. True also while an
    /// interruption or the lack of an output is in the way: then it starts by itself when that has gone.
    @discardableResult
    open func play() -> Bool { play(at: nil) }

    /// As `play`, but silent until an instant of `deviceCurrentTime`, and then from the next frame on; at once where it is
    /// past.
    ///
    /// `isPlaying` meanwhile. Players of one instant on one device begin with the same frame if all have been given time to
    /// start, 0.1 s or more; they are heard the output's latency later. What is in the way at that instant, as an
    /// interruption, delays it; what plays already pauses until then, and `play` begins at once.
    @discardableResult
    open func play(atTime time: TimeInterval) -> Bool {
        play(at: time > 0 ? HostTime.zero.advanced(bySeconds: time) : nil)
    }

    private func play(at time: HostTime?) -> Bool {
        guard let player = player() else { return false }
        do throws(SessionError) {
            try player.play(at: time)
            return true
        } catch {
            return false
        }
    }

    /// Seconds of the host's clock, which runs whether anything plays or not; 0 for a player of nothing.
    ///
    /// One clock for all players, whatever device they play on.
    open var deviceCurrentTime: TimeInterval { sound?.runtime.host.now().seconds ?? 0 }

    /// Fades out within 5 ms and holds the place.
    open func pause() { prepared?.pause() }

    /// As `pause`; the next `play` goes on from the same place.
    open func stop() { prepared?.pause() }

    open var isPlaying: Bool { prepared?.status.state == .playing }

    /// Seconds; 0 after the end.
    ///
    /// Setting goes there, playing or not; clamped to 0...`duration`.
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

    /// Glides to a volume; the time counts from now, whether it plays or not.
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
    /// A balance: the side that the sound moves away from gets quieter, the other stays as it is.
    open var pan: Float {
        get { state.withLock { $0.pan } }
        set {
            state.withLock { state in
                state.pan = newValue.asPan
                state.player?.pan = state.pan
            }
        }
    }

    /// Whether `updateMeters` measures; false at first.
    open var isMeteringEnabled: Bool {
        get { state.withLock { $0.meters.isEnabled } }
        set {
            state.withLock { state in
                state.meters.isEnabled = newValue
                state.player?.isMetered = newValue
            }
        }
    }

    /// Makes `averagePower` and `peakPower` those of the time since the last call.
    open func updateMeters() {
        state.withLock { $0.meters.measures = $0.player?.takeMeasure() ?? [] }
    }

    /// dBFS of a channel of the file at the player's volume: -160, silence, to 0.
    ///
    /// -160 for a channel that is not there, too.
    open func averagePower(forChannel channelNumber: Int) -> Float {
        state.withLock { $0.meters[channelNumber].averagePower }
    }

    /// As `averagePower`, of the loudest sample.
    open func peakPower(forChannel channelNumber: Int) -> Float {
        state.withLock { $0.meters[channelNumber].peakPower }
    }

    /// How often the sound begins again at its end, without a gap; negative: for ever.
    ///
    /// Counted from when it is set, and anew when the sound is started after its end. What is set less than 0.25 s before
    /// the end may come too late.
    open var numberOfLoops: Int {
        get { state.withLock { $0.loops } }
        set {
            state.withLock { state in
                state.loops = newValue
                state.player?.repetitions = newValue
            }
        }
    }

    /// Whether `rate` counts; false at first.
    ///
    /// To be set before `prepareToPlay`. Set while it plays, it holds too, and is heard as a short join.
    open var enableRate: Bool {
        get { state.withLock { $0.hasRate } }
        set { changeRate { $0.hasRate = newValue } }
    }

    /// How fast it plays, at its own pitch: 0.5 to 2; 1 at first.
    ///
    /// Only where `enableRate` is set. A change while it plays is heard within 0.2 s, in its first tenth of a second within
    /// 0.3 s, and later where the output's cycles are longer than 43 ms; `currentTime` goes on counting the sound's own
    /// seconds. At 1 from the beginning sound passes bit by bit. Values out of range are taken as the nearest in it; what is
    /// no number is not taken. Through SoundTouch, for 1 to 16 channels at up to 192 000 Hz; what has more plays at its own
    /// speed.
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

    /// The channel of the session's outputs that each channel of the file sounds on; nil, the default, leaves it to the
    /// session.
    ///
    /// Taken from `channels` of the outputs of `currentRoute`. Where the device of one has left, that channel is silent
    /// until it is back: nothing sounds where it was not meant to. They override `pan`.
    ///
    /// A list is not taken, and the old one stays, unless it has `numberOfChannels` entries, each another channel of an
    /// output of the current route. (Apple does not say what happens then; channels are not mixed here.)
    open var channelAssignments: [AVAudioSessionChannelDescription]? {
        get { state.withLock { $0.assignments } }
        set {
            // The app's own classes may answer: not under the lock.
            let channels = newValue.map { $0.map { PortChannel(uid: $0.owningPortUID, index: $0.channelNumber - 1) } }
            if let channels, !canSound(on: channels) { return }
            state.withLock { state in
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

    /// What the delegate hears of it, on the main thread.
    private static func tell(
        _ subject: WeakBox<AVAudioPlayer>, _ status: FilePlayer.Status, by notices: NoticeQueue
    ) {
        guard status.state == .finished || status.state == .failed else { return }
        notices.enqueueOnMainThread {
            guard let player = subject.object, let delegate = player.delegate else { return }
            if let message = status.message, status.errorCode == nil {
                let error = NSError.audio(kAudioFileInvalidFileError, message)
                delegate.audioPlayerDecodeErrorDidOccur(player, error: error)
            }
            delegate.audioPlayerDidFinishPlaying(player, successfully: status.state == .finished)
        }
    }
}
