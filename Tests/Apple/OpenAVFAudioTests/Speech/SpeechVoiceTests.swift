import Foundation
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenSpeech

/// Voices, values and buffers, with the program `espeak-ng` and without.
@Suite struct SpeechVoiceTests {
    private static let list = """
        Pty Language       Age/Gender VoiceName          File                 Other Languages
         5  de              --/M      German             gmw/de
         2  en-gb           --/M      English_(Great_Britain) gmw/en               (en 2)
         5  en-gb-scotland  --/F      English_(Scotland) gmw/en-GB-scotland   (en 4)
         2  en-us           --/M      English_(America)  gmw/en-US            (en 3)
         5  eo              --/-      Esperanto          art/eo
         5  -v;rm           --/M      Bad\u{1B}[2J       x
         5  short
        """

    @Test func voices_areThoseOfTheProgramsList() {
        let voices = EspeakEngine.voices(inList: Self.list)
        #expect(voices.map(\.language) == ["de-DE", "en-GB", "en-GB", "en-US", "eo"])
        #expect(voices[2].name == "English (Scotland)" && voices[2].identifier == "espeak-ng.en-gb-scotland")
        #expect(voices.map(\.gender) == [.male, .male, .female, .male, .unspecified])
        func find(_ code: String) -> String? { AVSpeechSynthesisVoice.voice(for: code, among: voices)?.identifier }
        #expect(find("en-GB") == "espeak-ng.en-gb" && find("en_us") == "espeak-ng.en-us")
        #expect(find("en") == "espeak-ng.en-us" && find("en-AU") == "espeak-ng.en-us")
        #expect(find("de-AT") == "espeak-ng.de" && find("eo") == "espeak-ng.eo")
        #expect(find("xx") == nil && find("") == nil)
    }

    @Test func damagedLists_giveVoicesThatCanBeArguments() {
        var random = Seeded(seed: 24)
        for _ in 0..<2_000 {
            var bytes = Array(Self.list.utf8)
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            for voice in EspeakEngine.voices(inList: String(decoding: bytes, as: UTF8.self)) {
                let name = voice.identifier.dropFirst("espeak-ng.".count)
                #expect(name.first?.isLetter == true && name.utf8.allSatisfy { $0 < 0x80 && $0 > 0x20 })
                #expect(voice.name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
            }
        }
    }

    @Test func installedVoices_areFoundByLanguageAndIdentifier() throws {
        let voices = AVSpeechSynthesisVoice.speechVoices()
        let german = try #require(AVSpeechSynthesisVoice(language: "de-DE"))
        #expect(voices.contains(german) && german.language == "de-DE" && german.name == "German")
        #expect(german.quality == .default && german.quality.rawValue == 1 && german.gender == .male)
        #expect(AVSpeechSynthesisVoice(identifier: german.identifier) == german)
        #expect(Set(voices).count == voices.count && german.hash == AVSpeechSynthesisVoice(language: "de")?.hash)
        #expect(AVSpeechSynthesisVoice(identifier: "none") == nil && AVSpeechSynthesisVoice(language: "xx-XX") == nil)
        #expect(AVSpeechSynthesisVoice(language: nil) != nil)
        #expect(AVSpeechSynthesisVoice.currentLanguageCode().contains("-"))
        InstalledEngine.$current.withValue(EspeakEngine(program: "no-such-engine")) {
            #expect(AVSpeechSynthesisVoice.speechVoices().isEmpty && AVSpeechSynthesisVoice(language: "de-DE") == nil)
        }
    }

    @Test func missingEngine_isNamedWithItsPackage() {
        let error = #expect(throws: SpeechError.self) { try EspeakEngine(program: "no-such-engine").voices() }
        #expect(error?.message.contains("install espeak-ng") == true || error?.message.contains("-S espeak-ng") == true)
    }

    /// A program that answers with something else, with too much, or not at all.
    @Test func otherPrograms_areErrors() throws {
        let passage = SpeechText.Passage(words: [.init(range: NSRange(location: 0, length: 1), text: "a")])
        let directory = try TemporaryDirectory()
        for script in ["cat", "exit 3", "echo RIFF", "head -c 100000 /dev/urandom", "yes"] {
            let path = try directory.script("engine", script)
            #expect(throws: SpeechError.self, "\(script)") {
                try EspeakEngine(program: path).speak(passage, SpeechSettings())
            }
        }
        #expect(throws: EngineProcess.EngineFailure.self) {
            try EngineProcess.run(["sleep", "60"], byteLimit: 1, timeoutSeconds: 1)
        }
    }

    @Test func utterance_pinsItsValues() throws {
        let utterance = AVSpeechUtterance(string: "text")
        #expect(utterance.rate == AVSpeechUtteranceDefaultSpeechRate && utterance.volume == 1)
        #expect(utterance.pitchMultiplier == 1)
        (utterance.rate, utterance.pitchMultiplier, utterance.volume) = (3, 0.1, -.infinity)
        (utterance.preUtteranceDelay, utterance.postUtteranceDelay) = (-1, 5)
        #expect(utterance.rate == AVSpeechUtteranceMaximumSpeechRate && utterance.pitchMultiplier == 0.5)
        utterance.rate = .nan
        #expect(utterance.rate == AVSpeechUtteranceMinimumSpeechRate && utterance.volume == 0)
        #expect(utterance.preUtteranceDelay == 0 && utterance.postUtteranceDelay == 5)
        utterance.voice = AVSpeechSynthesisVoice(language: "fr-FR")
        #expect(!utterance.prefersAssistiveTechnologySettings)
        utterance.prefersAssistiveTechnologySettings = true
        let copy = try #require(utterance.copy() as? AVSpeechUtterance)
        #expect(copy.voice?.language == "fr-FR" && copy.postUtteranceDelay == 5 && copy.speechString == "text")
        #expect(copy.prefersAssistiveTechnologySettings)
        let attributed = AVSpeechUtterance(attributedString: NSAttributedString(string: "words"))
        #expect(attributed.speechString == "words" && attributed.attributedSpeechString.length == 5)
        let speeds = [Float(0), 0.25, 0.5, 0.75, 1].map(EspeakEngine.wordsPerMinute)
        #expect(speeds == [80, 128, 175, 313, 450])
        let pitches = [Float(0.5), 1, 2].map(EspeakEngine.pitch)
        #expect(pitches == [0, 50, 99])
    }

    @Test func synthesizer_hasApplesDefaults_andInertFlags() {
        let synthesizer = AVSpeechSynthesizer()
        #expect(synthesizer.usesApplicationAudioSession && !synthesizer.mixToTelephonyUplink)
        (synthesizer.usesApplicationAudioSession, synthesizer.mixToTelephonyUplink) = (false, true)
        #expect(!synthesizer.usesApplicationAudioSession && synthesizer.mixToTelephonyUplink)
        #expect(synthesizer.delegate == nil && !synthesizer.isSpeaking && !synthesizer.isPaused)
        #expect(AVSpeechBoundary.immediate.rawValue == 0 && AVSpeechBoundary.word.rawValue == 1)
        #expect(AVSpeechSynthesisVoiceGender.female.rawValue == 2)
        #expect(AVSpeechSynthesisVoiceQuality.enhanced.rawValue == 2)
        #expect(AVSpeechSynthesisVoiceQuality.premium.rawValue == 3)
        #expect(AVSpeechSynthesisVoiceGender.unspecified.rawValue == 0)
        #expect(AVSpeechSynthesisVoiceGender.male.rawValue == 1)
    }

    @Test func personalVoices_areUnsupported_andNoVoiceIsSpecial() async throws {
        let voice = try #require(AVSpeechSynthesisVoice(language: "en-US"))
        #expect(voice.voiceTraits.isEmpty)
        #expect(AVSpeechSynthesisVoice.Traits.isNoveltyVoice.rawValue == 1)
        #expect(AVSpeechSynthesisVoice.Traits.isPersonalVoice.rawValue == 2)
        #expect(AVSpeechSynthesizer.personalVoiceAuthorizationStatus == .unsupported)
        #expect(await AVSpeechSynthesizer.requestPersonalVoiceAuthorization() == .unsupported)
        let answer = await withCheckedContinuation { continuation in
            AVSpeechSynthesizer.requestPersonalVoiceAuthorization { continuation.resume(returning: $0) }
        }
        #expect(answer == .unsupported)
        let status: [AVSpeechSynthesizer.PersonalVoiceAuthorizationStatus] = [
            .notDetermined, .denied, .unsupported, .authorized,
        ]
        #expect(status.map(\.rawValue) == [0, 1, 2, 3])
    }

    /// Into a file, as apps do it.
    @Test func write_givesTheSound_andAnEmptyBufferAtItsEnd() throws {
        let directory = try TemporaryDirectory()
        let url = URL(filePath: directory.path("speech.wav"))
        let voice = try #require(AVSpeechSynthesisVoice(language: "en-US"))
        func seconds(_ rate: Float, volume: Float = 1) throws -> (Double, peak: Float) {
            let text = "The quick brown fox jumps over the lazy dog. Yes; 25 [[times]] or more."
            let utterance = AVSpeechUtterance(string: text)
            (utterance.voice, utterance.rate, utterance.volume) = (voice, rate, volume)
            let file = try AVAudioFile(forWriting: url, settings: voice.audioFileSettings)
            let lengths = History<AVAudioFrameCount>()
            let peaks = History<Float>()
            let take: AVSpeechSynthesizer.BufferCallback = { buffer in
                guard let buffer = buffer as? AVAudioPCMBuffer else { return }
                if buffer.frameLength > 0 {
                    try? file.write(from: buffer)
                    let first = buffer.floatChannelData?[0]
                    let samples = UnsafeBufferPointer(start: first, count: Int(buffer.frameLength))
                    peaks.append(samples.reduce(0) { max($0, $1.magnitude) })
                }
                lengths.append(buffer.frameLength)
            }
            AVSpeechSynthesizer().write(utterance, toBufferCallback: take)
            try lengths.wait(for: "the last buffer") { $0.last == 0 }
            #expect(file.length == lengths.entries.reduce(0) { $0 + Int64($1) })
            return (Double(file.length) / 22_050, peaks.entries.max() ?? 0)
        }
        let usual = try seconds(0.5)
        let fast = try seconds(0.75)
        #expect((2...8).contains(usual.0) && fast.0 < usual.0 * 0.7)
        let quiet = try seconds(0.5, volume: 0.25)
        #expect(quiet.0 == usual.0 && abs(quiet.peak / usual.peak - 0.25) < 0.001)
    }
}
