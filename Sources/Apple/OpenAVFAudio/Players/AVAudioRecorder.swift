import AudioModel
import AudioRuntime
public import Foundation
internal import OpenAudioSession
import SessionRuntime
import Synchronization

/// Records the session's input into a sound file.
///
/// Any thread, also handlers of notifications. The session needs a category with input. The recorder does
/// not request permission (`AVAudioApplication.requestRecordPermission`); without it the file is silent. A recording
/// ends automatically when a device is plugged in or unplugged, and when the session's category has no input any more; the
/// file is closed. An interruption pauses it until the app calls `record`. Rules: docs/behaviours.md, 63, 64, 82 and 92.
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
            do {
                target = try AudioFileTarget(url: url, settings: AudioSettings(settings))
            } catch {
                throw (error as NSError).inStatusDomain
            }
            self.url = url
            self.settings = settings
        }
    }

    /// Placeholder without a file; calls return false.
    public override init() {
        file = nil
        super.init()
    }

    /// Creates a recorder; `prepareToRecord` or `record` creates the file.
    ///
    /// `.m4a` and `.aac` need FFmpeg's libraries; `.flac`, `.opus` and `.wav` do not.
    ///
    /// - Parameters:
    ///   - url: of the file; its extension names the type. An existing file is replaced.
    ///   - settings: the same as for `AVAudioFile(forWriting:settings:)`. Default: the rate of the session's sound
    ///     server, and one channel.
    /// - Throws: `NSError` in `NSOSStatusErrorDomain` that describes what cannot be written.
    public init(url: URL, settings: [String: Any]) throws {
        file = try File(url, settings)
        super.init()
        subject.object = self
    }

    /// Creates a recorder that writes this format; `prepareToRecord` or `record` creates the file.
    ///
    /// - Throws: as `init(url:settings:)`.
    public init(url: URL, format: AVAudioFormat) throws {
        file = try File(url, format.settings)
        super.init()
        subject.object = self
    }

    /// `/dev/null` for a placeholder.
    open var url: URL { file?.url ?? URL(fileURLWithPath: "/dev/null") }
    /// The given settings, completed with defaults.
    open var settings: [String: Any] { file?.settings ?? [:] }
    /// The format in the file.
    open var format: AVAudioFormat { file?.target.fileFormat ?? .noDevice }

    /// Called on the main thread; not retained.
    open var delegate: (any AVAudioRecorderDelegate)? {
        get { storedDelegate.object as? any AVAudioRecorderDelegate }
        set { storedDelegate.object = newValue }
    }

    /// Creates or truncates the file.
    @discardableResult
    open func prepareToRecord() -> Bool { recorder() != nil }

    /// Activates the session and starts recording, or resumes after a pause.
    ///
    /// False if that is not possible: without a microphone, in a category without input, during a call, and from then on
    /// where it recorded as media services were lost: its file stays as it is.
    @discardableResult
    open func record() -> Bool { start(forSeconds: nil) }

    /// Starts recording, and stops after `duration` more seconds.
    @discardableResult
    open func record(forDuration duration: TimeInterval) -> Bool { start(forSeconds: duration) }

    /// Like `record`, but leaves out the input until a time of `deviceCurrentTime`, to within one cycle; records at once if
    /// that time has passed.
    ///
    /// Meanwhile `isRecording` is true and `currentTime` stays.
    @discardableResult
    open func record(atTime time: TimeInterval) -> Bool { start(forSeconds: nil, at: time) }

    /// Like `record(atTime:)`, and stops after `duration` more seconds.
    @discardableResult
    open func record(atTime time: TimeInterval, forDuration duration: TimeInterval) -> Bool {
        start(forSeconds: duration, at: time)
    }

    /// Seconds of the host's clock, which always runs; 0 for a placeholder.
    open var deviceCurrentTime: TimeInterval { file?.runtime.host.now().seconds ?? 0 }

    /// Stops recording and keeps the file open; `record` continues in the same file.
    open func pause() { current.withLock { $0 }?.pause() }

    /// Stops and closes the file; the next `record` overwrites it.
    ///
    /// Waits for the disk. The delegate is called also if the app releases the recorder after this. A recording that got
    /// no frame is not successful, and its file is removed.
    open func stop() {
        guard let recorder = current.withLock({ $0 }), let notices = file?.runtime.notices else { return }
        recorder.stop()
        // The delegate's calls are queued by now; the recorder lives until they were made.
        let kept = KeptAlive(self)
        notices.enqueue { notices.enqueueOnMainThread { kept.end() } }
    }

    /// Deletes the file; false while recording, or without a file.
    @discardableResult
    open func deleteRecording() -> Bool {
        guard let url = file?.url, !isRecording else { return false }
        current.withLock { $0.take() }?.stop()
        return (try? FileManager.default.removeItem(at: url)) != nil
    }

    /// Whether the input is written to the file now.
    open var isRecording: Bool { current.withLock { $0 }?.status.state == .playing }

    /// The recorded seconds; 0 while stopped.
    open var currentTime: TimeInterval {
        guard let status = current.withLock({ $0 })?.status else { return 0 }
        return status.state == .playing || status.state == .paused ? status.duration : 0
    }

    /// Whether `updateMeters` measures; false by default.
    open var isMeteringEnabled: Bool {
        get { meters.withLock { $0.isEnabled } }
        set { meters.withLock { $0.isEnabled = newValue } }
    }

    /// Updates `averagePower` and `peakPower` for the sound written since the last call; sound is written every 0.1 s.
    open func updateMeters() {
        guard isMeteringEnabled else { return }
        let measures = isRecording ? current.withLock { $0 }?.takeMeasures() : nil
        meters.withLock { $0.measures = measures ?? [] }
    }

    /// The level in dBFS of a channel of the file: -160 (silence) to 0.
    ///
    /// Also -160 for a channel that does not exist.
    open func averagePower(forChannel channelNumber: Int) -> Float {
        meters.withLock { $0[channelNumber].averagePower }
    }

    /// Like `averagePower`, for the loudest sample.
    open func peakPower(forChannel channelNumber: Int) -> Float { meters.withLock { $0[channelNumber].peakPower } }

    private func start(forSeconds seconds: TimeInterval?, at time: TimeInterval? = nil) -> Bool {
        guard let recorder = recorder() else { return false }
        do throws(SessionError) {
            try recorder.record(forSeconds: seconds, after: time.map { $0 - deviceCurrentTime } ?? 0)
            return true
        } catch {
            return false
        }
    }

    /// The one in use, or a new one where that has ended.
    private func recorder() -> FileRecorder? {
        current.withLock { current in
            let status = current?.status
            if let current, status?.state != .finished, status?.state != .failed { return current }
            // What it wrote before the server was lost stays: a new file would take its place.
            guard let file, file.runtime.state.isConnected, status?.errorCode != .mediaServicesFailed else {
                return nil
            }
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
            let error = NSError.audio(kAudioFileUnspecifiedError, message).inStatusDomain
            delegate.audioRecorderEncodeErrorDidOccur(self, error: error)
        }
        delegate.audioRecorderDidFinishRecording(self, successfully: status.state == .finished)
    }
}

/// Keeps an object alive until it ends.
///
/// `@unchecked Sendable`: the object is not used, only released.
private final class KeptAlive: @unchecked Sendable {
    private var object: AnyObject?

    init(_ object: AnyObject) { self.object = object }

    /// Main thread.
    func end() { object = nil }
}

/// Called at the end of a recording, on the main thread.
///
/// Every method is optional: this module has empty default implementations.
///
/// Source: SDK header AVAudioRecorder.h.
public protocol AVAudioRecorderDelegate: NSObjectProtocol {
    /// The recording was stopped, has its length, or was ended by a device that came or went; the file is closed.
    ///
    /// - Parameters:
    ///   - recorder: whose recording has ended.
    ///   - flag: false where the file could not be written, or the sound server was lost.
    func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool)
    /// The file could not be written.
    func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?)

    // Deprecated in iOS 8, and never called, as on iOS since then: observe `AVAudioSession.interruptionNotification`.

    /// Never called; observe `AVAudioSession.interruptionNotification`.
    func audioRecorderBeginInterruption(_ recorder: AVAudioRecorder)
    /// Never called; observe `AVAudioSession.interruptionNotification`.
    func audioRecorderEndInterruption(_ recorder: AVAudioRecorder, withOptions flags: Int)
    /// Never called; observe `AVAudioSession.interruptionNotification`.
    func audioRecorderEndInterruption(_ recorder: AVAudioRecorder, withFlags flags: Int)
    /// Never called; observe `AVAudioSession.interruptionNotification`.
    func audioRecorderEndInterruption(_ recorder: AVAudioRecorder)
}

extension AVAudioRecorderDelegate {
    public func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) {}
    public func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?) {}
    public func audioRecorderBeginInterruption(_ recorder: AVAudioRecorder) {}
    public func audioRecorderEndInterruption(_ recorder: AVAudioRecorder, withOptions flags: Int) {}
    public func audioRecorderEndInterruption(_ recorder: AVAudioRecorder, withFlags flags: Int) {}
    public func audioRecorderEndInterruption(_ recorder: AVAudioRecorder) {}
}
