import AudioModel
import BusRig
import Foundation
import SessionCore
import TestSupport
import Testing

@testable import OpenAudioSession
@testable import OpenSpeech
@testable import SessionRuntime

// Helpers: SpeechDouble.swift

/// Speech, on the simulated host and on a private PipeWire.
@Suite("Speech contract", .serialized)
struct SpeechContractTests {
    private func until(_ entry: String, _ speaker: Speaker, in world: any World) async throws {
        try await world.until("\(entry); told: \(speaker.told.entries)") { speaker.told.entries.contains(entry) }
    }

    @Test(arguments: WorldKind.allCases)
    func speak_soundsInOrder_andTheDelegateHearsOfEachWord(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker], category: .playback) { world in
            let engine = SpeechDouble()
            let speaker = Speaker(world.session, engine: engine)
            speaker.speak("Turn left, now!") { ($0.rate, $0.pitchMultiplier, $0.volume) = (0.6, 1.5, 0.5) }
            speaker.speak("Then stop.") { ($0.preUtteranceDelay, $0.postUtteranceDelay) = (0.2, 0.1) }
            speaker.speak("")
            #expect(speaker.synthesizer.isSpeaking && !speaker.synthesizer.isPaused)
            try await world.untilHeard(on: .speaker)
            #expect(abs(try await world.level(on: .speaker) - 0.25) < 0.01)
            try await until("finish ", speaker, in: world)
            #expect(
                speaker.told.entries == [
                    "start Turn left, now!", "Turn", "left", "now", "finish Turn left, now!", "start Then stop.",
                    "Then",
                    "stop", "finish Then stop.", "start ", "finish ",
                ])
            #expect(!speaker.synthesizer.isSpeaking)
            #expect(engine.asked.entries.map(\.0.words.count) == [3, 2])
            let voice = try #require(try engine.voices().first)
            #expect(engine.asked.entries.map(\.1).first == SpeechSettings(voice: voice, rate: 0.6, pitch: 1.5))
        }
    }

    /// On the simulated host, `SpeechWaitTests`.
    @Test func speak_whileItsEngineIsAsked_returns() async throws {
        try await withWorld(.pipeWire, plugged: [.speaker], category: .playback) { world in
            let gate = Gate()
            let speaker = Speaker(world.session, engine: SpeechDouble { _ in gate.hold() })
            // The gate opens only behind this call.
            speaker.speak("late")
            gate.waitUntilReached()
            gate.open()
            try await until("finish late", speaker, in: world)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func speech_whileItsOutputLeaves_pauses_andNothingReachesTheSpeaker(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones], category: .playback) { world in
            let speaker = Speaker(world.session)
            let text = Array(repeating: "word", count: 100).joined(separator: " ")
            speaker.speak(text)
            speaker.speak("later")
            try await world.untilHeard(on: .headphones)
            try await world.mark()
            try await world.unplug(.headphones)
            try await world.waitForRoute(.speaker)
            try await until("pause \(text)", speaker, in: world)
            #expect(speaker.synthesizer.isPaused && speaker.synthesizer.isSpeaking)
            try await world.run(seconds: 0.5)
            try await world.settle()
            #expect(try await world.loudFrames(on: .speaker) == 0)
            #expect(speaker.synthesizer.continueSpeaking() && !speaker.synthesizer.isPaused)
            try await world.untilHeard(on: .speaker)
            try await until("continue \(text)", speaker, in: world)
            #expect(speaker.synthesizer.stopSpeaking(at: .immediate))
            try await until("cancel \(text)", speaker, in: world)
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            #expect(!speaker.told.entries.contains { $0.hasSuffix(" later") })
        }
    }

    /// An utterance that is given while the end of the one before sounds has a player of its own, which is made later.
    @Test(arguments: WorldKind.allCases)
    func output_leavesBetweenTwoUtterances_andNothingReachesTheSpeaker(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones], category: .playback) { world in
            let session = world.session
            let engine = SpeechDouble { passage in
                guard passage.words.map(\.text) == ["second"] else { return }
                if let world = world as? SimulatedWorld {
                    world.host.unplug(world.device(.headphones))
                } else {
                    let done = DispatchSemaphore(value: 0)
                    Task {
                        try? await world.unplug(.headphones)
                        while session.runtime.state.inventory.outputs.contains(where: { $0.kind == .headphones }) {
                            await Task.yield()
                        }
                        done.signal()
                    }
                    done.wait()
                }
            }
            let speaker = Speaker(session, engine: engine)
            speaker.speak("first")
            try await until("first", speaker, in: world)
            try await world.mark()
            speaker.speak("second")
            // Once the first has ended no device runs, and a world without virtual time does not move either.
            if kind == .simulated { try await world.run(seconds: 1) }
            try speaker.told.wait(for: "the pause of the second") { $0.contains("pause second") }
            #expect(speaker.told.entries.contains("finish first"))
            #expect(speaker.synthesizer.isPaused && speaker.synthesizer.isSpeaking)
            try await world.settle()
            #expect(try await world.loudFrames(on: .speaker) == 0)
            #expect(speaker.synthesizer.continueSpeaking())
            try await until("finish second", speaker, in: world)
            #expect(try await world.loudFrames(on: .speaker) > 0)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func pauseAtAWord_finishesTheWord_andContinuesWithTheNext(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker], category: .playback) { world in
            let speaker = Speaker(world.session)
            #expect(!speaker.synthesizer.pauseSpeaking(at: .word) && !speaker.synthesizer.continueSpeaking())
            speaker.speak("one two three four five")
            try await until("two", speaker, in: world)
            #expect(speaker.synthesizer.pauseSpeaking(at: .word))
            try await until("pause one two three four five", speaker, in: world)
            #expect(speaker.synthesizer.isPaused && speaker.synthesizer.isSpeaking)
            let told = speaker.told.entries
            let position = try #require(told.firstIndex { $0.hasPrefix("pause") })
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            #expect(speaker.told.entries == told && position == told.count - 1)
            #expect(speaker.synthesizer.continueSpeaking() && !speaker.synthesizer.continueSpeaking())
            try await until("finish one two three four five", speaker, in: world)
            let words = speaker.told.entries.filter { !$0.contains(" ") }
            #expect(words == ["one", "two", "three", "four", "five"])
            #expect(speaker.told.entries[position + 1] == "continue one two three four five")
            #expect(!speaker.synthesizer.isPaused)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func output_leavesWhilePausedAtAWord_andContinuePlaysOnTheSpeaker(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones], category: .playback) { world in
            let speaker = Speaker(world.session)
            speaker.speak("one two three four five")
            try await until("two", speaker, in: world)
            #expect(speaker.synthesizer.pauseSpeaking(at: .word))
            try await until("pause one two three four five", speaker, in: world)
            try await world.unplug(.headphones)
            try await world.waitForRoute(.speaker)
            #expect(speaker.synthesizer.continueSpeaking())
            try await until("finish one two three four five", speaker, in: world)
            #expect(speaker.told.entries.count { $0.hasPrefix("pause") } == 1)
        }
    }

    /// The next boundary is the end of all that there is to say.
    @Test(arguments: WorldKind.allCases)
    func pauseAtTheLastWord_andContinue_finishes(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker], category: .playback) { world in
            let speaker = Speaker(world.session)
            speaker.speak("one two")
            try await until("two", speaker, in: world)
            #expect(speaker.synthesizer.pauseSpeaking(at: .word))
            try await until("pause one two", speaker, in: world)
            speaker.speak("three")
            #expect(speaker.synthesizer.isPaused && speaker.synthesizer.continueSpeaking())
            try await until("finish three", speaker, in: world)
            #expect(
                speaker.told.entries.filter { $0.hasPrefix("finish") || $0.hasPrefix("cancel") } == [
                    "finish one two", "finish three",
                ])
        }
    }

    @Test(arguments: WorldKind.allCases)
    func stopAtAWord_cancelsWhatIsSpoken_andDropsTheQueue(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker], category: .playback) { world in
            let speaker = Speaker(world.session)
            #expect(!speaker.synthesizer.stopSpeaking(at: .word))
            // Long enough that it has not ended where the machine is busy.
            let text = "one two" + String(repeating: " three", count: 98)
            speaker.speak(text)
            speaker.speak("six")
            try await until("two", speaker, in: world)
            #expect(speaker.synthesizer.stopSpeaking(at: .word))
            try await until("cancel \(text)", speaker, in: world)
            #expect(!speaker.synthesizer.isSpeaking)
            #expect(!speaker.told.entries.contains("finish \(text)"))
            // What is given next begins afresh.
            speaker.speak("seven")
            try await until("finish seven", speaker, in: world)
            #expect(!speaker.told.entries.contains("six"))
        }
    }

    /// As a navigation app: others are low while it speaks, and it pauses at an interruption.
    @Test(arguments: WorldKind.allCases)
    func prompt_ducksOthers_andPausesAtAnInterruption(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try await world.startPlaying(on: .speaker)
            let navigator = try await world.launch("navigator")
            try navigator.session.setCategory(.playback, mode: .voicePrompt, options: .duckOthers)
            let speaker = Speaker(navigator.session)
            let text = Array(repeating: "word", count: 50).joined(separator: " ")
            speaker.speak(text)
            try await world.waitForGain(0.2)
            try await until("word", speaker, in: world)
            let call = try await world.launch("call")
            try call.beginCall()
            try await until("pause \(text)", speaker, in: world)
            try call.deactivate(notifyingOthers: true)
            #expect(speaker.synthesizer.continueSpeaking())
            try await until("continue \(text)", speaker, in: world)
            #expect(speaker.synthesizer.stopSpeaking(at: .immediate))
            try navigator.deactivate(notifyingOthers: true)
            try await world.waitForGain(1)
        }
    }

    /// A call does not give the sound back, and nothing is lost; it goes on after the call.
    @Test(arguments: WorldKind.allCases)
    func continueSpeaking_duringACall_staysPaused(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .microphone], category: .playback) { world in
            let speaker = Speaker(world.session)
            let text = Array(repeating: "word", count: 20).joined(separator: " ")
            speaker.speak(text)
            try await until("word", speaker, in: world)
            let call = try await world.launch("call")
            try call.beginCall()
            try await until("pause \(text)", speaker, in: world)
            #expect(!speaker.synthesizer.continueSpeaking() && speaker.synthesizer.isPaused)
            try call.deactivate(notifyingOthers: true)
            try await world.settle()
            #expect(speaker.synthesizer.continueSpeaking())
            try await until("finish \(text)", speaker, in: world)
            #expect(speaker.told.entries.filter { $0 == "word" }.count == 20)
            #expect(!speaker.told.entries.contains("cancel \(text)"))
        }
    }

    @Test(arguments: WorldKind.allCases)
    func withoutAnEngine_eachUtteranceIsCancelled(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker], category: .playback) { world in
            for engine: any SpeechEngine in [SpeechDouble(failure: "broken"), EspeakEngine(program: "no-such-engine")] {
                let speaker = Speaker(world.session, engine: engine)
                speaker.speak("one")
                speaker.speak("two")
                try await until("cancel two", speaker, in: world)
                #expect(speaker.told.entries == ["cancel one", "cancel two"])
                #expect(!speaker.synthesizer.isSpeaking)
            }
        }
    }

    /// The program itself, at two speeds.
    @Test(arguments: WorldKind.allCases)
    func espeak_isHeard_andItsWordsAreTold(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker], category: .playback) { world in
            let speaker = Speaker(world.session, engine: EspeakEngine.installed)
            let text = "In 200 metres, turn left onto Main Street. Then, at the roundabout, take the second exit."
            speaker.speak(text) {
                $0.rate = 0.7
                $0.voice = InstalledEngine.$current.withValue(EspeakEngine.installed) {
                    AVSpeechSynthesisVoice(language: "en-GB")
                }
            }
            try await world.untilHeard(on: .speaker)
            try await until("finish \(text)", speaker, in: world)
            #expect(
                speaker.told.entries.dropFirst().dropLast() == [
                    "In", "200", "metres", "turn", "left", "onto", "Main", "Street", "Then", "at", "the", "roundabout",
                    "take", "the", "second", "exit",
                ])
        }
    }

    /// A provider on a bus of the test's own.
    @Test(arguments: WorldKind.allCases)
    func spiel_isHeard_andItsWordsAreTold(_ kind: WorldKind) async throws {
        let bus = try PrivateBus()
        let voices = [
            (name: "Ann", id: "ann", format: "audio/x-spiel,format=S16LE,channels=1,rate=16000", language: "en-gb")
        ]
        let provider = try await SpeechProviderStandIn(address: bus.address, voices: voices)
        try await withWorld(kind, plugged: [.speaker], category: .playback) { world in
            let engine = SystemEngine(spiel: SpielEngine(address: bus.address))
            let speaker = Speaker(world.session, engine: engine)
            speaker.speak("Turn left here, now.") {
                $0.voice = InstalledEngine.$current.withValue(engine) { AVSpeechSynthesisVoice(language: "en-GB") }
            }
            try await world.untilHeard(on: .speaker)
            try await until("finish Turn left here, now.", speaker, in: world)
            #expect(speaker.told.entries.dropFirst().dropLast() == ["Turn", "left", "here", "now"])
        }
        #expect(provider.log.count == 1)
    }
}
