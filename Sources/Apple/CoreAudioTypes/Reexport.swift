// Apple declares the types of audio data here, and CoreAudio has them from it; in this package both have the same.
@_exported public import CoreAudio
