public import Foundation

// What apps of other kinds use of Apple's frameworks and Linux cannot have: as in Unavailable.swift, a use of it says why and what to do
// instead.

@available(*, unavailable, message: "there is no MIDI; use an ALSA or PipeWire MIDI library")
open class AVMusicEvent: NSObject {}

@available(*, unavailable, message: "there is no MIDI; use an ALSA or PipeWire MIDI library")
open class AVMIDINoteEvent: NSObject {}

@available(*, unavailable, message: "there is no MIDI; use an ALSA or PipeWire MIDI library")
open class AVMIDIControlChangeEvent: NSObject {}

@available(*, unavailable, message: "there is no MIDI; use an ALSA or PipeWire MIDI library")
open class AVMIDIProgramChangeEvent: NSObject {}

@available(*, unavailable, message: "there is no capture session; use AVAudioEngine's inputNode or AVAudioRecorder")
open class AVCaptureSession: NSObject {}

@available(*, unavailable, message: "there is no capture session; use AVAudioEngine's inputNode or AVAudioRecorder")
open class AVCaptureInput: NSObject {}

@available(*, unavailable, message: "there is no capture session; use AVAudioEngine's inputNode or AVAudioRecorder")
open class AVCaptureDeviceInput: NSObject {}

@available(*, unavailable, message: "there is no capture session; use AVAudioEngine's inputNode or AVAudioRecorder")
open class AVCaptureOutput: NSObject {}

@available(*, unavailable, message: "there is no capture session; use AVAudioEngine's inputNode or AVAudioRecorder")
open class AVCaptureAudioDataOutput: NSObject {}

@available(*, unavailable, message: "there is no capture session; use AVAudioEngine's inputNode or AVAudioRecorder")
open class AVCaptureAudioFileOutput: NSObject {}

@available(*, unavailable, message: "there is no capture session; use AVAudioEngine's inputNode or AVAudioRecorder")
open class AVCaptureMovieFileOutput: NSObject {}

@available(*, unavailable, message: "there is no capture session; use AVAudioEngine's inputNode or AVAudioRecorder")
open class AVCaptureConnection: NSObject {}

@available(*, unavailable, message: "there is no capture session; use AVAudioEngine's inputNode or AVAudioRecorder")
open class AVCaptureMetadataOutput: NSObject {}

@available(*, unavailable, message: "there is no capture session; use AVAudioEngine's inputNode or AVAudioRecorder")
open class AVCaptureVideoDataOutput: NSObject {}

@available(*, unavailable, message: "nothing is encoded from sample buffers; write with AVAudioFile")
open class AVAssetWriter: NSObject {}

@available(*, unavailable, message: "nothing is encoded from sample buffers; write with AVAudioFile")
open class AVAssetWriterInput: NSObject {}

@available(*, unavailable, message: "nothing is encoded from sample buffers; write with AVAudioFile")
open class AVAssetWriterInputGroup: NSObject {}

@available(*, unavailable, message: "there are no compositions; play items with AVQueuePlayer")
open class AVComposition: NSObject {}

@available(*, unavailable, message: "there are no compositions; play items with AVQueuePlayer")
open class AVMutableComposition: NSObject {}

@available(*, unavailable, message: "there are no compositions; play items with AVQueuePlayer")
open class AVCompositionTrack: NSObject {}

@available(*, unavailable, message: "there are no compositions; play items with AVQueuePlayer")
open class AVMutableCompositionTrack: NSObject {}

@available(*, unavailable, message: "there are no pictures; only sound is played")
open class AVPlayerLayer: NSObject {}

@available(*, unavailable, message: "there are no pictures; only sound is played")
open class AVAssetImageGenerator: NSObject {}

@available(*, unavailable, message: "there are no pictures; only sound is played")
open class AVPlayerItemVideoOutput: NSObject {}

@available(*, unavailable, message: "there are no pictures; only sound is played")
open class AVVideoComposition: NSObject {}

@available(*, unavailable, message: "there are no pictures; only sound is played")
open class AVMutableVideoComposition: NSObject {}

@available(*, unavailable, message: "the engines give no markers; use willSpeakRangeOfSpeechString")
open class AVSpeechSynthesisMarker: NSObject {}

@available(
    *, unavailable, message: "voices are those of the engines; install one that speech-dispatcher or libspiel knows"
)
open class AVSpeechSynthesisProviderVoice: NSObject {}

@available(
    *, unavailable, message: "voices are those of the engines; install one that speech-dispatcher or libspiel knows"
)
open class AVSpeechSynthesisProviderRequest: NSObject {}

@available(
    *, unavailable, message: "voices are those of the engines; install one that speech-dispatcher or libspiel knows"
)
open class AVSpeechSynthesisProviderAudioUnit: NSObject {}

@available(*, unavailable, message: "there is no DRM; play a file or an address without protection")
open class AVContentKeySession: NSObject {}

@available(*, unavailable, message: "there is no DRM; play a file or an address without protection")
open class AVContentKeyRequest: NSObject {}

@available(*, unavailable, message: "nothing is downloaded for later; use URLSession, and play the file")
open class AVAssetDownloadURLSession: NSObject {}

@available(*, unavailable, message: "nothing is downloaded for later; use URLSession, and play the file")
open class AVAssetDownloadTask: NSObject {}

@available(*, unavailable, message: "the encoders use a quality; use AVEncoderAudioQualityKey")
public var AVAudioBitRateStrategy_Constant: String { fatalError() }

@available(*, unavailable, message: "the encoders use a quality; use AVEncoderAudioQualityKey")
public var AVAudioBitRateStrategy_LongTermAverage: String { fatalError() }

@available(*, unavailable, message: "the encoders use a quality; use AVEncoderAudioQualityKey")
public var AVAudioBitRateStrategy_VariableConstrained: String { fatalError() }

@available(*, unavailable, message: "the encoders use a quality; use AVEncoderAudioQualityKey")
public var AVAudioBitRateStrategy_Variable: String { fatalError() }

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

@available(*, unavailable, message: "there are no ExtAudioFile functions; use AVAudioFile")
@discardableResult
public func ExtAudioFileOpenURL(_ arguments: Any...) -> OSStatus { fatalError() }

@available(*, unavailable, message: "there are no ExtAudioFile functions; use AVAudioFile")
@discardableResult
public func ExtAudioFileCreateWithURL(_ arguments: Any...) -> OSStatus { fatalError() }

@available(*, unavailable, message: "there are no ExtAudioFile functions; use AVAudioFile")
@discardableResult
public func ExtAudioFileRead(_ arguments: Any...) -> OSStatus { fatalError() }

@available(*, unavailable, message: "there are no ExtAudioFile functions; use AVAudioFile")
@discardableResult
public func ExtAudioFileWrite(_ arguments: Any...) -> OSStatus { fatalError() }

@available(*, unavailable, message: "there are no ExtAudioFile functions; use AVAudioFile")
@discardableResult
public func ExtAudioFileWriteAsync(_ arguments: Any...) -> OSStatus { fatalError() }

@available(*, unavailable, message: "there are no ExtAudioFile functions; use AVAudioFile")
@discardableResult
public func ExtAudioFileDispose(_ arguments: Any...) -> OSStatus { fatalError() }

@available(*, unavailable, message: "there are no ExtAudioFile functions; use AVAudioFile")
@discardableResult
public func ExtAudioFileSeek(_ arguments: Any...) -> OSStatus { fatalError() }

@available(*, unavailable, message: "there are no ExtAudioFile functions; use AVAudioFile")
@discardableResult
public func ExtAudioFileTell(_ arguments: Any...) -> OSStatus { fatalError() }

@available(*, unavailable, message: "there are no ExtAudioFile functions; use AVAudioFile")
@discardableResult
public func ExtAudioFileGetProperty(_ arguments: Any...) -> OSStatus { fatalError() }

@available(*, unavailable, message: "there are no ExtAudioFile functions; use AVAudioFile")
@discardableResult
public func ExtAudioFileSetProperty(_ arguments: Any...) -> OSStatus { fatalError() }

@available(*, unavailable, message: "there are no ExtAudioFile functions; use AVAudioFile")
@discardableResult
public func ExtAudioFileWrapAudioFileID(_ arguments: Any...) -> OSStatus { fatalError() }

@available(*, unavailable, message: "there are no ExtAudioFile functions; use AVAudioFile")
public typealias ExtAudioFileRef = OpaquePointer

@available(*, unavailable, message: "a timebase of an item cannot be set; use AVPlayer.rate and seek(to:)")
@discardableResult
public func CMTimebaseSetRate(_ timebase: CMTimebase, _ value: Any) -> OSStatus { fatalError() }

@available(*, unavailable, message: "a timebase of an item cannot be set; use AVPlayer.rate and seek(to:)")
@discardableResult
public func CMTimebaseSetTime(_ timebase: CMTimebase, _ value: Any) -> OSStatus { fatalError() }
