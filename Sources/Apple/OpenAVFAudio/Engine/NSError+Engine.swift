import AudioFiles
import AudioModel
import AudioRuntime
import EngineCore
import Foundation
internal import OpenAudioSession

extension NSError {
    /// As AVAudioEngine throws it: domain `com.apple.coreaudio.avfaudio`, an `OSStatus` of audio units as its code.
    static func audio(_ error: GraphError) -> NSError { audio(error.status, error.description) }

    static func audio(_ error: EngineError) -> NSError {
        switch error {
        case .graph(let error): audio(error)
        case .session(let error): NSError(error)
        case .mediaServicesLost:
            NSError(
                SessionError(
                    .mediaServicesFailed,
                    "Media services were lost while this engine was in use, and it cannot be used any more. Make a "
                        + "new engine when AVAudioSession.mediaServicesWereResetNotification has come."))
        case .voiceProcessing(let error): audio(error.status, error.text)
        case .inputWithoutBlock:
            audio(
                kAudioUnitErr_NoConnection,
                "The input node is connected and has nothing to give in manual rendering: call "
                    + "setManualRenderingInputPCMFormat(_:inputBlock:) on it before you start.")
        case .manualRenderingWhileRunning:
            audio(
                AVAudioEngineManualRenderingError.initialized.rawValue,
                "Manual rendering was asked for while the engine runs: stop it first.")
        case .manualRenderingFormat(let format):
            audio(
                kAudioUnitErr_FormatNotSupported,
                "Manual rendering cannot be in the format \(format): give linear PCM with at least one channel and "
                    + "a rate above 0 Hz, \(AudioFileReader.supportedSampleRates.upperBound) Hz at most.")
        case .manualRenderingFrames(let received, let allowed):
            audio(
                kAudioUnitErr_InvalidPropertyValue,
                "Manual rendering was asked for with at most \(received) frames at once: give "
                    + "\(allowed.lowerBound) to \(allowed.upperBound).")
        }
    }
}

extension VoiceProcessingError {
    fileprivate var status: OSStatus {
        switch self {
        case .whileRunning: kAudioUnitErr_InvalidPropertyValue
        case .inManualRendering: AVAudioEngineManualRenderingError.invalidMode.rawValue
        case .sampleRate: kAudioUnitErr_FormatNotSupported
        case .unavailable: kAudioUnitErr_InvalidProperty
        }
    }

    fileprivate var text: String {
        switch self {
        case .whileRunning: "Voice processing is switched while the engine is stopped: stop the engine first."
        case .inManualRendering:
            "Voice processing needs a device, and the engine renders by hand: call disableManualRenderingMode() first."
        case .sampleRate(let rate):
            "Voice is processed at 8000 to 192000 Hz in steps of 100, and the input has \(rate) Hz: choose another input."
        case .unavailable(let text): text
        }
    }
}

extension GraphError {
    var status: OSStatus {
        switch self {
        case .invalidFormat, .splitRates, .timeEffectFormat, .unitRefused: kAudioUnitErr_FormatNotSupported
        case .notConnected, .noOutput, .outputNotConnected, .sinkNotFedByInput: kAudioUnitErr_NoConnection
        case .noOutputBus, .noInputBus, .busOutOfRange, .repeatedDestination: kAudioUnitErr_InvalidElement
        case .invalidVolume, .invalidPan, .channelMapSize, .channelMapValue, .channelMapEmpty, .channelMapTooLong,
            .nothingToMap:
            kAudioUnitErr_InvalidPropertyValue
        case .timeEffectBesideOthers, .sinkBehindPlayedProcessor: kAudioUnitErr_InvalidParameter
        case .notMappable: kAudioUnitErr_InvalidProperty
        case .notAttached, .secondOutput, .cycle, .alreadyTapped, .notTappable: kAudioUnitErr_InvalidParameter
        }
    }
}
