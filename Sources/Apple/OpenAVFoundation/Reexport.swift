@_exported public import CoreMedia
@_exported public import OpenAVFAudio
@_exported public import OpenSpeech
