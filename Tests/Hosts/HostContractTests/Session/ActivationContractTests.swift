import AudioModel
import Foundation
import SessionCore
import SessionRest
import Synchronization
import Testing

@testable import AudioRuntime
@testable import OpenAudioSession
@testable import SessionRuntime

/// Which session may play, and what it reports: behaviours of docs/behaviours.md by name.
@Suite("Activation contract", .serialized)
struct ActivationContractTests {
    /// A call of another session's, then one of a program that knows nothing of sessions.
    @Test(arguments: WorldKind.allCases)
    func activationDeniedDoesNotPlay(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try world.app.makePlayer()
            let phone = try await world.launch("phone")
            try phone.beginCall()
            #expect(throws: SessionError.self) { try player.play() }
            #expect(code { try world.session.setActive(true) } == .insufficientPriority)
            try phone.deactivate(notifyingOthers: true)
            try await world.journal.wait(for: .resumptionRecommended)
            let start = world.journal.count
            let call = try await world.startForeignStream(role: "Phone")
            let error = #expect(throws: SessionError.self) { try player.play() }
            #expect(error?.code == .insufficientPriority)
            try await world.stopForeignStream(call)
            try await world.journal.wait(for: .resumptionRecommended, from: start)
            try await world.settle()

            // Nothing starts by itself, but the user may.
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            let refused: [Journal.Entry] = [.player(.paused, .refusal), .resumptionRecommended]
            #expect(world.journal.events == refused + refused)
            #expect(!player.status.playWhenReady)
            try await world.startPlaying(on: .speaker, player)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func handlingDisabledIgnoresDenial(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let phone = try await world.launch("phone")
            try phone.beginCall()
            let player = try await world.startPlaying(on: .speaker, policy: StreamPolicy(onInterruption: .ignore))
            let call = try await world.startForeignStream(role: "Phone")
            try await world.untilHeard(on: .speaker)
            try await world.stopForeignStream(call)
            try await world.settle()
            #expect(world.journal.events == [.player(.playing, .user)])
            #expect(world.runtime.state.activation.isInactive)
            #expect(player.status.state == .playing)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func endMayNeverCome(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try await world.startPlaying(on: .speaker)
            let other = try await world.launchInterruptingApp()
            try world.session.setActive(true)
            try await other.journal.wait(for: .interruptionBegan(.default))
            try await world.untilHeard(on: .speaker)
            // It has nothing to give back any more.
            try other.deactivate(notifyingOthers: true)
            try await world.settle()
            #expect(world.journal.events == Journal.started + Journal.interrupted + Journal.started)
            #expect(other.journal.events.filter { $0 == .becameInactive } == [])
        }
    }

    @Test(arguments: WorldKind.allCases)
    func activationLatchClearedByInterruption(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            let other = try await world.launchInterruptingApp()
            try other.deactivate(notifyingOthers: false)
            try await world.journal.wait(for: .interruptionEnded(shouldResume: false))
            try await world.startPlaying(on: .speaker, player)
            #expect(
                world.journal.events == Journal.started + Journal.interrupted + Journal.givenUp + Journal.started)
            try await other.wait(for: "its claim") { $0.peers.count == 1 }
        }
    }

    /// The intent is of before the deactivation, or the interruption, and comes after it.
    @Test(arguments: WorldKind.allCases)
    func lateIntentDoesNotReactivate(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            _ = try world.app.makePlayer()
            let id = try #require(world.runtime.state.streams.first?.id)
            try world.session.setActive(true)
            let beforeDeactivation = world.runtime.state.generation
            try world.session.setActive(false)
            let late: @Sendable (UInt64) -> SessionError? = { [runtime = world.runtime] generation in
                do throws(SessionError) {
                    try runtime.perform { call, _ in .playRequested(call, id, generation: generation) }
                    return nil
                } catch {
                    return error
                }
            }
            #expect(late(beforeDeactivation)?.code == .sessionNotActive)
            try world.session.setActive(true)
            let beforeInterruption = world.runtime.state.generation
            let other = try await world.launchInterruptingApp()
            #expect(late(beforeInterruption)?.code == .sessionNotActive)
            try other.deactivate(notifyingOthers: true)
            try await world.journal.wait(for: .interruptionEnded(shouldResume: true))
            try await world.settle()
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            #expect(
                world.journal.events == [
                    .becameActive, .becameInactive, .becameActive, .interruptionBegan(.default),
                    .interruptionEnded(shouldResume: true),
                ])
            #expect(world.runtime.state.activation.isInactive)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func staleDeactivationSuperseded(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            // The session is busy: both requests wait in the queue.
            let mayGoOn = DispatchSemaphore(value: 0)
            world.runtime.asynchronously { _ in mayGoOn.wait() }
            let answers = Mutex<[String]>([])
            world.session.deactivate { isDone, error in
                answers.withLock { $0.append("deactivated: \(isDone), \(error == nil)") }
            }
            world.session.activate { isDone, error in
                answers.withLock { $0.append("activated: \(isDone), \(error == nil)") }
            }
            mayGoOn.signal()
            try await world.settle()
            #expect(answers.withLock { $0 } == ["deactivated: false, true", "activated: true, true"])
            #expect(world.journal.events == Journal.started)
            try await world.untilHeard(on: .speaker)
            #expect(player.status.state == .playing)
        }
    }

    /// The one that comes later wins, and all sessions agree which one that was.
    @Test(arguments: WorldKind.allCases)
    func activations_atTheSameMoment_fiftyTimes_haveOneWinner(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker], category: .playback) { world in
            let rival = try await world.launch("rival")
            let witness = try await world.launch("witness")
            try rival.session.setCategory(.playback)
            rival.startAfresh()
            let rivals = [world.app, rival]
            var wins = [0, 0]
            for round in 1...50 {
                let starts = rivals.map(\.journal.count)
                DispatchQueue.concurrentPerform(iterations: 2) { try? rivals[$0].session.setActive(true) }
                for app in rivals {
                    try await app.wait(for: "one winner, round \(round)") { state in
                        state.activation.isActive ? state.peers.allSatisfy(\.isWaiting) : state.interruption != nil
                    }
                }
                let winner = try #require(rivals.firstIndex { $0.runtime.state.activation.isActive })
                let serial = try #require(rivals[winner].runtime.state.ownClaim?.serial)
                wins[winner] += 1
                try await witness.wait(for: "the winner's claim alone, round \(round)") {
                    $0.peers.filter { !$0.isWaiting }.map(\.serial) == [serial]
                }
                #expect(rivals[1 - winner].runtime.state.interruption?.source == .peer(serial))
                try rivals[winner].deactivate(notifyingOthers: false)
                try await witness.wait(for: "no claim, round \(round)") { $0.peers.isEmpty }
                for app in rivals { try await app.wait(for: "peace, round \(round)") { $0.peers.isEmpty } }
                for app in rivals { app.runtime.drain() }
                for (index, app) in rivals.enumerated() {
                    let told = app.journal.entries.dropFirst(starts[index]).filter(\.isEvent)
                    #expect(
                        told
                            == (index == winner
                                ? [.becameActive, .becameInactive]
                                : [
                                    .becameActive, .interruptionBegan(.default),
                                    .interruptionEnded(shouldResume: false),
                                ]),
                        "round \(round)")
                }
            }
            #expect(wins[0] + wins[1] == 50)
        }
    }
}
