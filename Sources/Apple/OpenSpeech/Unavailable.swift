public import Foundation

// Declarations of Apple's that Linux cannot have. The compiler's message says why
// (Sources/Apple/OpenAVFAudio/Unavailable.swift).

@available(*, unavailable, message: "the engines give no markers; use willSpeakRangeOfSpeechString")
open class AVSpeechSynthesisMarker: NSObject {}

@available(*, unavailable, message: "voices are those of the engines; install a Spiel provider or espeak-ng")
open class AVSpeechSynthesisProviderVoice: NSObject {}

@available(*, unavailable, message: "voices are those of the engines; install a Spiel provider or espeak-ng")
open class AVSpeechSynthesisProviderRequest: NSObject {}

@available(*, unavailable, message: "voices are those of the engines; install a Spiel provider or espeak-ng")
open class AVSpeechSynthesisProviderAudioUnit: NSObject {}

@available(*, unavailable, message: "the engines take text without markup; use AVSpeechUtterance(string:)")
extension AVSpeechUtterance {
    public convenience init?(ssmlRepresentation string: String) { fatalError() }
}

@available(*, unavailable, message: "the engines give no markers; use willSpeakRangeOfSpeechString")
extension AVSpeechSynthesizer {
    public func write(
        _ utterance: AVSpeechUtterance, toBufferCallback bufferCallback: @escaping (AVAudioBuffer) -> Void,
        toMarkerCallback markerCallback: @escaping ([Any]) -> Void
    ) { fatalError() }
}
