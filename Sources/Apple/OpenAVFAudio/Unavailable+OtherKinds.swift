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

@available(*, unavailable, message: "the encoders use a quality; use AVEncoderAudioQualityKey")
public var AVAudioBitRateStrategy_Constant: String { fatalError() }

@available(*, unavailable, message: "the encoders use a quality; use AVEncoderAudioQualityKey")
public var AVAudioBitRateStrategy_LongTermAverage: String { fatalError() }

@available(*, unavailable, message: "the encoders use a quality; use AVEncoderAudioQualityKey")
public var AVAudioBitRateStrategy_VariableConstrained: String { fatalError() }

@available(*, unavailable, message: "the encoders use a quality; use AVEncoderAudioQualityKey")
public var AVAudioBitRateStrategy_Variable: String { fatalError() }

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
