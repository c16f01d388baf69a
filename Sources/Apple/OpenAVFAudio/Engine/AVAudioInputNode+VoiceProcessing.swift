internal import AudioRuntime
public import Foundation

// Any thread. Source: SDK header AVAudioIONode.h.
extension AVAudioInputNode {
    /// Hands on what is captured as it is, as one voice; false at first, and while voice processing is off.
    ///
    /// The canceller goes on learning, so that switching back needs no time. A change is heard after at most 20 ms. While voice
    /// processing is off, a new value is not kept.
    public var isVoiceProcessingBypassed: Bool {
        get { core.place?.control.voiceSettings?.isBypassed ?? false }
        set { core.place?.control.changeVoiceSettings { $0.isBypassed = newValue } }
    }

    /// Brings speech to an even loudness: at most 12 dB up and 6 dB down, 2 dB a second; true at first, false while voice processing is
    /// off.
    ///
    /// While voice processing is off, a new value is not kept.
    public var isVoiceProcessingAGCEnabled: Bool {
        get { core.place?.control.voiceSettings?.isGainControlled ?? false }
        set { core.place?.control.changeVoiceSettings { $0.isGainControlled = newValue } }
    }

    /// Captures silence, with a slide of 10 ms, and goes on listening for speech; false at first, and while voice processing is off.
    ///
    /// While voice processing is off, a new value is not kept.
    public var isVoiceProcessingInputMuted: Bool {
        get { core.place?.control.voiceSettings?.isInputMuted ?? false }
        set { core.place?.control.changeVoiceSettings { $0.isInputMuted = newValue } }
    }

    /// Has a block called when a person begins to speak while `isVoiceProcessingInputMuted` is set, and when the person stops.
    ///
    /// `started` comes after 0.1 s of speech, `ended` after 0.5 s without, each once; muting and unmuting begin from silence. Called on
    /// a thread of the engine, one call after the other, never on the main thread; it may call the engine and its nodes.
    ///
    /// - Parameter listenerBlock: nil removes the one before.
    /// - Returns: false, without any change, while voice processing is off.
    @discardableResult
    public func setMutedSpeechActivityEventListener(
        _ listenerBlock: ((AVAudioVoiceProcessingSpeechActivityEvent) -> Void)?
    ) -> Bool {
        guard let control = core.place?.control, control.voiceSettings != nil else { return false }
        control.setSpeechListener(listenerBlock.map { AppBlock.speech($0) })
        return true
    }

    /// How far other sound is to be lowered: advanced ducking is off, with the default level, at first.
    ///
    /// The configuration is kept without effect: while an engine with voice processing runs, a session that mixes with others
    /// lowers them as `duckOthers` does, by an amount that each of them (to 20 %) or the guard chooses.
    public var voiceProcessingOtherAudioDuckingConfiguration: AVAudioVoiceProcessingOtherAudioDuckingConfiguration {
        get { duckingConfiguration.withLock { $0 } }
        set { duckingConfiguration.withLock { $0 = newValue } }
    }
}

/// A person who is muted begins to speak, or stops.
///
/// Source: SDK header AVAudioIONode.h (iOS 17).
@nonexhaustive public enum AVAudioVoiceProcessingSpeechActivityEvent: Int, Sendable {
    /// 0.1 s of speech.
    case started = 0
    /// 0.5 s without speech after that.
    case ended = 1
}

/// How far sound beside the voice is to be lowered; see `AVAudioInputNode.voiceProcessingOtherAudioDuckingConfiguration`.
///
/// Source: SDK header AVAudioIONode.h (iOS 17).
public struct AVAudioVoiceProcessingOtherAudioDuckingConfiguration: Sendable {
    /// Lowers more while somebody speaks.
    public var enableAdvancedDucking: ObjCBool
    /// How much.
    public var duckingLevel: Level

    /// Advanced ducking off, with the default level.
    public init() { self.init(enableAdvancedDucking: false, duckingLevel: .default) }

    /// How other sound is lowered.
    ///
    /// - Parameters:
    ///   - enableAdvancedDucking: lowers more while somebody speaks.
    ///   - duckingLevel: how much.
    public init(enableAdvancedDucking: ObjCBool, duckingLevel: Level) {
        self.enableAdvancedDucking = enableAdvancedDucking
        self.duckingLevel = duckingLevel
    }

    /// How much other sound is lowered.
    @nonexhaustive public enum Level: Int, Sendable {
        /// What suits most calls.
        case `default` = 0
        /// As little as possible.
        case min = 10
        /// Between the two.
        case mid = 20
        /// As much as possible.
        case max = 30
    }
}
