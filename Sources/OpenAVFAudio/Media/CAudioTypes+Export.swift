// Code that imports AVFAudio finds AudioBufferList and its neighbours there, as on Apple's platforms.
@_exported public import CAudioTypes
