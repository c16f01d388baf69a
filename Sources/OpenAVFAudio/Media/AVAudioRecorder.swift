import AudioFiles
import AudioModel
import AudioRuntime
public import Foundation
import SessionCore
import Synchronization

/// Records the session's input into a sound file.
///
/// Any thread but that of the session's own callbacks may call it. The session needs a category with input; permission is
/// not asked for (`AVAudioApplication.requestRecordPermission`), and without it the file is silent. A recording ends by itself when a device is plugged in or out, as Apple documents, and the file is
/// then closed; an interruption pauses it, and where the session may resume it goes on.
///
/// Missing: recording at a time, channel assignments.
///
/// Source: SDK header AVAudioRecorder.h.
open class AVAudioRecorder: NSObject {
    /// Nil for a recorder without a file.
    private let file: File?
    private let current = Mutex<FileRecorder?>(nil)
    private let meters = Mutex(LevelMeters())
    private let subject = WeakBox<AVAudioRecorder>()
    private let storedDelegate = WeakBox<AnyObject>()

    /// What is to be written, and for whom.
    private struct File {
        let runtime: SessionRuntime
        let url: URL
        let settings: [String: Any]
        let target: AudioFileTarget

        init(_ url: URL, _ given: [String: Any]) throws {
            runtime = AVAudioSession.sharedInstance().runtime
            var settings = given
            if settings[AVSampleRateKey] == nil { settings[AVSampleRateKey] = runtime.host.sampleRate }
            if settings[AVNumberOfChannelsKey] == nil, settings[AVChannelLayoutKey] == nil {
                settings[AVNumberOfChannelsKey] = 1
            }
            target = try AudioFileTarget(url: url, settings: AudioSettings(settings))
            self.url = url
            self.settings = settings
        }
    }

    /// A recorder without a file, to stand where one will be: what it is asked to do is answered with false.
    public override init() {
        file = nil
        super.init()
    }

    /// Makes a recorder; the file is created by `prepareToRecord` or `record`.
    ///
    /// AAC (`kAudioFormatMPEG4AAC`, `.m4a`) is not there; use `.flac`, `.opus` or `.wav`.
    ///
    /// - Parameter settings: as for `AVAudioFile(forWriting:settings:)`. Where they name no rate and no channels: those of
    ///   the session's sound server, and one channel.
    /// - Throws: `NSError` of the domain `com.apple.coreaudio.avfaudio` that says what cannot be written.
    public init(url: URL, settings: [String: Any]) throws {
        file = try File(url, settings)
        super.init()
        subject.object = self
    }

    /// - Throws: as `init(url:settings:)`.
    public init(url: URL, format: AVAudioFormat) throws {
        file = try File(url, format.settings)
        super.init()
        subject.object = self
    }

    /// `/dev/null` for a recorder without a file.
    open var url: URL { file?.url ?? URL(fileURLWithPath: "/dev/null") }
    /// As given, with what was missing.
    open var settings: [String: Any] { file?.settings ?? [:] }
    /// What the file stores.
    open var format: AVAudioFormat { file?.target.fileFormat ?? .noDevice }

    /// Told on the main thread; not kept alive.
    open var delegate: (any AVAudioRecorderDelegate)? {
        get { storedDelegate.object as? any AVAudioRecorderDelegate }
        set { storedDelegate.object = newValue }
    }

    /// Creates the file, or empties the one that is there.
    @discardableResult
    open func prepareToRecord() -> Bool { recorder() != nil }

    /// Starts, or goes on after a pause; activates the session.
    ///
    /// False where that is not possible: without a microphone, in a category without input, under a call.
    @discardableResult
    open func record() -> Bool { start(forSeconds: nil) }

    /// Starts, and stops when so many more seconds have been recorded.
    @discardableResult
    open func record(forDuration duration: TimeInterval) -> Bool { start(forSeconds: duration) }

    open func pause() { current.withLock { $0 }?.pause() }

    /// Stops and closes the file; the next `record` begins it anew.
    ///
    /// Waits for the disk.
    open func stop() { current.withLock { $0 }?.stop() }

    /// Deletes the file; false while recording, or where there is none.
    @discardableResult
    open func deleteRecording() -> Bool {
        guard let url = file?.url, !isRecording else { return false }
        current.withLock { $0.take() }?.stop()
        return (try? FileManager.default.removeItem(at: url)) != nil
    }

    open var isRecording: Bool { current.withLock { $0 }?.status.state == .recording }

    /// Seconds recorded so far; 0 while stopped.
    open var currentTime: TimeInterval {
        guard let status = current.withLock({ $0 })?.status else { return 0 }
        return status.state == .recording || status.state == .paused ? status.duration : 0
    }

    /// Whether `updateMeters` measures; false at first.
    open var isMeteringEnabled: Bool {
        get { meters.withLock { $0.isEnabled } }
        set { meters.withLock { $0.isEnabled = newValue } }
    }

    /// Makes `averagePower` and `peakPower` those of what was written since the last call; that happens every 0.1 s.
    open func updateMeters() {
        guard isMeteringEnabled else { return }
        let measures = isRecording ? current.withLock { $0 }?.takeMeasures() : nil
        meters.withLock { $0.measures = measures ?? [] }
    }

    /// dBFS of a channel of the file: -160, silence, to 0.
    ///
    /// -160 for a channel that is not there, too.
    open func averagePower(forChannel channelNumber: Int) -> Float {
        meters.withLock { $0[channelNumber].averagePower }
    }

    /// As `averagePower`, of the loudest sample.
    open func peakPower(forChannel channelNumber: Int) -> Float { meters.withLock { $0[channelNumber].peakPower } }

    private func start(forSeconds seconds: TimeInterval?) -> Bool {
        guard let recorder = recorder() else { return false }
        do throws(SessionError) {
            try recorder.record(forSeconds: seconds)
            return true
        } catch {
            return false
        }
    }

    /// The one in use, or a new one where that has ended.
    private func recorder() -> FileRecorder? {
        current.withLock { current in
            if let recorder = current, recorder.status.state != .finished, recorder.status.state != .failed {
                return recorder
            }
            guard let file else { return nil }
            let (target, notices) = (file.target, file.runtime.notices)
            current = try? FileRecorder(
                path: target.path, type: target.type, sampleRate: target.sampleRate, channels: target.places,
                quality: target.quality, runtime: file.runtime
            ) { [subject] status in Self.tell(subject, status, by: notices) }
            return current
        }
    }

    /// What the delegate hears of it, on the main thread.
    private static func tell(
        _ subject: WeakBox<AVAudioRecorder>, _ status: FileRecorder.Status, by notices: NoticeQueue
    ) {
        guard status.state == .finished || status.state == .failed else { return }
        notices.enqueueOnMainThread { subject.object?.tell(status) }
    }

    /// Main thread.
    func tell(_ status: FileRecorder.Status) {
        guard let delegate else { return }
        if let message = status.message, status.errorCode == nil {
            let error = NSError.audio(kAudioFileUnspecifiedError, message)
            delegate.audioRecorderEncodeErrorDidOccur(self, error: error)
        }
        delegate.audioRecorderDidFinishRecording(self, successfully: status.state == .finished)
    }
}
