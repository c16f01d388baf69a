// What Apple's CoreAudio has of this library: the C types and constants of audio data.
@_exported public import CAudioTypes
@_exported public import Foundation

@_exported public import struct OpenAVFAudio.UnsafeMutableAudioBufferListPointer
@_exported public import typealias OpenAudioSession.AudioChannelLabel
@_exported public import func OpenAudioSession.memcpy
@_exported public import func OpenAudioSession.memset
