import BusRig
import Foundation
import SessionCore
import TestAudio
import TestSupport
import Testing
import Threading

@testable import OpenAudioSession
@testable import OpenSpeech
@testable import SessionRuntime

/// Engines that do not answer.
@Suite struct SpeechWaitTests {
    /// An engine whose list of voices comes when a test opens the gate.
    private struct HeldEngine: SpeechEngine {
        let gate = Gate()

        func voices() throws(SpeechError) -> [SpeechVoice] {
            gate.hold()
            throw SpeechError(message: "the engine of this test has no voices")
        }

        func speak(_ passage: SpeechText.Passage, _ settings: SpeechSettings) throws(SpeechError) -> SpokenPassage {
            throw SpeechError(message: "the engine of this test does not speak")
        }
    }

    private final class Delegate: NSObject, AVSpeechSynthesizerDelegate, Sendable {
        let told = History<String>()
        func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didCancel utterance: AVSpeechUtterance) {
            told.append("cancelled")
        }
    }

    /// Where no server runs, as on PipeWire (`SpeechContractTests`): the simulated host moves time by itself.
    @Test func speak_whileItsEngineIsAsked_returns() async throws {
        let runtime = try CompositionRoot().connect(.simulated, SessionMachine(), [])
        defer { runtime.shutdown() }
        let session = AVAudioSession(runtime: runtime)
        let engine = HeldEngine()
        let (delegate, steps) = (Delegate(), History<String>())
        nonisolated(unsafe) let synthesizer = InstalledEngine.$current.withValue(engine) { AVSpeechSynthesizer() }
        synthesizer.delegate = delegate
        let caller = TestThread {
            AVAudioSession.$taskSession.withValue(session) { synthesizer.speak(AVSpeechUtterance(string: "hello")) }
            steps.append("speak returned")
        }
        engine.gate.waitUntilReached()
        let outcome = Result { try steps.wait(for: "the return of speak()") { !$0.isEmpty } }
        engine.gate.open()
        caller.join()
        _ = try outcome.get()
        try delegate.told.wait(for: "the end of the utterance") { $0 == ["cancelled"] }
    }

    /// Each provider answers when all have been asked.
    @Test func providers_areAskedSideBySide() async throws {
        let bus = try PrivateBus()
        let asked = History<String>()
        var providers: [SpeechProviderStandIn] = []
        for name in ["org.one.Speech.Provider", "org.two.Speech.Provider", "org.three.Speech.Provider"] {
            let voice = (
                name: name, id: "1", format: "audio/x-raw,format=S16LE,channels=1,rate=22050", language: "en-gb"
            )
            providers.append(
                try await SpeechProviderStandIn(
                    address: bus.address, name: name, voices: [voice],
                    beforeVoices: {
                        asked.append(name)
                        _ = try? asked.wait(for: "the question to all") { $0.count == 3 }
                    }))
        }
        #expect(try SpielEngine(address: bus.address).voices().count == 3)
        withExtendedLifetime(providers) {}
    }

    /// One that hangs is stopped, and not asked a second time.
    @Test func espeakThatHangs_isAskedOnceForItsVoices() throws {
        let directory = try TemporaryDirectory()
        let calls = directory.path("calls")
        let engine = EspeakEngine(program: try directory.script("espeak", "echo call >>'\(calls)'; exec sleep 600"))
        for _ in 0..<2 {
            let error = #expect(throws: SpeechError.self) { try engine.voices() }
            #expect(error?.message.contains("could not be run: it took longer than 5 s") == true)
        }
        #expect(try String(contentsOfFile: calls, encoding: .utf8) == "call\n")
        withExtendedLifetime(directory) {}
    }
}
