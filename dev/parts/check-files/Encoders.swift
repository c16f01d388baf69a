/// Programs that encode sound files, and the kinds of file that people get from them.
struct Encoder {
    /// For the table.
    var name: String
    var ending: String
    var program: String
    /// IN is the WAV file, OUT the encoded one.
    var arguments: [String]
    /// What the codec keeps of the sound.
    var loss = Loss.some
    /// The rate that the WAV file must have, in hertz.
    var sampleRate = 44_100

    enum Loss {
        case none, some
    }

    static let all = [
        ffmpeg("WAV, 16 bit", "wav", ["-c:a", "pcm_s16le"], .none),
        ffmpeg("WAV, 24 bit", "wav", ["-c:a", "pcm_s24le"], .none),
        ffmpeg("WAV, 32 bit float", "wav", ["-c:a", "pcm_f32le"], .none),
        ffmpeg("AIFF, 16 bit", "aiff", ["-c:a", "pcm_s16be"], .none),
        ffmpeg("CAF, 16 bit", "caf", ["-c:a", "pcm_s16le"], .none),
        Encoder(
            name: "FLAC", ending: "flac", program: "flac", arguments: ["--silent", "-o", "OUT", "IN"], loss: .none),
        ffmpeg("FLAC", "flac", ["-c:a", "flac"], .none),
        Encoder(
            name: "MP3, constant rate", ending: "mp3", program: "lame",
            arguments: ["--quiet", "-b", "192", "IN", "OUT"]),
        Encoder(
            name: "MP3, variable rate", ending: "mp3", program: "lame", arguments: ["--quiet", "-V", "2", "IN", "OUT"]),
        Encoder(
            name: "MP3 without a length (no Xing header)", ending: "mp3", program: "lame",
            arguments: ["--quiet", "-t", "-b", "192", "IN", "OUT"]),
        ffmpeg("MP3", "mp3", ["-c:a", "libmp3lame", "-b:a", "192k"]),
        Encoder(
            name: "Ogg Vorbis", ending: "ogg", program: "oggenc", arguments: ["--quiet", "-q", "6", "-o", "OUT", "IN"]),
        Encoder(
            name: "Ogg Opus", ending: "opus", program: "opusenc",
            arguments: ["--quiet", "--bitrate", "192", "IN", "OUT"],
            sampleRate: 48_000),
        ffmpeg("Ogg FLAC", "oga", ["-c:a", "flac"], .none),
        ffmpeg("AAC in M4A", "m4a", ["-c:a", "aac", "-b:a", "256k"]),
        ffmpeg("AAC in M4A, for streaming", "m4a", ["-c:a", "aac", "-b:a", "256k", "-movflags", "+faststart"]),
        ffmpeg(
            "AAC in M4A, in fragments", "m4a",
            ["-c:a", "aac", "-b:a", "256k", "-movflags", "+frag_keyframe+empty_moov"]),
        ffmpeg("AAC in ADTS", "aac", ["-c:a", "aac", "-b:a", "256k"]),
        ffmpeg("AAC in Matroska", "mka", ["-c:a", "aac", "-b:a", "256k"]),
        ffmpeg("Apple Lossless in M4A", "m4a", ["-c:a", "alac"], .none),
        ffmpeg("Apple Lossless in CAF", "caf", ["-c:a", "alac"], .none),
        ffmpeg("FLAC in M4A", "mp4", ["-c:a", "flac", "-strict", "-2"], .none),
        ffmpeg("FLAC in Matroska", "mka", ["-c:a", "flac"], .none),
        ffmpeg("Opus in WebM", "webm", ["-c:a", "libopus", "-b:a", "192k"], .some, 48_000),
        ffmpeg("Vorbis in WebM", "webm", ["-c:a", "libvorbis", "-q:a", "6"]),
        ffmpeg("Windows Media Audio", "wma", ["-c:a", "wmav2", "-b:a", "192k"]),
        Encoder(name: "WavPack", ending: "wv", program: "wavpack", arguments: ["-q", "IN", "-o", "OUT"], loss: .none),
        ffmpeg("True Audio", "tta", ["-c:a", "tta"], .none),
        ffmpeg("AC-3", "ac3", ["-c:a", "ac3", "-b:a", "256k"], .some, 48_000),
        ffmpeg("AU, 16 bit", "au", ["-c:a", "pcm_s16be"], .none),
        ffmpeg("Wave64", "w64", ["-c:a", "pcm_s16le"], .none),
    ]

    private static func ffmpeg(
        _ name: String, _ ending: String, _ arguments: [String], _ loss: Loss = .some, _ sampleRate: Int = 44_100
    ) -> Encoder {
        Encoder(
            name: name, ending: ending, program: "ffmpeg",
            arguments: ["-v", "error", "-nostdin", "-y", "-i", "IN"] + arguments + ["OUT"], loss: loss,
            sampleRate: sampleRate)
    }
}
