import AudioModel
import SessionCore
import Testing

@testable import AudioRuntime
@testable import OpenAudioSession
@testable import SessionRuntime

/// Sessions that change what they are to the others, or only pause, while they have the sound.
///
/// Source of the cases: Chromium, `audio_focus_manager_unittest.cc`; W3C Audio Session.
@Suite("Changed claim contract", .serialized)
struct ChangedClaimContractTests {
    /// A plain session takes the sound of the one that it lowered before.
    @Test(arguments: WorldKind.allCases)
    func duckerThatPlaysAlone_interruptsWhatItLowered(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try await world.startPlaying(on: .speaker)
            let before = try await world.level(on: .speaker)
            let other = try await world.launchDuckingApp()
            try other.session.setCategory(.playback)
            try await world.journal.wait(for: .interruptionBegan(.default))
            try await world.waitForGain(1)
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            try other.deactivate(notifyingOthers: true)
            try await world.untilHeard(on: .speaker)
            #expect(try await world.level(on: .speaker) == before)
            #expect(world.journal.events == Journal.started + Journal.interrupted + Journal.resumed)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func interrupterThatDucksInstead_lowersWhatItInterrupted(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try await world.startPlaying(on: .speaker)
            let before = try await world.level(on: .speaker)
            let other = try await world.launchInterruptingApp()
            try other.session.setCategory(.playback, options: .duckOthers)
            try await world.untilHeard(on: .speaker)
            try await world.waitForGain(0.2)
            #expect(try await world.level(on: .speaker) == before * 0.2)
            #expect(world.journal.events == Journal.started + Journal.interrupted + Journal.resumed)
        }
    }

    /// The one that ducks last is in front.
    @Test(arguments: WorldKind.allCases)
    func loweredSession_thatDucksInTurn_lowersTheOther(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try world.session.setCategory(.playback, options: .mixWithOthers)
            world.app.startAfresh()
            try await world.startPlaying(on: .speaker)
            let other = try await world.launch("other")
            try other.activate(options: .duckOthers)
            _ = try other.makePlayer()
            try await world.waitForGain(0.2)
            try world.session.setCategory(.playback, options: .duckOthers)
            try await world.waitForGain(1)
            try await other.wait(for: "a gain of 0.2") { $0.streams.first?.gain == 0.2 }
            #expect(!world.journal.events.contains(.interruptionBegan(.default)))
        }
    }

    @Test(arguments: WorldKind.allCases)
    func interruptedSession_thatDucksInstead_soundsBesideTheOther(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try await world.startPlaying(on: .speaker)
            let other = try await world.launchInterruptingApp()
            let music = try other.makePlayer()
            try music.play()
            try world.session.setCategory(.playback, options: .duckOthers)
            try world.session.setActive(true)
            try await other.wait(for: "a gain of 0.2") { $0.streams.first?.gain == 0.2 }
            try await world.settle()
            #expect(world.runtime.state.activation.isActive && other.runtime.state.activation.isActive)
            #expect(music.status.state == .playing)
            // Nor when the other one leaves: the app's own activation was the end.
            try other.deactivate(notifyingOthers: true)
            try await world.settle()
            #expect(!world.journal.events.contains(.interruptionEnded(shouldResume: true)))
            try await world.untilHeard(on: .speaker)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func duckerThatIsKilled_leavesTheVeryVolume(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try await world.startPlaying(on: .speaker)
            let before = try await world.level(on: .speaker)
            let other = try await world.launchDuckingApp()
            try await world.kill(other)
            try await world.waitForGain(1)
            #expect(try await world.level(on: .speaker) == before)
            #expect(world.journal.events == Journal.started)
        }
    }

    // Behaviour 114
    /// A pause is no deactivation: the sound stays its own, until a third session takes it from both.
    @Test(arguments: WorldKind.allCases)
    func pausedInterrupterKeepsTheSound(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try await world.startPlaying(on: .speaker)
            let second = try await world.launchInterruptingApp()
            let music = try second.makePlayer()
            try music.play()
            music.pause()
            try await world.settle()
            #expect(second.runtime.state.activation.isActive)
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            let third = try await world.launch("third")
            try third.activate()
            try await second.journal.wait(for: .interruptionBegan(.default))
            try await world.settle()
            #expect(world.journal.events == Journal.started + Journal.interrupted)
            #expect(!world.session.isOtherAudioPlaying)
        }
    }

    // Behaviour 115
    /// What stops during an interruption does not end the session's activity: the other player goes on after it.
    @Test(arguments: WorldKind.allCases)
    func stoppedPlayerLeavesTheOthersTheirEnd(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let first = try await world.startPlaying(on: .speaker)
            let second = try await world.startPlaying(on: .speaker)
            let other = try await world.launchInterruptingApp()
            first.close()
            try other.deactivate(notifyingOthers: true)
            try await world.journal.wait(for: .interruptionEnded(shouldResume: true))
            try await world.untilHeard(on: .speaker)
            #expect(second.status.state == .playing)
        }
    }

    /// What was asked for meanwhile is forgotten with a source that is killed.
    @Test(arguments: WorldKind.allCases)
    func playDuringInterruption_whoseSourceIsKilled_isForgotten(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            let other = try await world.launchInterruptingApp()
            player.pause()
            try player.play()
            try await world.kill(other)
            try await world.journal.wait(for: .interruptionEnded(shouldResume: false))
            try await world.settle()
            #expect(!player.status.playWhenReady)
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
        }
    }
}
