import AudioModel
import AudioRuntime
import SessionCore
import SessionRuntime
import Testing

@testable import OpenAudioSession

/// The sound of other programs: behaviours of docs/behaviours.md by name.
@Suite("Other audio contract", .serialized)
struct OtherAudioContractTests {
    /// By a session that ducks others, then by an alarm; each leaves the very level that was.
    @Test(arguments: WorldKind.allCases)
    func duckLowersThenRestores(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try await world.startPlaying(on: .speaker)
            let before = try await world.level(on: .speaker)
            #expect(before > 0.4)
            let navigator = try await world.launchDuckingApp("navigator")
            #expect(try await world.level(on: .speaker) == before * 0.2)
            try navigator.deactivate(notifyingOthers: false)
            try await world.waitForGain(1)
            #expect(try await world.level(on: .speaker) == before)
            let alarm = try await world.startForeignStream(role: "Alarm")
            try await world.waitForGain(0.2)
            #expect(try await world.level(on: .speaker) == before * 0.2)
            // A ducked session is not silenced for one that goes.
            try navigator.activate(options: .duckOthers)
            try await world.settle()
            try await world.kill(navigator)
            try await world.settle()
            #expect(try await world.level(on: .speaker) == before * 0.2)
            try await world.stopForeignStream(alarm)
            try await world.waitForGain(1)
            #expect(try await world.level(on: .speaker) == before)
            #expect(world.journal.events == Journal.started)
        }
    }

    /// A prompt beside a call: who is called hears the other side as loud as before.
    @Test(arguments: WorldKind.allCases)
    func callIsNotDucked(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.microphone, .speaker]) { world in
            try world.session.setCategory(.playAndRecord, mode: .voiceChat)
            try await world.startPlaying(on: .speaker)
            let before = try await world.level(on: .speaker)
            let navigator = try await world.launch("navigator")
            try navigator.activate(options: .duckOthers)
            try await world.settle()
            #expect(world.runtime.state.streams.map(\.gain) == [1])
            #expect(try await world.level(on: .speaker) == before)
            try navigator.deactivate(notifyingOthers: false)
            try await world.settle()
            #expect(!world.journal.events.contains(.interruptionBegan(.default)))
        }
    }

    /// As an engine with voice processing does, in a session that mixes with others.
    @Test(arguments: WorldKind.allCases)
    func streamThatDucksOthers_lowersThemWhileItSounds(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try await world.startPlaying(on: .speaker)
            let chat = try await world.launch("chat")
            try chat.activate(options: .mixWithOthers)
            let voice = try chat.makePlayer(policy: StreamPolicy(ducksOthers: true))
            try await world.settle()
            #expect(world.runtime.state.streams.map(\.gain) == [1])
            try voice.play()
            try await world.waitForGain(0.2)
            voice.pause()
            try await world.waitForGain(1)
            #expect(world.journal.events == Journal.started)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func duckWhilePausedAlsoRestored(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            let before = try await world.level(on: .speaker)
            player.pause()
            let navigator = try await world.launchDuckingApp("navigator")
            try navigator.deactivate(notifyingOthers: true)
            try await world.waitForGain(1)
            try await world.startPlaying(on: .speaker, player)
            #expect(try await world.level(on: .speaker) == before)
            #expect(player.volume == 1)
            // And one that starts while ducked is low from its first frame on.
            player.pause()
            try await world.fadeOut()
            try navigator.activate(options: .duckOthers)
            try await world.waitForGain(0.2)
            try await world.mark()
            try player.play()
            try await world.untilHeard(on: .speaker)
            #expect(try await world.level(on: .speaker) == before * 0.2)
            try await world.settle()
            #expect(
                world.journal.events == Journal.started + [
                    .player(.paused, .user), .player(.playing, .user), .player(.paused, .user),
                    .player(.playing, .user),
                ])
        }
    }

    @Test(arguments: WorldKind.allCases)
    func abandonWhileDuckedRestoresVolume(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            let before = try await world.level(on: .speaker)
            let navigator = try await world.launchDuckingApp("navigator")
            try world.session.setActive(false)
            try navigator.deactivate(notifyingOthers: true)
            try await world.waitForGain(1)
            try await world.startPlaying(on: .speaker, player)
            #expect(try await world.level(on: .speaker) == before)
            #expect(
                world.journal.events == Journal.started + [.player(.paused, .deactivation), .becameInactive]
                    + Journal.started)
        }
    }

    /// Speech makes way for a prompt; music only mixes with it.
    @Test(arguments: WorldKind.allCases)
    func speechPausesInsteadOfDucking(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try world.session.setCategory(.playback, mode: .spokenAudio)
            world.app.startAfresh()
            let player = try await world.startPlaying(on: .speaker)
            let before = try await world.level(on: .speaker)
            let prompt = try await world.launch("prompt")
            try prompt.activate(options: .interruptSpokenAudioAndMixWithOthers)
            try await world.journal.wait(for: .interruptionBegan(.default))
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            try prompt.deactivate(notifyingOthers: true)
            try await world.untilHeard(on: .speaker)
            try await world.settle()
            #expect(world.journal.events == Journal.started + Journal.interrupted + Journal.resumed)

            player.pause()
            try world.session.setActive(false)
            try world.session.setCategory(.playback, mode: .default)
            world.app.startAfresh()
            try await world.startPlaying(on: .speaker, player)
            try prompt.activate(options: .interruptSpokenAudioAndMixWithOthers)
            try await world.settle()
            #expect(try await world.level(on: .speaker) == before)
            #expect(world.journal.events == Journal.started)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func silenceHintOnlyForegroundAndActive(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker], category: .ambient) { world in
            let notifications = NotificationLog(world.app)
            // Inactive: it can be asked for, and nothing is told. (On Linux there is no background.)
            let early = try await world.startForeignStream(role: "Music")
            #expect(world.session.secondaryAudioShouldBeSilencedHint)
            try await world.stopForeignStream(early)
            #expect(!world.session.secondaryAudioShouldBeSilencedHint)
            try world.session.setActive(true)
            let music = try await world.startForeignStream(role: "Music")
            try await world.settle()
            // Two reasons are one hint.
            let movie = try await world.startForeignStream(role: "Movie")
            try await world.stopForeignStream(music)
            try await world.stopForeignStream(movie)
            // The main thread has had the time to tell of it.
            try await world.settle()
            try world.session.setActive(false)
            let late = try await world.startForeignStream(role: "Music")
            try await world.stopForeignStream(late)
            try await world.settle()
            #expect(
                world.journal.events == [.becameActive, .hint(begins: true), .hint(begins: false), .becameInactive])
            #expect(
                notifications.all == [
                    .init(kind: .didBecomeActive, phase: .active, hasPayload: false),
                    .init(kind: .hint(.begin), phase: .active), .init(kind: .hint(.end), phase: .active),
                    .init(kind: .didBecomeInactive(.app, nil), phase: .inactive),
                ])
        }
    }

    /// A guard has another program stand still: it is silent, and no reason to be.
    @Test(arguments: WorldKind.allCases)
    func heldProgramIsNoOtherAudio(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker], category: .ambient) { world in
            try world.session.setActive(true)
            let music = try await world.startForeignStream(role: "Music")
            #expect(world.session.isOtherAudioPlaying)
            try await world.setForeignStreamHeld(true, music)
            #expect(!world.session.isOtherAudioPlaying)
            #expect(!world.session.secondaryAudioShouldBeSilencedHint)
            try await world.setForeignStreamHeld(false, music)
            #expect(world.session.isOtherAudioPlaying)
            #expect(world.session.secondaryAudioShouldBeSilencedHint)
            try await world.stopForeignStream(music)
            try await world.settle()
            #expect(
                world.journal.events == [
                    .becameActive, .hint(begins: true), .hint(begins: false), .hint(begins: true),
                    .hint(begins: false),
                ])
        }
    }

    /// Another session that mixes, a game, and then one that does not mix.
    @Test(arguments: WorldKind.allCases)
    func hintTracksNonMixableOnly(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker], category: .ambient) { world in
            try world.session.setActive(true)
            let other = try await world.launch("other")
            try other.session.setCategory(.playback, options: .mixWithOthers)
            let player = try other.makePlayer()
            try player.play()
            try await world.app.wait(for: "the other's sound") { $0.isOtherAudioPlaying }
            #expect(!world.session.secondaryAudioShouldBeSilencedHint)
            let game = try await world.startForeignStream(role: "Game")
            #expect(!world.session.secondaryAudioShouldBeSilencedHint)
            try await world.stopForeignStream(game)
            #expect(world.session.isOtherAudioPlaying)
            try other.session.setCategory(.playback)
            try await world.journal.wait(for: .hint(begins: true))
            player.pause()
            // The fade leaves the machine first.
            try await world.fadeOut()
            try await world.journal.wait(for: .hint(begins: false))
            try await world.app.wait(for: "silence") { !$0.isOtherAudioPlaying }
            #expect(world.journal.events == [.becameActive, .hint(begins: true), .hint(begins: false)])
        }
    }
}

extension World {
    /// Returns once the app's stream has been told to play at a part of its volume.
    func waitForGain(_ gain: Float) async throws {
        try await app.wait(for: "a gain of \(gain)") { $0.streams.first?.gain == gain }
    }
}
