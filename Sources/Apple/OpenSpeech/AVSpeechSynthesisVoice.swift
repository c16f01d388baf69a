public import Foundation
internal import OpenAVFAudio

/// The identifier of one of Apple's voices, which no engine has: `AVSpeechSynthesisVoice(identifier:)` is nil for it.
public let AVSpeechSynthesisVoiceIdentifierAlex = "com.apple.speech.voice.Alex"

/// An attribute of `AVSpeechUtterance(attributedString:)` for the pronunciation of a word.
///
/// No attribute has an effect.
public let AVSpeechSynthesisIPANotationAttribute = "AVSpeechSynthesisIPANotationAttribute"

/// How good a voice sounds.
///
/// Source: SDK header AVSpeechSynthesis.h.
public enum AVSpeechSynthesisVoiceQuality: Int, Sendable {
    /// Every voice has it.
    case `default` = 1
    /// No voice has it.
    case enhanced = 2
    /// No voice has it.
    case premium = 3
}

/// The gender of a voice.
///
/// Source: SDK header AVSpeechSynthesis.h.
public enum AVSpeechSynthesisVoiceGender: Int, Sendable {
    /// The engine does not say.
    case unspecified = 0
    /// A man's voice.
    case male = 1
    /// A woman's voice.
    case female = 2
}

/// A voice that is installed.
///
/// Any thread. The first use asks the engines and waits for them, about 10 ms and at most 10 s: 5 s for all speech
/// providers of the session bus together, and 5 s for `espeak-ng`.
///
/// Source: SDK header AVSpeechSynthesis.h.
open class AVSpeechSynthesisVoice: NSObject, @unchecked Sendable {
    let voice: SpeechVoice

    init(_ voice: SpeechVoice) { self.voice = voice }

    /// The voices of the engines; empty if no engine is installed.
    open class func speechVoices() -> [AVSpeechSynthesisVoice] {
        ((try? InstalledEngine.current.voices()) ?? []).map(AVSpeechSynthesisVoice.init)
    }

    /// The user's language and region, for example "en-US".
    open class func currentLanguageCode() -> String {
        let language = Locale.current.language
        guard let code = language.languageCode?.identifier, let region = language.region?.identifier, region.count == 2
        else { return "en-US" }
        return "\(code)-\(region)"
    }

    /// A voice for a language; nil if there is none.
    ///
    /// If no voice has this region, it is the voice of the language's usual region, else another voice of the language.
    ///
    /// - Parameter languageCode: BCP 47, for example "de-AT" or "de"; nil for the user's language, or English if no
    ///   voice speaks it.
    public init?(language languageCode: String?) {
        guard let voices = try? InstalledEngine.current.voices() else { return nil }
        let found = languageCode.map { Self.voice(for: $0, among: voices) } ?? Self.usual(among: voices)
        guard let found else { return nil }
        voice = found
    }

    /// The voice with an identifier of `speechVoices()`; nil if there is none.
    public init?(identifier: String) {
        let voices = try? InstalledEngine.current.voices()
        guard let found = voices?.first(where: { $0.identifier == identifier }) else { return nil }
        voice = found
    }

    /// The language in BCP 47, for example "en-US".
    open var language: String { voice.language }
    /// The identifier of the voice for `init(identifier:)`.
    open var identifier: String { voice.identifier }
    /// The name of the voice to show to the user.
    open var name: String { voice.name }
    /// Always `default`.
    open var quality: AVSpeechSynthesisVoiceQuality { .default }
    /// The gender that the engine reports.
    open var gender: AVSpeechSynthesisVoiceGender { voice.gender }
    /// Always empty: the engines have neither kind of voice.
    open var voiceTraits: Traits { [] }

    /// Special kinds of voices.
    ///
    /// Source: SDK header AVSpeechSynthesis.h.
    public struct Traits: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// A voice for fun; no voice has it.
        public static let isNoveltyVoice = Traits(rawValue: 1)
        /// The user's own voice; no voice has it.
        public static let isPersonalVoice = Traits(rawValue: 2)
    }

    /// The settings of an `AVAudioFile` for the buffers of `AVSpeechSynthesizer.write`.
    open var audioFileSettings: [String: Any] { SpokenPassage.format.settings }

    open override func isEqual(_ object: Any?) -> Bool { (object as? AVSpeechSynthesisVoice)?.voice == voice }
    open override var hash: Int { voice.hashValue }

    /// The voice of the user's language, or else an English one.
    static func usual(among voices: [SpeechVoice]) -> SpeechVoice? {
        voice(for: currentLanguageCode(), among: voices) ?? voice(for: "en-US", among: voices)
    }

    static func voice(for code: String, among voices: [SpeechVoice]) -> SpeechVoice? {
        let code = code.replacing("_", with: "-").lowercased()
        let language = code.prefix { $0 != "-" }
        let usual = Locale.Language(identifier: String(language)).maximalIdentifier.split(separator: "-").last
        func rank(_ voice: SpeechVoice) -> Int? {
            let own = voice.language.lowercased()
            if own == code { return 0 }
            guard own.prefix(while: { $0 != "-" }) == language else { return nil }
            return own == "\(language)-\(usual?.lowercased() ?? "")" ? 1 : 2
        }
        // Among the voices of a region, a provider's voice comes before espeak-ng's, then the one with the shortest
        // identifier.
        func order(_ found: (voice: SpeechVoice, rank: Int)) -> (Int, Int, Int) {
            let name = found.voice.identifier
            return (found.rank, name.hasPrefix(EspeakEngine.prefix) ? 1 : 0, name.count)
        }
        return voices.compactMap { voice in rank(voice).map { (voice, $0) } }.min { order($0) < order($1) }?.0
    }
}

extension SpokenPassage {
    static var format: AVAudioFormat {
        // One channel of floats at a usual rate is always a valid format.
        AVAudioFormat(standardFormatWithSampleRate: Double(sampleRate), channels: 1) ?? .noDevice
    }

    /// A copy of the samples as a buffer.
    func buffer(volume: Float) -> AVAudioPCMBuffer? {
        let count = AVAudioFrameCount(samples.count)
        guard let buffer = AVAudioPCMBuffer(pcmFormat: Self.format, frameCapacity: max(1, count)) else { return nil }
        buffer.frameLength = count
        for (frame, sample) in samples.enumerated() { buffer.floatChannelData?[0][frame] = sample * volume }
        return buffer
    }
}
