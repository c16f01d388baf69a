import AudioModel
import AudioRuntime
import Testing

@testable import OpenAudioSession

/// Calls of programs without a session, and who has the sound after them: behaviours of docs/behaviours.md by name.
@Suite("Foreign call contract", .serialized)
struct ForeignCallContractTests {
    // Behaviour 103
    @Test(arguments: WorldKind.allCases)
    func refusedSessionTakesNoResume(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try await world.startPlaying(on: .speaker)
            let call = try await world.startForeignStream(role: "Communication")
            try await world.journal.wait(for: .interruptionBegan(.default))
            let refused = try await world.launch("refused")
            for _ in 1...2 {
                #expect(code { try refused.activate() } == .insufficientPriority)
                try await world.settle()
            }
            try await world.kill(refused)
            try await world.stopForeignStream(call)
            try await world.journal.wait(for: .interruptionEnded(shouldResume: true))
            try await world.untilHeard(on: .speaker)
            try await world.settle()
            #expect(world.journal.events == Journal.started + Journal.interrupted + Journal.resumed)
        }
    }

    /// One session above another, two calls, one that is refused under each of them, and one that mixes and ducks.
    @Test(arguments: WorldKind.allCases)
    func refusedSessionTakesNoResume_underTwoCalls_fromAnyOfThePile(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try await world.startPlaying(on: .speaker)
            let second = try await world.launch("second")
            try second.makePlayer().play()
            try await world.journal.wait(for: .interruptionBegan(.default))
            let first = try await world.startForeignStream(role: "Phone")
            try await second.journal.wait(for: .interruptionBegan(.default))
            let (refused, navigator) = (try await world.launch("refused"), try await world.launch("navigator"))
            #expect(code { try refused.activate() } == .insufficientPriority)
            try navigator.activate(options: .duckOthers)
            try await world.settle()
            let call = try await world.startForeignStream(role: "Communication")
            try await navigator.journal.wait(for: .interruptionBegan(.default))
            try await world.stopForeignStream(first)
            #expect(code { try refused.activate() } == .insufficientPriority)
            try await world.kill(navigator)
            try await world.settle()
            try await world.stopForeignStream(call)
            try await second.journal.wait(for: .interruptionEnded(shouldResume: true))
            try await second.wait(for: "the resumption") { $0.activation.isActive }
            try await world.settle()
            #expect(second.journal.events == Journal.started + Journal.interrupted + Journal.resumed)
            #expect(world.journal.events == Journal.started + Journal.interrupted)
            try second.deactivate(notifyingOthers: true)
            try await world.journal.wait(for: .interruptionEnded(shouldResume: true))
            try await world.app.wait(for: "the resumption") { $0.activation.isActive }
            try await world.settle()
            #expect(world.journal.events == Journal.started + Journal.interrupted + Journal.resumed)
            #expect(refused.journal.events.contains(.resumptionRecommended))
        }
    }
}
