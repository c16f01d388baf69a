public import Foundation

// What Apple declares and Linux cannot have; a use of it says why (see Sources/Apple/OpenAVFAudio/Unavailable.swift).

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

@available(*, unavailable, message: "there is no DRM; play a file or an address without protection")
open class AVContentKeySession: NSObject {}

@available(*, unavailable, message: "there is no DRM; play a file or an address without protection")
open class AVContentKeyRequest: NSObject {}

@available(*, unavailable, message: "nothing is downloaded for later; use URLSession, and play the file")
open class AVAssetDownloadURLSession: NSObject {}

@available(*, unavailable, message: "nothing is downloaded for later; use URLSession, and play the file")
open class AVAssetDownloadTask: NSObject {}

@available(*, unavailable, message: "a timebase of an item cannot be set; use AVPlayer.rate and seek(to:)")
@discardableResult
public func CMTimebaseSetRate(_ timebase: CMTimebase, _ value: Any) -> OSStatus { fatalError() }

@available(*, unavailable, message: "a timebase of an item cannot be set; use AVPlayer.rate and seek(to:)")
@discardableResult
public func CMTimebaseSetTime(_ timebase: CMTimebase, _ value: Any) -> OSStatus { fatalError() }
