import AudioModel
import RuntimeTestSupport
import SessionCore
import TestAudio
import TestSupport
import Testing

@testable import AudioRuntime
@testable import SessionRuntime

/// The trace of a session, on the simulated host and on a private PipeWire.
@Suite("Trace contract", .serialized)
struct TraceContractTests {
    @Test(arguments: WorldKind.allCases, [true, false])
    func unplug_isInTheTraceWithItsLossAndRouteChange(_ kind: WorldKind, hasNames: Bool) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("session.trace")
        let said = History<String>()
        try await withWorld(kind, plugged: [.speaker, .headphones]) { world in
            let trace = SessionTrace(.init(path: path, hasNames: hasNames)) { said.append($0) }
            let app = try await world.launch("traced", recorders: [trace])
            let player = try app.makePlayer()
            try player.play()
            try await world.untilHeard(on: .headphones)
            try await world.unplug(.headphones)
            try await app.journal.wait(
                for: .routeChange(.oldDeviceUnavailable, previous: [.headphones], current: [.builtInSpeaker]))
            app.end()

            let reader = try TraceReader(path: path)
            #expect(reader.session?.host == world.runtime.host.name)
            #expect(
                reader.steps.contains { step in
                    switch step.event.fact {
                    case .host(.portLost): true
                    case .host(.inventoryChanged(_, let losses)): !losses.isEmpty
                    default: false
                    }
                })
            let change = try #require(
                reader.effects.lazy.compactMap { if case .postRouteChange(let change) = $0 { change } else { nil } }
                    .last)
            #expect(change.reason == .oldDeviceUnavailable)
            #expect(change.previous.outputs.map(\.kind) == [.headphones])
            #expect(change.current.outputs.map(\.kind) == [.builtInSpeaker])
            #expect(reader.divergentSteps().isEmpty, "\(reader.divergentSteps())")
            #expect(reader.ending == .end(dropped: 0))

            let names = world.app.runtime.state.inventory.ports.flatMap { [$0.uid, $0.name] }
            let strings = try reader.strings()
            #expect(!names.isEmpty && names.allSatisfy { strings.contains($0.printable) == hasNames })
        }
        #expect(said.entries == [])
    }
}
