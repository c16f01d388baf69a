public import Foundation

// What apps of other kinds use of Apple's frameworks and Linux cannot have: as in Unavailable.swift, a use of it says why and what to do
// instead.

@available(*, unavailable, message: "MIDI is neither played nor routed; send events to an AVAudioUnitMIDIInstrument")
open class AVMusicEvent: NSObject {}

@available(*, unavailable, message: "MIDI is neither played nor routed; send events to an AVAudioUnitMIDIInstrument")
open class AVMIDINoteEvent: NSObject {}

@available(*, unavailable, message: "MIDI is neither played nor routed; send events to an AVAudioUnitMIDIInstrument")
open class AVMIDIControlChangeEvent: NSObject {}

@available(*, unavailable, message: "MIDI is neither played nor routed; send events to an AVAudioUnitMIDIInstrument")
open class AVMIDIProgramChangeEvent: NSObject {}

@available(*, unavailable, message: "no encoder has it; use AVEncoderAudioQualityKey, or AVEncoderBitRateKey for AAC")
public var AVAudioBitRateStrategy_Constant: String { fatalError() }

@available(*, unavailable, message: "no encoder has it; use AVEncoderAudioQualityKey, or AVEncoderBitRateKey for AAC")
public var AVAudioBitRateStrategy_LongTermAverage: String { fatalError() }

@available(*, unavailable, message: "no encoder has it; use AVEncoderAudioQualityKey, or AVEncoderBitRateKey for AAC")
public var AVAudioBitRateStrategy_VariableConstrained: String { fatalError() }

@available(*, unavailable, message: "no encoder has it; use AVEncoderAudioQualityKey, or AVEncoderBitRateKey for AAC")
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
