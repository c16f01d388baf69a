import AudioModel
import Foundation
import SessionCore
import TestAudio
import Testing

@testable import AudioRuntime
@testable import OpenAVFAudio
@testable import OpenAudioSession
@testable import SessionRuntime

/// Apple's player, recorder and engine under an interruption: behaviours of docs/behaviours.md by name.
@Suite("Interrupted app contract", .serialized)
struct InterruptedAppContractTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Apple's player of a tone, on the session of the world's app.
    private func audioPlayer(in world: any World) throws -> AVAudioPlayer {
        let path = try TestFile.write(.quadrature(hertz: 1000), seconds: 1, in: directory)
        let player = try AVAudioSession.$taskSession.withValue(world.session) {
            try AVAudioPlayer(contentsOf: URL(filePath: path))
        }
        player.numberOfLoops = -1
        return player
    }

    private func audioRecorder(in world: any World) throws -> AVAudioRecorder {
        try AVAudioSession.$taskSession.withValue(world.session) {
            try AVAudioRecorder(
                url: URL(filePath: directory.path("recording.wav")), settings: [AVFormatIDKey: kAudioFormatLinearPCM])
        }
    }

    // MARK: Behaviour 81

    @Test(arguments: WorldKind.allCases)
    func playUnderAnotherAppsInterruptionTakesTheSound(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try audioPlayer(in: world)
            #expect(player.play())
            try await world.untilHeard(on: .speaker)
            let other = try await world.launchInterruptingApp()
            #expect(!player.isPlaying)
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            #expect(player.play())
            #expect(player.isPlaying)
            try await other.journal.wait(for: .interruptionBegan(.default))
            try await world.untilHeard(on: .speaker)
            #expect(world.session.runtime.state.activation.isActive)
            player.stop()
        }
    }

    @Test(arguments: WorldKind.allCases)
    func engineStart_underAnotherAppsInterruption_takesTheSound(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let (engine, _) = try world.startEngine(looping: .level(0.5))
            try await world.untilHeard(on: .speaker)
            let other = try await world.launchInterruptingApp()
            #expect(!engine.isRunning)
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            try engine.start()
            try await other.journal.wait(for: .interruptionBegan(.default))
            try await world.untilHeard(on: .speaker)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func record_underAnotherAppsInterruption_takesTheInput(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .microphone], category: .playAndRecord) { world in
            let recorder = try audioRecorder(in: world)
            #expect(recorder.record())
            let other = try await world.launchInterruptingApp()
            #expect(!recorder.isRecording)
            #expect(recorder.record())
            #expect(recorder.isRecording)
            try await other.journal.wait(for: .interruptionBegan(.default))
            recorder.stop()
        }
    }

    /// Under a call all three are refused, and the end of the call is told.
    @Test(arguments: WorldKind.allCases)
    func playUnderACall_isRefused(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .microphone], category: .playAndRecord) { world in
            let (player, recorder) = (try audioPlayer(in: world), try audioRecorder(in: world))
            let (engine, _) = try world.startEngine(looping: .level(0.5))
            #expect(player.play())
            try await world.untilHeard(on: .speaker)
            let other = try await world.launch("telephone")
            try other.beginCall()
            try await world.journal.wait(for: .interruptionBegan(.default))
            #expect(!player.play())
            #expect(!recorder.record())
            #expect(code { try engine.start() } == .insufficientPriority)
            #expect(!player.isPlaying && !recorder.isRecording && !engine.isRunning)
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            #expect(other.runtime.state.activation.isActive)
            try other.deactivate(notifyingOthers: true)
            try await world.journal.wait(for: .interruptionEnded(shouldResume: true))
        }
    }

    // MARK: Behaviour 82

    @Test(arguments: WorldKind.allCases)
    func interruptedStaysPausedUntilTheAppPlays(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .microphone], category: .playAndRecord) { world in
            let (player, recorder) = (try audioPlayer(in: world), try audioRecorder(in: world))
            let (engine, _) = try world.startEngine(looping: .level(0.5))
            #expect(player.play() && recorder.record())
            try await world.untilHeard(on: .speaker)
            let other = try await world.launchInterruptingApp()
            try other.deactivate(notifyingOthers: true)
            try await world.journal.wait(for: .interruptionEnded(shouldResume: true))
            try await world.settle()
            #expect(!player.isPlaying && !recorder.isRecording && !engine.isRunning)
            try world.session.setActive(true)
            #expect(!player.isPlaying && !recorder.isRecording && !engine.isRunning)
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            #expect(player.play() && recorder.record())
            #expect(player.isPlaying && recorder.isRecording)
            try await world.untilHeard(on: .speaker)
            player.stop()
            recorder.stop()
        }
    }

    // MARK: Behaviours 85 and 89

    @Test(arguments: WorldKind.allCases)
    func callInterruptsEveryone(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let configurations: [(AVAudioSession.Category, AVAudioSession.CategoryOptions)] = [
                (.ambient, []), (.playback, .mixWithOthers), (.playback, .duckOthers),
            ]
            let other = try await world.launch("telephone")
            for (category, options) in configurations {
                try world.session.setCategory(category, options: options)
                let player = try await world.startPlaying(on: .speaker)
                let start = world.journal.count
                try other.beginCall()
                try await world.journal.wait(for: .interruptionBegan(.default), from: start)
                #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
                try other.deactivate(notifyingOthers: true)
                try await world.journal.wait(for: .interruptionEnded(shouldResume: true), from: start)
                player.pause()
                try world.session.setActive(false)
            }
        }
    }

    @Test(arguments: WorldKind.allCases)
    func deactivationInBeganKeepsEnded(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try await world.startPlaying(on: .speaker)
            let other = try await world.launchInterruptingApp()
            try world.session.setActive(false)
            try other.deactivate(notifyingOthers: true)
            try await world.journal.wait(for: .interruptionEnded(shouldResume: true))
            try await world.settle()
            #expect(world.runtime.state.activation.isInactive)
            // After an activation of its own the session is told of no end.
            try other.activate()
            try world.session.setActive(true)
            let start = world.journal.count
            try other.deactivate(notifyingOthers: true)
            try await world.settle()
            #expect(!world.journal.events.dropFirst(start).contains(.interruptionEnded(shouldResume: true)))
        }
    }
}
