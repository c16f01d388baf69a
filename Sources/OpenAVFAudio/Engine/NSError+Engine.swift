import EngineCore
import Foundation

extension NSError {
    /// As AVAudioEngine throws it: domain `com.apple.coreaudio.avfaudio`, an `OSStatus` of audio units as its code.
    convenience init(_ error: GraphError) {
        let error = NSError.audio(error.status, error.description)
        self.init(domain: error.domain, code: error.code, userInfo: error.userInfo)
    }
}

extension GraphError {
    var status: OSStatus {
        switch self {
        case .invalidFormat, .splitRates, .effectFormat: kAudioUnitErr_FormatNotSupported
        case .notConnected, .noOutput, .outputNotConnected, .sinkNotFedByInput: kAudioUnitErr_NoConnection
        case .noOutputBus, .noInputBus, .busOutOfRange, .repeatedDestination: kAudioUnitErr_InvalidElement
        case .invalidVolume, .invalidPan, .channelMapSize, .channelMapValue, .channelMapEmpty, .channelMapTooLong,
            .nothingToMap:
            kAudioUnitErr_InvalidPropertyValue
        case .effectBehindMixer, .effectBesideOthers, .effectOfInput: kAudioUnitErr_InvalidParameter
        case .notMappable: kAudioUnitErr_InvalidProperty
        case .notAttached, .secondOutput, .cycle, .alreadyTapped, .notTappable: kAudioUnitErr_InvalidParameter
        }
    }
}
