// What Apple's AudioToolbox has of this library: audio units, their C functions, and CoreAudio.
@_exported public import CoreAudio

@_exported public import typealias OpenAVFAudio.AUAudioFrameCount
@_exported public import class OpenAVFAudio.AUAudioUnit
@_exported public import typealias OpenAVFAudio.AudioComponentInstance
@_exported public import struct OpenAVFAudio.AudioComponentInstantiationOptions
@_exported public import typealias OpenAVFAudio.AudioUnit
@_exported public import typealias OpenAVFAudio.AudioUnitElement
@_exported public import func OpenAVFAudio.AudioUnitGetProperty
@_exported public import typealias OpenAVFAudio.AudioUnitPropertyID
@_exported public import typealias OpenAVFAudio.AudioUnitScope
@_exported public import func OpenAVFAudio.AudioUnitSetProperty
@_exported public import var OpenAVFAudio.kAudioFileStreamError_DataUnavailable
@_exported public import var OpenAVFAudio.kAudioFileStreamError_DiscontinuityCantRecover
@_exported public import var OpenAVFAudio.kAudioFileStreamError_IllegalOperation
@_exported public import var OpenAVFAudio.kAudioFileStreamError_InvalidFile
@_exported public import var OpenAVFAudio.kAudioFileStreamError_InvalidPacketOffset
@_exported public import var OpenAVFAudio.kAudioFileStreamError_NotOptimized
@_exported public import var OpenAVFAudio.kAudioFileStreamError_UnspecifiedError
@_exported public import var OpenAVFAudio.kAudioFileStreamError_UnsupportedDataFormat
@_exported public import var OpenAVFAudio.kAudioFileStreamError_UnsupportedFileType
@_exported public import var OpenAVFAudio.kAudioOutputUnitProperty_ChannelMap
@_exported public import var OpenAVFAudio.kAudioUnitScope_Global
@_exported public import var OpenAVFAudio.kAudioUnitScope_Input
@_exported public import var OpenAVFAudio.kAudioUnitScope_Output
@_exported public import var OpenAVFAudio.kAudioUnitSubType_NewTimePitch
@_exported public import var OpenAVFAudio.kAudioUnitSubType_TimePitch
@_exported public import var OpenAVFAudio.kAudioUnitSubType_Varispeed
@_exported public import var OpenAVFAudio.kAudioUnitType_FormatConverter
