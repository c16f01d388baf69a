import AudioModel
import SessionCore
import Testing

@testable import AudioRuntime
@testable import OpenAudioSession
@testable import SessionRuntime

/// The effect of an interruption and of its end on a player: behaviours of docs/behaviours.md by name.
@Suite("Interruption contract", .serialized)
struct InterruptionContractTests {
    @Test(arguments: WorldKind.allCases)
    func beganStopsAndDeactivates(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            // One that was opened and never started is not concerned.
            let idle = try world.app.makePlayer()
            let notifications = NotificationLog(world.app, players: [player, idle])
            let other = try await world.launchInterruptingApp()
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            try await world.settle()

            #expect(world.journal.events == Journal.started + Journal.interrupted)
            let players = [FilePlayer.State.paused, .ready]
            #expect(
                notifications.all == [
                    .init(kind: .began(.default), phase: .interrupted, players: players),
                    .init(kind: .didBecomeInactive(.system, .default), phase: .interrupted, players: players),
                ])
            // It has lost, and waits for its turn.
            #expect(other.runtime.state.peers.map(\.isWaiting) == [true])
            #expect(other.journal.phases.suffix(2) == [.claiming, .active])
        }
    }

    @Test(arguments: WorldKind.allCases)
    func endedWithShouldResumeResumes(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            let other = try await world.launch("other")
            for _ in 1...2 {
                let start = world.journal.count
                try other.activate()
                try await world.journal.wait(for: .interruptionBegan(.default), from: start)
                try other.deactivate(notifyingOthers: true)
                try await world.journal.wait(for: .becameActive, from: start)
                // What is heard once the fades are over goes on.
                try await world.fadeOut()
                try await world.untilHeard(on: .speaker)
            }
            try await world.settle()
            let round = Journal.interrupted + Journal.resumed
            #expect(world.journal.events == Journal.started + round + round)
            #expect(player.status.playWhenReady)
        }
    }

    /// One that leaves without a word, and one that is killed.
    @Test(arguments: WorldKind.allCases)
    func endedWithoutShouldResumeStaysPaused(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            let other = try await world.launchInterruptingApp()
            try other.deactivate(notifyingOthers: false)
            try await world.journal.wait(for: .interruptionEnded(shouldResume: false))
            let start = world.journal.count
            try await world.startPlaying(on: .speaker, player)
            try other.activate()
            try await world.journal.wait(for: .interruptionBegan(.default), from: start)
            try await world.kill(other)
            try await world.journal.wait(for: .interruptionEnded(shouldResume: false), from: start)
            try await world.settle()

            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            let round = Journal.started + Journal.interrupted + Journal.givenUp
            #expect(world.journal.events == round + round)
            #expect(!player.status.playWhenReady)
            #expect(world.runtime.state.activation.isInactive)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func endedDoesNotResumeWhatTheUserPaused(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            let other = try await world.launchInterruptingApp()
            player.pause()
            try other.deactivate(notifyingOthers: true)
            try await world.journal.wait(for: .interruptionEnded(shouldResume: true))
            try await world.settle()
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            #expect(
                world.journal.events == Journal.started + Journal.interrupted + [
                    .player(.paused, .user), .interruptionEnded(shouldResume: true),
                ])
            #expect(world.runtime.state.activation.isInactive)
        }
    }

    /// Suppression by an interruption is no pause (60): the intent stays, the rate is 0.
    @Test(arguments: WorldKind.allCases)
    func playDuringInterruptionIsIntentOnly(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try world.session.setActive(true)
            let player = try world.app.makePlayer()
            let other = try await world.launchInterruptingApp()
            try player.play()
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            #expect(player.status.position == 0)
            #expect(player.status.playWhenReady && player.status.suppression == .interruption)
            try other.deactivate(notifyingOthers: true)
            try await world.untilHeard(on: .speaker)
            try await world.settle()
            #expect(
                world.journal.events == [
                    .becameActive, .interruptionBegan(.default), .player(.paused, .interruption),
                ] + Journal.resumed)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func suppressionDistinctFromPause(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            let call = try await world.startForeignStream(role: "Phone")
            try await world.journal.wait(for: .interruptionBegan(.default))
            try await world.fadeOut()
            let (suppressed, position) = (player.status, player.status.position)
            #expect(suppressed.state == .paused && suppressed.playWhenReady && suppressed.suppression == .interruption)
            try await world.run(seconds: 0.2)
            #expect(player.status.position == position)
            player.pause()
            #expect(!player.status.playWhenReady && player.status.suppression == nil)
            try await world.stopForeignStream(call)
            try await world.settle()
            #expect(
                world.journal.events == Journal.started + Journal.interrupted + [
                    .player(.paused, .user), .interruptionEnded(shouldResume: true),
                ])
        }
    }

    /// What the interruption finds paused it reports again (40), and does not start.
    @Test(arguments: WorldKind.allCases)
    func wasPausedBeforeInterruptionStaysPaused(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            player.pause()
            let other = try await world.launchInterruptingApp()
            try other.deactivate(notifyingOthers: true)
            try await world.journal.wait(for: .interruptionEnded(shouldResume: true))
            try await world.settle()
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            #expect(
                world.journal.events == Journal.started + [.player(.paused, .user)] + Journal.interrupted + [
                    .interruptionEnded(shouldResume: true)
                ])
            #expect(!player.status.playWhenReady)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func lossWhilePausedIsReportedAgain(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            let call = try await world.startForeignStream(role: "Communication")
            try await world.journal.wait(for: .interruptionBegan(.default))
            player.pause()
            try world.session.setActive(false)
            try await world.stopForeignStream(call)
            try await world.journal.wait(for: .interruptionEnded(shouldResume: true))
            // Paused by the user, then by a deactivation that finds nothing to pause; now by another loss.
            try world.session.setActive(true)
            let start = world.journal.count
            let other = try await world.launch("other")
            try other.activate()
            try await world.journal.wait(for: .interruptionBegan(.default), from: start)
            try await world.settle()
            #expect(
                world.journal.events == Journal.started + Journal.interrupted + [.player(.paused, .user)]
                    + [.interruptionEnded(shouldResume: true), .becameActive] + Journal.interrupted)
        }
    }
}
