import AudioFiles
import Foundation

/// What makes sound of text: a program of the system, or the double of a test.
protocol SpeechEngine: Sendable {
    /// Waits for the program.
    func voices() throws(SpeechError) -> [SpeechVoice]
    /// Waits for the program.
    func speak(_ passage: SpeechText.Passage, _ settings: SpeechSettings) throws(SpeechError) -> SpokenPassage
}

/// The engine that synthesizers made in this task use.
enum InstalledEngine {
    @TaskLocal static var current: any SpeechEngine = SystemEngine()
}

struct SpeechVoice: Hashable, Sendable {
    var identifier: String
    /// BCP 47, as "en-US".
    var language: String
    var name: String
    var gender: Gender

    enum Gender: Sendable { case unspecified, male, female }

    /// A name or a tag of letters and digits of ASCII, and hyphens.
    static func isTag(_ name: some StringProtocol) -> Bool {
        name.utf8.count <= 64 && name.first?.isLetter == true
            && name.utf8.allSatisfy {
                $0 < 0x80
                    && ($0 == UInt8(ascii: "-") || Character(Unicode.Scalar($0)).isLetter
                        || Character(Unicode.Scalar($0)).isNumber)
            }
    }

    /// "en-us" as "en-US", and "de" as "de-DE": Apple's voices always name a region.
    static func language(of tag: String) -> String {
        let parts = tag.split(separator: "-")
        let language = parts.first?.lowercased() ?? ""
        if let region = parts.dropFirst().first(where: { $0.count == 2 }) {
            return "\(language)-\(region.uppercased())"
        }
        let likely = Locale.Language(identifier: tag).maximalIdentifier.split(separator: "-").last
        guard let likely, likely.count == 2, likely.allSatisfy(\.isUppercase) else { return language }
        return "\(language)-\(likely)"
    }
}

/// The engines of this system: the speech providers of the session bus, then `espeak-ng`.
struct SystemEngine: SpeechEngine {
    var spiel = SpielEngine.installed
    var espeak = EspeakEngine.installed

    func voices() throws(SpeechError) -> [SpeechVoice] {
        let provided = (try? spiel.voices()) ?? []
        // Without any voice, the package to install is what helps.
        return provided + (provided.isEmpty ? try espeak.voices() : (try? espeak.voices()) ?? [])
    }

    func speak(_ passage: SpeechText.Passage, _ settings: SpeechSettings) throws(SpeechError) -> SpokenPassage {
        let isProvided = settings.voice.map { !$0.identifier.hasPrefix(EspeakEngine.prefix) } ?? false
        return isProvided ? try spiel.speak(passage, settings) : try espeak.speak(passage, settings)
    }
}

/// How an utterance is to sound.
struct SpeechSettings: Hashable, Sendable {
    /// Nil is the default voice of the engine.
    var voice: SpeechVoice?
    /// 0...1; 0.5 is the usual one.
    var rate: Float = 0.5
    /// 0.5...2.
    var pitch: Float = 1
}

extension SpeechSettings {
    init(_ utterance: AVSpeechUtterance) {
        self.init(voice: utterance.voice?.voice, rate: utterance.rate, pitch: utterance.pitchMultiplier)
    }

    /// With the voice of the user's language, if it has none; asks the engine.
    func withVoice(of engine: any SpeechEngine) throws(SpeechError) -> SpeechSettings {
        var settings = self
        if voice == nil { settings.voice = AVSpeechSynthesisVoice.usual(among: try engine.voices()) }
        return settings
    }
}

/// The sound of a passage: one channel at `sampleRate`, nominal ±1.
struct SpokenPassage: Hashable, Sendable {
    static let sampleRate = 22_050

    var samples: [Float]
    /// The first frame of each word, ascending.
    var wordFrames: [Int]

    /// In bytes and in samples: ten minutes, for 500 characters.
    static let greatestAnswer = 600 * 2 * sampleRate

    /// - Parameters:
    ///   - bytes: a WAV file.
    ///   - maker: what has made it, for an error.
    static func samples(ofFile bytes: [UInt8], by maker: String) throws(SpeechError) -> [Float] {
        do throws(AudioFileError) {
            let reader = try AudioFileReader(
                contents: bytes, name: "the sound of \(maker)", outputSampleRate: Double(sampleRate))
            return try firstChannel(of: reader)
        } catch {
            throw SpeechError(message: error.message)
        }
    }

    private static func firstChannel(of reader: AudioFileReader) throws(AudioFileError) -> [Float] {
        let channels = reader.info.channels.count
        var (samples, block) = ([Float](), [Float](repeating: 0, count: 4096 * channels))
        while samples.count < greatestAnswer {
            let outcome = block.withUnsafeMutableBufferPointer { buffer in
                Result { () throws(AudioFileError) in try reader.read(into: buffer) }
            }
            let count = try outcome.get()
            if count == 0 { break }
            for frame in 0..<count { samples.append(block[frame * channels]) }
        }
        return samples
    }
}

/// Why there is no speech.
struct SpeechError: Error, Hashable, Sendable {
    /// What is wrong and what to do next.
    var message: String
}
