@_exported public import OpenAudioSession
