import Synchronization

/// What makes sound of text: a program of the system, or the double of a test.
protocol SpeechEngine: Sendable {
    /// Waits for the program.
    func voices() throws(SpeechError) -> [SpeechVoice]
    /// Waits for the program.
    func speak(_ passage: SpeechText.Passage, _ settings: SpeechSettings) throws(SpeechError) -> SpokenPassage
}

/// The engine that synthesizers made in this task use.
enum InstalledEngine {
    @TaskLocal static var current: any SpeechEngine = EspeakEngine.installed
}

struct SpeechVoice: Hashable, Sendable {
    var identifier: String
    /// BCP 47, as "en-US".
    var language: String
    var name: String
    var gender: Gender

    enum Gender: Sendable { case unspecified, male, female }
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
}

/// Why there is no speech.
struct SpeechError: Error, Hashable, Sendable {
    /// What is wrong and what to do next.
    var message: String
}
