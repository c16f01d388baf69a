import AudioFiles
import Foundation
import SpeechCore

/// Makes sound from text: a program of the system, or a test's replacement.
protocol SpeechEngine: Sendable {
    /// Waits for the program.
    func voices() throws(SpeechError) -> [SpeechVoice]
    /// Waits for the program.
    func speak(_ passage: SpeechText.Passage, _ settings: SpeechSettings) throws(SpeechError) -> SpokenPassage
}

/// The engine of the synthesizers that are made in this task.
enum InstalledEngine {
    @TaskLocal static var current: any SpeechEngine = SystemEngine()
}

struct SpeechVoice: Hashable, Sendable {
    var identifier: String
    /// BCP 47, as "en-US".
    var language: String
    var name: String
    var gender: AVSpeechSynthesisVoiceGender

    /// Returns true for ASCII letters, digits and hyphens after a first letter, at most 64 bytes.
    static func isTag(_ name: some StringProtocol) -> Bool {
        name.utf8.count <= 64 && name.first?.isLetter == true
            && name.utf8.allSatisfy {
                $0 < 0x80
                    && ($0 == UInt8(ascii: "-") || Character(Unicode.Scalar($0)).isLetter
                        || Character(Unicode.Scalar($0)).isNumber)
            }
    }

    /// Returns "en-US" for "en-us" and "de-DE" for "de", because Apple's voices always name a region.
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
        // If no provider has a voice, espeak-ng's error is thrown: it names the package to install.
        return provided + (provided.isEmpty ? try espeak.voices() : (try? espeak.voices()) ?? [])
    }

    func speak(_ passage: SpeechText.Passage, _ settings: SpeechSettings) throws(SpeechError) -> SpokenPassage {
        let isProvided = settings.voice.map { !$0.identifier.hasPrefix(EspeakEngine.prefix) } ?? false
        return isProvided ? try spiel.speak(passage, settings) : try espeak.speak(passage, settings)
    }
}

/// The voice, the rate and the pitch of an utterance.
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

    /// A copy that has a voice: the one of the user's language if none is set.
    ///
    /// Asks the engine.
    func withVoice(of engine: any SpeechEngine) throws(SpeechError) -> SpeechSettings {
        var settings = self
        if voice == nil { settings.voice = AVSpeechSynthesisVoice.usual(among: try engine.voices()) }
        return settings
    }
}

/// The sound of a passage: one channel at `sampleRate`, nominal ±1.
struct SpokenPassage: Hashable, Sendable {
    static let sampleRate = Int(SpeechMachine.sampleRate)

    var samples: [Float]
    /// The first frame of each word, ascending.
    var wordFrames: [Int]

    /// The longest answer for one passage, ten minutes for 500 characters: counted in bytes of a file and in samples.
    static let greatestAnswer = 600 * 2 * sampleRate

    /// - Parameters:
    ///   - bytes: a WAV file.
    ///   - maker: the program or provider that made it, for error messages.
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

/// The reason why there is no speech.
struct SpeechError: Error, Hashable, Sendable {
    /// What is wrong and what to do next.
    var message: String
}
