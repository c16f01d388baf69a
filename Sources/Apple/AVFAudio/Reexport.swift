@_exported public import Foundation
@_exported public import OpenAVFAudio
@_exported public import OpenSpeech
