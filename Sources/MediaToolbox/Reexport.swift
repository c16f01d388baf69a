// What Apple's MediaToolbox has of this library: taps of the sound of tracks.
@_exported public import CoreMedia
@_exported public import Foundation

@_exported public import class OpenAVFAudio.CFAllocator
@_exported public import typealias OpenAVFAudio.CMItemCount
@_exported public import class OpenAVFAudio.MTAudioProcessingTap
@_exported public import struct OpenAVFAudio.MTAudioProcessingTapCallbacks
@_exported public import func OpenAVFAudio.MTAudioProcessingTapCreate
@_exported public import typealias OpenAVFAudio.MTAudioProcessingTapCreationFlags
@_exported public import typealias OpenAVFAudio.MTAudioProcessingTapFinalizeCallback
@_exported public import typealias OpenAVFAudio.MTAudioProcessingTapFlags
@_exported public import func OpenAVFAudio.MTAudioProcessingTapGetSourceAudio
@_exported public import func OpenAVFAudio.MTAudioProcessingTapGetStorage
@_exported public import typealias OpenAVFAudio.MTAudioProcessingTapInitCallback
@_exported public import typealias OpenAVFAudio.MTAudioProcessingTapPrepareCallback
@_exported public import typealias OpenAVFAudio.MTAudioProcessingTapProcessCallback
@_exported public import typealias OpenAVFAudio.MTAudioProcessingTapUnprepareCallback
@_exported public import var OpenAVFAudio.kCFAllocatorDefault
@_exported public import var OpenAVFAudio.kMTAudioProcessingTapCallbacksVersion_0
@_exported public import var OpenAVFAudio.kMTAudioProcessingTapCreationFlag_PostEffects
@_exported public import var OpenAVFAudio.kMTAudioProcessingTapCreationFlag_PreEffects
@_exported public import var OpenAVFAudio.kMTAudioProcessingTapFlag_EndOfStream
@_exported public import var OpenAVFAudio.kMTAudioProcessingTapFlag_StartOfStream
@_exported public import var OpenAVFAudio.kMTAudioProcessingTapInvalidArgumentErr
