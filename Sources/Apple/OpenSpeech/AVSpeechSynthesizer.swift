public import Foundation
internal import OpenAVFAudio
import SessionRuntime
import SpeechCore
import Synchronization

/// When speech pauses or stops.
///
/// Source: SDK header AVSpeechSynthesis.h.
public enum AVSpeechBoundary: Int, Sendable {
    /// At once, with a fade of 5 ms.
    case immediate = 0
    /// Before the next word.
    case word = 1
}

/// Speaks utterances, one after the other, on the session's route.
///
/// The speech providers of the session bus (Spiel) or the program `espeak-ng` make the sound; `audiosession doctor`
/// says how to install the latter. It plays as an `AVAudioPlayer` does: `speak` activates the session, which ducks or
/// interrupts others as its category says. An interruption or the loss of the device pauses it until
/// `continueSpeaking`. Any thread. Retain the synthesizer while it speaks.
///
/// Source: SDK header AVSpeechSynthesis.h.
open class AVSpeechSynthesizer: NSObject {
    /// Called with each part of the sound; at its end, with a buffer without frames.
    public typealias BufferCallback = (AVAudioBuffer) -> Void

    private let queue: SpeechQueue
    private let engine: any SpeechEngine
    private let subject: WeakBox<AVSpeechSynthesizer>
    private let storedDelegate = WeakBox<AnyObject>()
    private let flags = Mutex((usesApplicationSession: true, mixesToUplink: false))

    /// Makes a synthesizer with nothing to say.
    public override init() {
        let subject = WeakBox<AVSpeechSynthesizer>()
        let engine = InstalledEngine.current
        self.subject = subject
        self.engine = engine
        queue = SpeechQueue(engine: engine) { notice, entry in subject.object?.tell(notice, entry) }
        super.init()
        subject.object = self
    }

    deinit { _ = queue.stop(atWord: false) }

    /// Called on the main thread; not retained.
    open var delegate: (any AVSpeechSynthesizerDelegate)? {
        get { storedDelegate.object as? any AVSpeechSynthesizerDelegate }
        set { storedDelegate.object = newValue }
    }

    /// Speaks an utterance, or queues it behind the others.
    ///
    /// It returns at once: another thread asks the engine. It waits for the engine only if a test moves the time.
    ///
    /// If no engine is installed, or the session cannot play, the standard error says why and the delegate's
    /// `didCancel` is called. It is a programming error to pass an utterance that is already queued.
    open func speak(_ utterance: AVSpeechUtterance) { queue.add(utterance) }

    /// Makes the sound of an utterance without playing it; needs no session.
    ///
    /// - Parameters:
    ///   - utterance: its delays have no effect.
    ///   - bufferCallback: called on another thread, in order. The last buffer has no frames. Without an engine it is
    ///     the only buffer, and the standard error says why.
    open func write(_ utterance: AVSpeechUtterance, toBufferCallback bufferCallback: @escaping BufferCallback) {
        let settings = SpeechSettings(utterance)
        let (volume, passages) = (utterance.volume, SpeechText.passages(of: utterance.speechString))
        // Only the closure below calls it, one call after the other.
        nonisolated(unsafe) let call = bufferCallback
        DispatchQueue.global(qos: .userInitiated).async { [engine] in
            do throws(SpeechError) {
                for passage in passages {
                    let spoken = try engine.speak(passage, settings.withVoice(of: engine))
                    if let buffer = spoken.buffer(volume: volume), buffer.frameLength > 0 { call(buffer) }
                }
            } catch {
                SpeechQueue.say(error.message)
            }
            if let end = SpokenPassage(samples: [], wordFrames: []).buffer(volume: 1) { call(end) }
        }
    }

    /// Stops, and drops the queued utterances.
    ///
    /// The delegate's `didCancel` is called for the utterance that is being spoken, not for those that have not begun.
    ///
    /// - Returns: false if there is nothing to stop.
    @discardableResult
    open func stopSpeaking(at boundary: AVSpeechBoundary) -> Bool { queue.stop(atWord: boundary == .word) }

    /// Pauses until `continueSpeaking`.
    ///
    /// - Returns: false if nothing is spoken, or if it is already paused.
    @discardableResult
    open func pauseSpeaking(at boundary: AVSpeechBoundary) -> Bool { queue.pause(atWord: boundary == .word) }

    /// Continues after a pause.
    ///
    /// After an interruption this activates the session again.
    ///
    /// - Returns: false if it is not paused, or if the session cannot play, for example during a call. It stays paused
    ///   then.
    @discardableResult
    open func continueSpeaking() -> Bool { queue.resume() }

    /// Whether an utterance is not finished; also true while speech is paused.
    open var isSpeaking: Bool { queue.isSpeaking }
    /// Whether speech is paused by the app, an interruption or the loss of its device.
    open var isPaused: Bool { queue.isPaused }

    /// Has no effect: speech always plays with the session of the app.
    open var usesApplicationAudioSession: Bool {
        get { flags.withLock { $0.usesApplicationSession } }
        set { flags.withLock { $0.usesApplicationSession = newValue } }
    }

    /// Has no effect: there is no telephone.
    open var mixToTelephonyUplink: Bool {
        get { flags.withLock { $0.mixesToUplink } }
        set { flags.withLock { $0.mixesToUplink = newValue } }
    }

    /// Whether the app may use the user's own voice.
    ///
    /// Source: SDK header AVSpeechSynthesis.h.
    public enum PersonalVoiceAuthorizationStatus: UInt, Sendable {
        /// Never here.
        case notDetermined = 0
        /// Never here.
        case denied = 1
        /// There are no personal voices.
        case unsupported = 2
        /// Never here.
        case authorized = 3
    }

    /// Always `unsupported`.
    open class var personalVoiceAuthorizationStatus: PersonalVoiceAuthorizationStatus { .unsupported }

    /// Answers `unsupported` without asking the user.
    ///
    /// - Parameter handler: called once, on another thread.
    @preconcurrency
    open class func requestPersonalVoiceAuthorization(
        completionHandler handler: @escaping @Sendable (PersonalVoiceAuthorizationStatus) -> Void
    ) {
        DispatchQueue.global().async { handler(.unsupported) }
    }

    /// Answers `unsupported` without asking the user.
    open class func requestPersonalVoiceAuthorization() async -> PersonalVoiceAuthorizationStatus { .unsupported }

    @MainActor private func tell(_ notice: SpeechNotice, _ entry: SpeechQueue.Entry) {
        guard let delegate else { return }
        let utterance = entry.utterance
        switch notice {
        case .started: delegate.speechSynthesizer(self, didStart: utterance)
        case .finished: delegate.speechSynthesizer(self, didFinish: utterance)
        case .paused: delegate.speechSynthesizer(self, didPause: utterance)
        case .continued: delegate.speechSynthesizer(self, didContinue: utterance)
        case .cancelled: delegate.speechSynthesizer(self, didCancel: utterance)
        case .word(let passage, let word):
            let range = entry.passages[passage].words[word].range
            delegate.speechSynthesizer(self, willSpeakRangeOfSpeechString: range, utterance: utterance)
        }
    }
}

/// Learns what happens to utterances, on the main thread.
///
/// Every method is optional: this module has empty default implementations.
///
/// Source: SDK header AVSpeechSynthesis.h.
public protocol AVSpeechSynthesizerDelegate: NSObjectProtocol {
    /// The sound of the utterance begins, after its delay.
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didStart utterance: AVSpeechUtterance)
    /// The utterance was spoken to its end. The delay after it follows.
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didFinish utterance: AVSpeechUtterance)
    /// The app, an interruption or the loss of the device has paused it.
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didPause utterance: AVSpeechUtterance)
    /// It continues after `continueSpeaking`.
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didContinue utterance: AVSpeechUtterance)
    /// `stopSpeaking` has cancelled it, or it cannot be spoken.
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didCancel utterance: AVSpeechUtterance)
    /// A word begins.
    ///
    /// - Parameters:
    ///   - synthesizer: the synthesizer that speaks.
    ///   - characterRange: the word in `speechString`, in UTF-16 units, without the punctuation around it.
    ///   - utterance: the utterance that is spoken.
    func speechSynthesizer(
        _ synthesizer: AVSpeechSynthesizer, willSpeakRangeOfSpeechString characterRange: NSRange,
        utterance: AVSpeechUtterance)
}

extension AVSpeechSynthesizerDelegate {
    public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didStart utterance: AVSpeechUtterance) {}
    public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didFinish utterance: AVSpeechUtterance) {}
    public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didPause utterance: AVSpeechUtterance) {}
    public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didContinue utterance: AVSpeechUtterance) {}
    public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didCancel utterance: AVSpeechUtterance) {}
    public func speechSynthesizer(
        _ synthesizer: AVSpeechSynthesizer, willSpeakRangeOfSpeechString characterRange: NSRange,
        utterance: AVSpeechUtterance
    ) {}
}
