import AudioFiles
public import Foundation
import SessionCore
import Synchronization

/// Plays a sound file or the bytes of one, and pauses by itself when headphones leave or another program takes the sound.
///
/// Any thread but that of the session's own callbacks may call it. After an interruption it plays on by itself where the
/// session may resume; after a device has left, `play` goes on from the same place. Keep the player as long as it plays.
///
/// Missing: playing at a time or at another rate, channel assignments.
///
/// `@unchecked Sendable`: the mutable state is in mutexes; a subclass must not add unguarded state.
///
/// Source: SDK header AVAudioPlayer.h.
open class AVAudioPlayer: NSObject, @unchecked Sendable {
    /// Nil for a player of bytes.
    public let url: URL?
    /// Nil for a player of a file.
    public let data: Data?
    /// How the file stores its samples.
    public let format: AVAudioFormat
    /// Seconds; 0 where the file does not say, an estimate for MP3 files without a Xing header.
    public let duration: TimeInterval

    private let session: AVAudioSession
    /// Until there is a stream to play it on: a player that was only made is in no mixer's list.
    private let opened: Mutex<AudioFileReader?>
    private let state = Mutex(State())
    private let delegateBox = Mutex(DelegateBox(delegate: nil))

    private struct State {
        var player: FilePlayer?
        var volume: Float = 1
        var pan: Float = 0
        var loops = 0
        var meters = LevelMeters()
    }

    /// `@unchecked`: only handed over, from the thread that sets it to the main thread; that is Apple's contract too.
    private struct DelegateBox: @unchecked Sendable {
        weak var delegate: (any AVAudioPlayerDelegate)?
    }

    /// Opens a file.
    ///
    /// - Throws: `NSError` of the domain `com.apple.coreaudio.avfaudio` that says what is wrong with the file.
    public convenience init(contentsOf url: URL) throws {
        try self.init(url: url, data: nil) { rate throws(AudioFileError) in
            try AudioFileReader(path: url.path, outputSampleRate: rate)
        }
    }

    /// As `init(contentsOf:)`; the hint changes nothing, since a file is known by its content.
    public convenience init(contentsOf url: URL, fileTypeHint utiString: String?) throws {
        try self.init(contentsOf: url)
    }

    /// Opens the bytes of a sound file.
    ///
    /// - Throws: as `init(contentsOf:)`.
    public convenience init(data: Data) throws {
        try self.init(url: nil, data: data) { rate throws(AudioFileError) in
            try AudioFileReader(contents: [UInt8](data), name: "the data", outputSampleRate: rate)
        }
    }

    /// As `init(data:)`; the hint changes nothing, since a file is known by its content.
    public convenience init(data: Data, fileTypeHint utiString: String?) throws { try self.init(data: data) }

    private init(
        url: URL?, data: Data?, open: (Double) throws(AudioFileError) -> sending AudioFileReader
    ) throws {
        if let url { _ = try AudioFileTarget.path(url) }
        session = AVAudioSession.sharedInstance()
        let reader: AudioFileReader
        do throws(AudioFileError) {
            reader = try open(session.process.host.sampleRate)
        } catch {
            throw NSError.audio(error)
        }
        self.url = url
        self.data = data
        format = reader.type.format(sampleRate: reader.info.sampleRate, places: reader.info.channels)
        duration = reader.info.duration
        opened = Mutex(reader)
        super.init()
    }

    /// Told on the main thread; not kept alive.
    open var delegate: (any AVAudioPlayerDelegate)? {
        get { delegateBox.withLock { $0 }.delegate }
        set {
            let box = DelegateBox(delegate: newValue)
            delegateBox.withLock { $0 = box }
        }
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
    /// False where that is not possible: under a call, in a category without output, after the sound server was lost. True
    /// also while an interruption or the lack of an output is in the way: then it starts by itself when that has gone.
    @discardableResult
    open func play() -> Bool {
        guard let player = player() else { return false }
        do throws(SessionError) {
            try player.play()
            return true
        } catch {
            return false
        }
    }

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
        state.withLock { state in
            guard let player = state.player else { return state.volume = volume.asVolume }
            player.setVolume(volume, overSeconds: duration)
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
    /// Counted from when it is set, and anew when the sound is started after its end. What is set less than 2 s before the
    /// end may come too late.
    open var numberOfLoops: Int {
        get { state.withLock { $0.loops } }
        set {
            state.withLock { state in
                state.loops = newValue
                state.player?.repetitions = newValue
            }
        }
    }

    private var prepared: FilePlayer? { state.withLock { $0.player } }

    /// Nil where the host refuses a stream.
    private func player() -> FilePlayer? {
        state.withLock { state in
            if let player = state.player { return player }
            guard let reader = takeReader() else { return nil }
            let player = try? FilePlayer(reader: reader, process: session.process, volume: state.volume) {
                [weak self] status in self?.tell(status)
            }
            player?.pan = state.pan
            player?.repetitions = state.loops
            player?.isMetered = state.meters.isEnabled
            state.player = player
            return player
        }
    }

    private func takeReader() -> sending AudioFileReader? {
        opened.withLock { opened in
            let reader = opened
            opened = nil
            return reader
        }
    }

    /// What the delegate hears of it, on the main thread.
    private func tell(_ status: FilePlayer.Status) {
        guard status.state == .finished || status.state == .failed else { return }
        session.process.poster.enqueueOnMainThread { [weak self] _ in
            guard let self, let delegate = self.delegate else { return }
            if let message = status.message, status.errorCode == nil {
                delegate.audioPlayerDecodeErrorDidOccur(self, error: NSError.audio(kAudioFileInvalidFileError, message))
            }
            delegate.audioPlayerDidFinishPlaying(self, successfully: status.state == .finished)
        }
    }
}
