extension AudioFileType {
    /// For messages.
    package static let writtenExtensions =
        ".wav, .caf, .aiff, .au, .flac, .ogg, .opus, .mp3, .m4a or .aac"

    /// - Parameter ending: a path's extension, in any case.
    package static func container(ofExtension ending: String) -> Container? {
        switch ending.lowercased() {
        case "wav", "wave": .wav
        case "rf64": .rf64
        case "w64": .wave64
        case "aif", "aiff", "aifc": .aiff
        case "caf": .caf
        case "au", "snd": .au
        case "flac": .flac
        case "ogg", "oga", "opus": .ogg
        case "mp3": .mpeg
        case "m4a", "mp4": .mpeg4
        case "aac", "adts": .adts
        default: nil
        }
    }
}
