import AudioModel
import Testing

/// Behaviour 80: whatever happens, in whatever order, an engine is heard on the route by its map, and nowhere else.
@Suite("Engine long sequence", .serialized)
struct EngineLongSequenceTests {
    // A private PipeWire needs real time for each step.
    @Test(arguments: [(WorldKind.simulated, 1000), (.pipeWire, 40)])
    func longSequence(_ kind: WorldKind, _ steps: Int) async throws {
        try await withMultiRoute(kind, plugged: [.microphone, .speaker, .headphones]) { world in
            var script = try EngineScript(
                seed: 4, in: world, plugged: [.speaker, .headphones], fadeSeconds: kind == .simulated ? 0.02 : 0.2)
            for step in 1...steps {
                let action = try await script.act()
                guard try await script.isSound("step \(step), \(action)") else { break }
            }
            // Behaviour 15: each route change begins where the one before ended.
            var last: [PortKind] = [.headphones]
            for case .routeChange(_, let previous, let current) in world.journal.events {
                #expect(previous == last)
                last = current
            }
            // Behaviour 45
            for (phase, next) in zip(world.journal.phases, world.journal.phases.dropFirst()) {
                #expect(EngineScript.follows(next, phase), "\(phase), then \(next)")
            }
            #expect(script.restarts > steps / 20)
        }
    }
}
