import AudioFiles
import AudioModel
import Foundation
import QueueCore
import QueueRuntime
import SimulatedControls
import TestSupport
import Testing

@testable import SessionRuntime

/// Players that want to play and do not get on (decision 99).
@Suite("Stuck player contract", .serialized)
struct StuckPlayerContractTests {
    private final class Song: QueueItem {
        private let path: String

        init(_ path: String) { self.path = path }

        func open(outputSampleRate: Double) throws(AudioFileError) -> sending AudioFileReader {
            try AudioFileReader(path: path, outputSampleRate: outputSampleRate)
        }
    }

    /// A queue of one long loud tone, and what it tells of getting stuck: "stalled", and then what it lacks.
    ///
    /// It is looked at ten times as often as others: its limits are 1 s and 60 s.
    private func makePlayer(_ music: Music, on runtime: SessionRuntime) -> (QueuePlayer, History<String>) {
        let events = History<String>()
        let player = QueuePlayer(
            runtime: runtime, lookSeconds: StuckWatch.lookSeconds / 10,
            onEvent: { event in
                switch event {
                case .stalled: events.append("stalled")
                case .stuck(_, let lack): events.append("\(lack)")
                default: break
                }
            }, onTime: { _ in .infinity })
        player.changeItems { $0 = [Song(music.path)] }
        return (player, events)
    }

    /// Nothing is taken from any stream for a while: time passes, or the server stands still.
    private func standStill(_ world: any World, until isOver: ([String]) -> Bool, _ events: History<String>)
        async throws
    {
        if let simulated = world as? SimulatedWorld {
            simulated.host.stall(seconds: 3)
            try await world.run(seconds: 2)
        } else if let real = world as? PipeWireWorld {
            let server = real.server.processIDs[1]
            kill(server, SIGSTOP)
            defer { kill(server, SIGCONT) }
            try events.wait(for: "a stuck player", isOver)
        }
    }

    /// As every sink of a server that does not answer, also while our own loop runs.
    @Test(arguments: WorldKind.allCases)
    func outputThatTakesNoSound_isFound_untilItTakesSome(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker], category: .playback) { world in
            let music = try Music(seconds: 300)
            let (player, events) = makePlayer(music, on: world.runtime)
            player.setRate(1)
            try await world.untilHeard(on: .speaker)
            try await standStill(world, until: { $0.count == 2 }, events)
            #expect(events.entries == ["stalled", "output"])
            #expect(player.status == .init(phase: .waitingForOutput, requestedRate: 1))
            try await world.until("it plays on") { player.status.phase == .playing }
            try await world.untilHeard(on: .speaker)
            #expect(events.entries == ["stalled", "output"])
            player.closeAndWait()
        }
    }

    /// It has never played there, and plays on another output.
    @Test func sinkThatNeverRuns_isFound_andAnotherOutputPlays() async throws {
        try await withWorld(.pipeWire, plugged: [.speaker], category: .playback) { world in
            let server = try #require(world as? PipeWireWorld).server
            try server.makeStillSink(name: "still", formFactor: "headphone", bus: "pci", priority: 2000)
            try server.waitUntilDefaultSink(is: "still")
            try await world.waitForRoute(.headphones)
            let music = try Music(seconds: 300)
            let (player, events) = makePlayer(music, on: world.runtime)
            player.setRate(1)
            try events.wait(for: "a stuck player") { $0.count == 2 }
            #expect(events.entries == ["stalled", "output"])
            try await world.setDefaultOutput(.speaker)
            try await world.untilHeard(on: .speaker)
            try await world.until("it plays") { player.status.phase == .playing }
            player.closeAndWait()
        }
    }

    @Test func itemThatNeverOpens_isFound() async throws {
        try await withWorld(.simulated, plugged: [.speaker], category: .playback) { world in
            let host = try #require(world as? SimulatedWorld).host
            host.setOpening(seconds: 70)
            let music = try Music(seconds: 300)
            let (player, events) = makePlayer(music, on: world.runtime)
            player.setRate(1)
            try await world.run(seconds: 59)
            #expect(events.entries == [])
            try await world.run(seconds: 3)
            #expect(events.entries == ["item"])
            try await world.run(seconds: 10)
            #expect(events.entries == ["item"] && player.status.phase == .playing)
            player.closeAndWait()
        }
    }

    @Test func serverThatSendsNothing_isFound() async throws {
        try await withWorld(.simulated, plugged: [.speaker], category: .playback) { world in
            let host = try #require(world as? SimulatedWorld).host
            let music = try Music(seconds: 300)
            let (player, events) = makePlayer(music, on: world.runtime)
            player.setRate(1)
            try await world.untilHeard(on: .speaker)
            host.stallItems(seconds: 70)
            try await world.run(seconds: 59)
            #expect(events.entries == ["stalled"])
            try await world.run(seconds: 4)
            #expect(events.entries == ["stalled", "sound"])
            try await world.run(seconds: 10)
            #expect(events.entries == ["stalled", "sound"] && player.status.phase == .playing)
            player.closeAndWait()
        }
    }

    /// No route, an interruption, a pause: the session has told why nothing sounds.
    @Test func playerThatIsKeptSilent_isNotStuck() async throws {
        try await withWorld(.simulated, plugged: [.speaker], category: .playback) { world in
            let music = try Music(seconds: 300)
            let (player, events) = makePlayer(music, on: world.runtime)
            player.setRate(1)
            try await world.untilHeard(on: .speaker)
            let call = try await world.startForeignStream(role: "Phone")
            try await world.run(seconds: 10)
            try await world.stopForeignStream(call)
            player.setRate(0)
            try await world.run(seconds: 10)
            try await world.unplug(.speaker)
            player.setRate(1)
            try await world.run(seconds: 10)
            #expect(events.entries == [])
            player.closeAndWait()
        }
    }
}
