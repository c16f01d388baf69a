public import Foundation
import Synchronization

/// The slowest rate, 0.
public let AVSpeechUtteranceMinimumSpeechRate: Float = 0
/// The fastest rate, 1.
public let AVSpeechUtteranceMaximumSpeechRate: Float = 1
/// The usual rate, 0.5.
public let AVSpeechUtteranceDefaultSpeechRate: Float = 0.5

/// A text to speak, with its voice, rate, pitch, volume and delays.
///
/// A synthesizer reads the values when it receives the utterance; later changes have no effect. Any thread.
///
/// `@unchecked Sendable`: a lock guards all values that change.
///
/// Source: SDK header AVSpeechSynthesis.h.
open class AVSpeechUtterance: NSObject, NSCopying, @unchecked Sendable {
    /// Makes an utterance from a text.
    ///
    /// - Parameter string: a text without markup.
    public init(string: String) {
        attributedSpeechString = NSAttributedString(string: string)
        speechString = string
        super.init()
    }

    /// Makes an utterance from a text.
    ///
    /// The attributes have no effect.
    public init(attributedString string: NSAttributedString) {
        attributedSpeechString = string
        speechString = string.string
        super.init()
    }

    /// The text.
    public let speechString: String
    /// The text with its attributes, which have no effect.
    public let attributedSpeechString: NSAttributedString

    private let state = Mutex(State())

    private struct State {
        var voice: AVSpeechSynthesisVoice?
        var rate = AVSpeechUtteranceDefaultSpeechRate
        var pitch: Float = 1
        var volume: Float = 1
        var delays = (before: 0.0, after: 0.0)
        var prefersAssistiveTechnologySettings = false
    }

    /// The voice; nil, the default, is the voice of the user's language.
    open var voice: AVSpeechSynthesisVoice? {
        get { state.withLock { $0.voice } }
        set { state.withLock { $0.voice = newValue } }
    }

    /// From `AVSpeechUtteranceMinimumSpeechRate` to `AVSpeechUtteranceMaximumSpeechRate`.
    ///
    /// With espeak-ng, 0, 0.5 and 1 are 80, 175 and 450 words per minute.
    open var rate: Float {
        get { state.withLock { $0.rate } }
        set { state.withLock { $0.rate = Self.clamp(newValue, 0...1) } }
    }

    /// 0.5...2; 1, the default, is the voice's own pitch.
    open var pitchMultiplier: Float {
        get { state.withLock { $0.pitch } }
        set { state.withLock { $0.pitch = Self.clamp(newValue, 0.5...2) } }
    }

    /// 0...1, linear amplitude; 1 is the default.
    open var volume: Float {
        get { state.withLock { $0.volume } }
        set { state.withLock { $0.volume = Self.clamp(newValue, 0...1) } }
    }

    /// Seconds of silence before the utterance, at most an hour; 0 is the default.
    open var preUtteranceDelay: TimeInterval {
        get { state.withLock { $0.delays.before } }
        set { state.withLock { $0.delays.before = Self.clamp(newValue, 0...3600) } }
    }

    /// Seconds of silence after the utterance, before the next one, at most an hour; 0 is the default.
    open var postUtteranceDelay: TimeInterval {
        get { state.withLock { $0.delays.after } }
        set { state.withLock { $0.delays.after = Self.clamp(newValue, 0...3600) } }
    }

    /// Has no effect: no assistive technology sets how the engine speaks.
    ///
    /// False is the default.
    open var prefersAssistiveTechnologySettings: Bool {
        get { state.withLock { $0.prefersAssistiveTechnologySettings } }
        set { state.withLock { $0.prefersAssistiveTechnologySettings = newValue } }
    }

    /// Another utterance with the same values.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = AVSpeechUtterance(attributedString: attributedSpeechString)
        let values = state.withLock { $0 }
        copy.state.withLock { $0 = values }
        return copy
    }

    private static func clamp<Value: BinaryFloatingPoint>(_ value: Value, _ range: ClosedRange<Value>) -> Value {
        value.isNaN ? range.lowerBound : min(max(value, range.lowerBound), range.upperBound)
    }
}
