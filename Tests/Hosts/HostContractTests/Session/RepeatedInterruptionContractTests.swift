import AudioModel
import SessionCore
import Testing
import Threading

@testable import AudioRuntime
@testable import OpenAudioSession
@testable import SessionRuntime

/// Repeated and missing interruptions: behaviours of docs/behaviours.md by name.
@Suite("Repeated interruption contract", .serialized)
struct RepeatedInterruptionContractTests {
    /// A second session, then a third, then a call: one story, which unwinds.
    @Test(arguments: WorldKind.allCases)
    func secondBeganIsIdempotent(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try await world.startPlaying(on: .speaker)
            let (second, third) = (try await world.launch("second"), try await world.launch("third"))
            try second.activate()
            try await world.journal.wait(for: .interruptionBegan(.default))
            try third.activate()
            try await second.journal.wait(for: .interruptionBegan(.default))
            let call = try await world.startForeignStream(role: "Phone")
            try await third.journal.wait(for: .interruptionBegan(.default))
            try await world.settle()
            #expect(world.journal.events == Journal.started + Journal.interrupted)
            try await world.stopForeignStream(call)
            // One after the other: each has 2 s to play again, and neither does.
            for app in [third, second] {
                try await app.journal.wait(for: .interruptionEnded(shouldResume: true))
                #expect(world.journal.events == Journal.started + Journal.interrupted)
                try await world.run(seconds: 2.1)
            }
            try await world.journal.wait(for: .interruptionEnded(shouldResume: true))
            try await world.app.wait(for: "the resumption") { $0.activation.isActive }
            try await world.settle()
            #expect(world.journal.events == Journal.started + Journal.interrupted + Journal.resumed)
            for app in [world.app, second, third] {
                #expect(app.journal.events.filter { $0 == .interruptionBegan(.default) }.count == 1)
            }
        }
    }

    /// Neither an inactive session nor one that mixes is interrupted, and so neither is told of an end.
    @Test(arguments: WorldKind.allCases)
    func endedWithoutBeganIgnored(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker], category: .ambient) { world in
            let other = try await world.launch("other")
            for isActive in [false, true] {
                if isActive { try await world.startPlaying(on: .speaker) }
                try other.activate()
                try await world.settle()
                try other.deactivate(notifyingOthers: true)
                try await world.settle()
                #expect(world.journal.events == (isActive ? Journal.started : []))
            }
            try await world.untilHeard(on: .speaker)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func permanentLossAbandons(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            let other = try await world.launchInterruptingApp()
            try await world.settle()
            #expect(other.runtime.state.peers.map(\.isWaiting) == [true], "the loser waits for its turn")
            try await world.kill(other)
            try await world.journal.wait(for: .interruptionEnded(shouldResume: false))
            let later = try await world.launch("later")
            try later.activate()
            try await world.settle()
            try later.deactivate(notifyingOthers: true)
            try await world.settle()
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            #expect(world.journal.events == Journal.started + Journal.interrupted + Journal.givenUp)
            #expect(player.status.state == .paused)
        }
    }

    /// The user changes their mind twice while the session that interrupts goes, and a call stays on: played once.
    @Test(arguments: WorldKind.allCases)
    func delayedGainThenRegularGainPlays(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            _ = try await world.launchInterruptingApp()
            let call = try await world.startForeignStream(role: "Phone")
            try await world.settle()
            player.pause()
            try player.play()
            try await world.stopForeignStream(call)
            // The other session, interrupted by the call itself, does not play again in its 2 s.
            try await world.run(seconds: 2.1)
            try await world.app.wait(for: "the resumption") { $0.activation.isActive }
            try world.session.setActive(false)
            try await world.settle()
            let start = world.journal.count
            let second = try await world.startForeignStream(role: "Phone")
            #expect(throws: SessionError.self) { try player.play() }
            try await world.stopForeignStream(second)
            try await world.journal.wait(for: .resumptionRecommended, from: start)
            try await world.startPlaying(on: .speaker, player)
            #expect(
                world.journal.events == Journal.started + Journal.interrupted + [
                    .player(.paused, .user), .player(.paused, .interruption),
                ] + Journal.resumed + [
                    .player(.paused, .deactivation), .becameInactive, .player(.paused, .refusal),
                    .resumptionRecommended,
                ] + Journal.started)
        }
    }

    /// The claim of a session that is about to become active meets another one's that is newer.
    @Test(arguments: WorldKind.allCases)
    func interruption_whileClaiming_isToldAfterTheActivation(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker], category: .playback) { world in
            let other = try await world.launch("other")
            try other.session.setCategory(.playback)
            let player = try world.app.makePlayer()
            // Both are asked for before either session gets to it.
            for round in 1...10 {
                let start = world.journal.count
                let answers = [Latch(), Latch()]
                world.session.activate { _, _ in answers[0].raise() }
                other.session.activate { _, _ in answers[1].raise() }
                for answer in answers { #expect(answer.wait(timeoutSeconds: 20)) }
                try await world.settle()
                let told = world.journal.entries.dropFirst(start).filter(\.isEvent)
                let isWinner = world.runtime.state.activation.isActive
                #expect(told == (isWinner ? [.becameActive] : [.becameActive, .interruptionBegan(.default)]))
                #expect(other.runtime.state.activation.isActive != isWinner, "round \(round)")
                let (winner, loser) = isWinner ? (world.app, other) : (other, world.app)
                try loser.deactivate(notifyingOthers: false)
                try winner.deactivate(notifyingOthers: true)
                try await world.settle()
            }
            #expect(player.status.state == .ready)
        }
    }

    /// Inactive, claiming, active, interrupted: by the listed events only.
    @Test(arguments: WorldKind.allCases)
    func stateNeverSkips(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try await world.startPlaying(on: .speaker)
            let other = try await world.launchInterruptingApp()
            try other.deactivate(notifyingOthers: true)
            try await world.journal.wait(for: .interruptionEnded(shouldResume: true))
            try await world.app.wait(for: "the resumption") { $0.activation.isActive }
            try world.session.setActive(false)
            let call = try await world.startForeignStream(role: "Phone")
            #expect(code { try world.session.setActive(true) } == .insufficientPriority)
            try await world.stopForeignStream(call)
            try world.session.setActive(true)
            try await world.settle()
            #expect(
                world.journal.phases == [
                    .claiming, .active, .interrupted, .claiming, .active, .inactive, .claiming, .inactive, .claiming,
                    .active,
                ])
        }
    }
}
