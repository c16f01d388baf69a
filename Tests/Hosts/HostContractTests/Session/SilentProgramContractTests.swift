import AudioModel
import SessionRuntime
import Testing

/// Programs that run and are not heard: behaviours of docs/behaviours.md by name.
@Suite("Silent program contract", .serialized)
struct SilentProgramContractTests {
    // Behaviour 110
    @Test(arguments: WorldKind.allCases)
    func silentCallInterruptsWhenHeard_andUntilItEnds(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try await world.startPlaying(on: .speaker)
            let call = try await world.startSilentForeignStream(role: "Communication")
            try await world.settle()
            #expect(world.journal.events == Journal.started)
            #expect(!world.runtime.state.isOtherAudioPlaying)
            try await world.setForeignStreamSilent(false, call)
            try await world.journal.wait(for: .interruptionBegan(.default))
            // A person mutes the others in the middle of it.
            try await world.setForeignStreamSilent(true, call)
            try await world.settle()
            #expect(world.journal.events == Journal.started + Journal.interrupted)
            try await world.stopForeignStream(call)
            try await world.journal.wait(for: .interruptionEnded(shouldResume: true))
            try await world.untilHeard(on: .speaker)
        }
    }

    // Behaviour 111
    @Test(arguments: WorldKind.allCases)
    func silentNotificationLowersNothing_untilItIsHeard(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try await world.startPlaying(on: .speaker)
            let notification = try await world.startSilentForeignStream(role: "Notification")
            try await world.settle()
            #expect(!world.runtime.state.isDucked)
            try await world.setForeignStreamSilent(false, notification)
            #expect(world.runtime.state.isDucked)
            try await world.setForeignStreamSilent(true, notification)
            #expect(!world.runtime.state.isDucked)
            try await world.stopForeignStream(notification)
        }
    }

    // Behaviour 112
    @Test(arguments: WorldKind.allCases)
    func silentMusicIsNoOtherAudio(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let music = try await world.startForeignStream(role: "Music")
            #expect(world.runtime.state.isOtherAudioPlaying && world.runtime.state.secondaryAudioShouldBeSilenced)
            try await world.setForeignStreamSilent(true, music)
            #expect(!world.runtime.state.isOtherAudioPlaying && !world.runtime.state.secondaryAudioShouldBeSilenced)
            try await world.setForeignStreamSilent(false, music)
            #expect(world.runtime.state.isOtherAudioPlaying && world.runtime.state.secondaryAudioShouldBeSilenced)
            try await world.stopForeignStream(music)
        }
    }
}
