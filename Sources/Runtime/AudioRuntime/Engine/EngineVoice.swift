import AudioModel
import CRealtime
import EngineCore
import HostInterface
internal import SessionRuntime

/// Voice processing of an engine: what the app has set, and what its open streams go through.
///
/// Part of the engine's state, under its lock.
struct EngineVoice {
    /// Nil while it is off.
    var settings: VoiceSettings?
    /// What the streams that are open go through; it stays until they are closed.
    private(set) var stage: VoiceStage?
    var speechListener: SpeechListener?
    /// What the listener was told last: that a muted person speaks.
    private var toldSpeech = false

    mutating func setStage(_ stage: VoiceStage?) {
        self.stage = stage
        apply()
    }

    /// Gives the settings to the stage.
    func apply() {
        // Where the session asks for it and not the app, the echo goes and nothing else changes.
        let settings = settings ?? VoiceSettings(isGainControlled: false)
        stage?.feed.setBypassed(settings.isBypassed)
        stage?.feed.setMuted(settings.isInputMuted)
        stage?.feed.setGainControlled(settings.isGainControlled)
    }

    /// What the listener is to be told now; nil where nothing has changed.
    mutating func takeSpeechEvent() -> (listener: SpeechListener, isSpeaking: Bool)? {
        guard let stage, settings?.isInputMuted == true else {
            toldSpeech = false
            return nil
        }
        let isSpeaking = stage.feed.isSpeaking
        guard isSpeaking != toldSpeech else { return nil }
        toldSpeech = isSpeaking
        return speechListener.map { ($0, isSpeaking) }
    }
}

/// Told of the begin and the end of speech while the input is muted; called on the engine's thread for taps.
package typealias SpeechListener = @Sendable (_ isSpeaking: Bool) -> Void

/// What an app sets of voice processing.
package struct VoiceSettings: Sendable {
    package var isBypassed = false
    package var isInputMuted = false
    package var isGainControlled = true
}

/// The canceller and what runs it, for one rate of the input.
final class VoiceStage: Sendable {
    let feed: VoiceFeed
    private let canceller: any EchoCanceller

    /// - Parameters:
    ///   - sampleRate: hertz, of the input.
    ///   - referenceRate: hertz, of the output.
    init(sampleRate: Double, referenceRate: Double) throws(EngineError) {
        guard VoiceFeed.supports(sampleRate: sampleRate) else { throw .voiceProcessing(.sampleRate(sampleRate)) }
        do throws(HostError) {
            canceller = try EchoCancellation.canceller(sampleRate: sampleRate)
        } catch {
            throw .voiceProcessing(.unavailable(error.message))
        }
        feed = VoiceFeed(
            canceller: canceller.function, sampleRate: sampleRate, referenceRate: referenceRate,
            maximumFrames: EngineController.maximumFrames)
    }
}

/// Why voice is not processed.
package enum VoiceProcessingError: Error {
    /// It is switched while the engine is stopped only.
    case whileRunning
    case inManualRendering
    /// The input's, in hertz.
    case sampleRate(Double)
    /// The canceller cannot be loaded; the text says what to install.
    case unavailable(String)
}
