import BusRig
import Testing

@testable import OpenSpeech

/// Speech providers on a private bus.
@Suite struct SpielEngineTests {
    private static let voices = [
        (name: "Ann", id: "ann#1", format: "audio/x-spiel,format=S16LE,channels=1,rate=16000", language: "en-gb"),
        (name: "Raw", id: "raw", format: "audio/x-raw,format=S16LE,channels=1,rate=22050", language: "de"),
        (name: "Bad", id: "bad", format: "nuthin", language: "en"),
        (name: "Worse", id: "worse", format: "audio/x-raw,format=S16LE,channels=1,rate=22050", language: "\u{1B}[2J"),
    ]

    private static func passage(_ text: String) throws -> SpeechText.Passage {
        try #require(SpeechText.passages(of: text).first)
    }

    @Test func voices_areThoseWhoseFormatIsKnown_andComeBeforeEspeak() async throws {
        let bus = try PrivateBus()
        let provider = try await SpeechProviderStandIn(address: bus.address, voices: Self.voices)
        let engine = SpielEngine(address: bus.address)
        let voices = try engine.voices()
        #expect(voices.map(\.name) == ["Ann", "Raw"] && voices.map(\.language) == ["en-GB", "de-DE"])
        #expect(voices.first?.identifier == "org.example.Speech.Provider/ann#1")
        InstalledEngine.$current.withValue(SystemEngine(spiel: engine)) {
            #expect(AVSpeechSynthesisVoice(language: "en-GB")?.name == "Ann")
            #expect(AVSpeechSynthesisVoice(language: "de")?.name == "Raw")
            #expect(AVSpeechSynthesisVoice(identifier: "org.example.Speech.Provider/raw")?.language == "de-DE")
        }
        withExtendedLifetime(provider) {}
    }

    @Test func words_areWhereTheProviderSays_andTheSecondInBetween() async throws {
        let bus = try PrivateBus()
        let provider = try await SpeechProviderStandIn(address: bus.address, voices: Self.voices)
        let engine = SystemEngine(spiel: SpielEngine(address: bus.address))
        let voice = try #require(try engine.voices().first)
        let spoken = try engine.speak(
            Self.passage("Grüße an alle hier."), SpeechSettings(voice: voice, rate: 1, pitch: 1.5))
        #expect(spoken.wordFrames == [0, 2205, 4410, 6615])
        #expect(abs(spoken.samples.count - 8820) < 10)
        let levels = SpeechProviderStandIn.levels.map { Float($0) / 32_768 }
        for (word, frame) in spoken.wordFrames.enumerated() {
            #expect(abs(spoken.samples[frame + 1100] - levels[word]) < 0.01)
        }
        let rate = Double(EspeakEngine.wordsPerMinute(1)) / Double(EspeakEngine.wordsPerMinute(0.5))
        #expect(provider.log.entries == ["Grüße an alle hier. | ann#1 | 1.5 | \(rate) | en-gb"])
    }

    @Test func rawVoice_hasItsWordsSpreadEvenly() async throws {
        let bus = try PrivateBus()
        let provider = try await SpeechProviderStandIn(address: bus.address, voices: Self.voices)
        let engine = SpielEngine(address: bus.address)
        let voice = try engine.voices()[1]
        let spoken = try engine.speak(Self.passage("eins zwei"), SpeechSettings(voice: voice))
        #expect(spoken.samples.count == 3200 && spoken.wordFrames == [0, 1600])
        withExtendedLifetime(provider) {}
    }

    @Test func providerThatSendsSomethingElse_orNothing_isAnError() async throws {
        for (answer, message) in [
            (Array("junk".utf8), "has sent no sound"), ([], "does not speak: it has sent nothing"),
        ] {
            let bus = try PrivateBus()
            let provider = try await SpeechProviderStandIn(address: bus.address, voices: Self.voices, answer: answer)
            let engine = SpielEngine(address: bus.address)
            let voice = try #require(try engine.voices().first)
            let error = #expect(throws: SpeechError.self) {
                try engine.speak(Self.passage("hello"), SpeechSettings(voice: voice))
            }
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
            withExtendedLifetime(provider) {}
        }
    }

    @Test func withoutABus_espeakSpeaks() throws {
        let engine = SystemEngine(spiel: SpielEngine(address: "unix:path=/nonexistent"))
        #expect(try engine.voices() == EspeakEngine.installed.voices())
        #expect(throws: SpeechError.self) { try engine.spiel.voices() }
    }

    /// The provider left between the choice and the speech.
    @Test func providerThatHasLeft_isAnErrorThatNamesTheVoice() async throws {
        let bus = try PrivateBus()
        var provider: SpeechProviderStandIn? = try await SpeechProviderStandIn(
            address: bus.address, voices: Self.voices)
        let engine = SpielEngine(address: bus.address)
        let voice = try #require(try engine.voices().first)
        provider?.leave()
        provider = nil
        let error = #expect(throws: SpeechError.self) {
            try engine.speak(Self.passage("hello"), SpeechSettings(voice: voice))
        }
        #expect(error?.message.hasPrefix("The voice Ann is not there any more") == true, "\(error?.message ?? "")")
    }

    @Test func busThatEnds_isAnErrorOfEachCall() async throws {
        let bus = try PrivateBus()
        let provider = try await SpeechProviderStandIn(address: bus.address, voices: Self.voices)
        let engine = SpielEngine(address: bus.address)
        #expect(try engine.voices().count == 2)
        bus.stop()
        for _ in 0..<3 { #expect(throws: SpeechError.self) { try engine.voices() } }
        withExtendedLifetime(provider) {}
    }
}
