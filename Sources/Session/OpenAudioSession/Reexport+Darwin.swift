// On Apple's platforms this module is to be Apple's own AVFAudio under another name. The manifest does not yet leave
// the other sources out there (each system library would have to be conditional as well), so this line is all there is.
#if canImport(Darwin)
    @_exported public import AVFAudio
#endif
