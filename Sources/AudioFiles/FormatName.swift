import CSndfile

/// Names of file formats for people: "FLAC, 16 bit", "Ogg Opus".
enum FormatName {
    static func name(of format: Int) -> String {
        let container = format & Int(SF_FORMAT_TYPEMASK)
        let codec = format & Int(SF_FORMAT_SUBMASK)
        if let whole = wholes[codec] { return whole }
        let containerName = containers[container] ?? libraryName(container) ?? "Sound file"
        guard let codecName = codecs[codec] ?? libraryName(codec) else { return containerName }
        return "\(containerName), \(codecName)"
    }

    /// Codecs that people know by a name of their own.
    private static let wholes: [Int: String] = [
        Int(SF_FORMAT_VORBIS): "Ogg Vorbis",
        Int(SF_FORMAT_OPUS): "Ogg Opus",
        Int(SF_FORMAT_MPEG_LAYER_I): "MP1",
        Int(SF_FORMAT_MPEG_LAYER_II): "MP2",
        Int(SF_FORMAT_MPEG_LAYER_III): "MP3",
    ]

    private static let containers: [Int: String] = [
        Int(SF_FORMAT_WAV): "WAV",
        Int(SF_FORMAT_WAVEX): "WAV",
        Int(SF_FORMAT_RF64): "RF64",
        Int(SF_FORMAT_W64): "Wave64",
        Int(SF_FORMAT_AIFF): "AIFF",
        Int(SF_FORMAT_CAF): "CAF",
        Int(SF_FORMAT_AU): "AU",
        Int(SF_FORMAT_FLAC): "FLAC",
        Int(SF_FORMAT_OGG): "Ogg",
    ]

    private static let codecs: [Int: String] = [
        Int(SF_FORMAT_PCM_S8): "8 bit",
        Int(SF_FORMAT_PCM_U8): "8 bit",
        Int(SF_FORMAT_PCM_16): "16 bit",
        Int(SF_FORMAT_PCM_24): "24 bit",
        Int(SF_FORMAT_PCM_32): "32 bit",
        Int(SF_FORMAT_FLOAT): "32 bit float",
        Int(SF_FORMAT_DOUBLE): "64 bit float",
        Int(SF_FORMAT_ALAC_16): "Apple Lossless, 16 bit",
        Int(SF_FORMAT_ALAC_20): "Apple Lossless, 20 bit",
        Int(SF_FORMAT_ALAC_24): "Apple Lossless, 24 bit",
        Int(SF_FORMAT_ALAC_32): "Apple Lossless, 32 bit",
    ]

    private static func libraryName(_ part: Int) -> String? {
        var info = SF_FORMAT_INFO()
        info.format = Int32(truncatingIfNeeded: part)
        let size = Int32(MemoryLayout<SF_FORMAT_INFO>.size)
        guard sf_command(nil, Int32(SFC_GET_FORMAT_INFO), &info, size) == 0, let name = info.name else { return nil }
        return String(cString: name)
    }
}
