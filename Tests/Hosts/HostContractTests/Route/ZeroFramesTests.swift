import HostPipeWire
import PipeWireRig
import SessionCore
import Synchronization
import TestSupport
import Testing

@testable import AudioRuntime
@testable import SessionRuntime

/// The promise: after the headphones leave, not one frame of the music reaches the speaker.
///
/// Counted on the private PipeWire, on the speaker's monitor, above -60 dBFS. That the count can rise is shown by
/// `unplug_withoutAutomaticPausing_isHeardOnTheSpeaker` below, and by the rig's own tests.
@Suite("Zero frames", .serialized)
struct ZeroFramesTests {
    /// How long the speaker is listened to after each unplug, in frames at 48 kHz: 5 s.
    private static let listeningFrames = 5 * 48_000

    /// Servers that play at once; a test that listened to one after the other would take minutes.
    private static let servers = 5
    private static let roundsOfServer = 10

    @Test func unplug_fiftyTimes_leaksNothing() async throws {
        let music = try Music(seconds: 30)
        let rounds = Mutex<[Result<[Round], any Error>]>([])
        await together(
            (0..<Self.servers).map { _ in
                {
                    let result = Result { try self.playRounds(music) }
                    rounds.withLock { $0.append(result) }
                }
            })
        let played = try rounds.withLock { $0 }.flatMap { try $0.get() }
        for round in played {
            #expect(round.loudFramesBefore == 0, "the speaker sounded before the unplug: \(round)")
            #expect(round.heard.loudFrames == 0, "\(round)")
            #expect(round.player.state == .paused && round.player.cause == .oldDeviceUnavailable, "\(round)")
        }
        #expect(played.count(where: { $0.isProof }) == Self.servers * Self.roundsOfServer)
    }

    private struct Round {
        var loudFramesBefore: Int
        var heard: SinkMeter.Reading
        var player: FilePlayer.Status

        /// A round whose meter missed frames, as on a busy machine, proves nothing and is played again.
        var isProof: Bool { heard.missedFrames == 0 }
    }

    /// Plays on new headphones of a new server and destroys them, until enough rounds prove something.
    private func playRounds(_ music: Music) throws -> [Round] {
        let server = try PrivatePipeWire.start()
        defer { server.stop() }
        let speaker = try server.makeSink(name: "speaker", formFactor: "speaker", bus: "pci", priority: 500)
        var rounds: [Round] = []
        while rounds.count(where: { $0.isProof }) < Self.roundsOfServer, rounds.count < 2 * Self.roundsOfServer {
            rounds.append(try leak(afterUnplugging: "headphones", of: server, onto: speaker, music))
        }
        return rounds
    }

    /// Plays on new headphones, destroys them, and returns what the speaker sounded in the time after.
    private func leak(
        afterUnplugging name: String, of server: PrivatePipeWire, onto speaker: VirtualSink, _ music: Music
    ) throws -> Round {
        let headphones = try server.makeSink(name: name, formFactor: "headphone", bus: "usb", priority: 1500)
        // A meter waits for the next node of its name; twenty of them would be a load of their own.
        defer { headphones.meter.stop() }
        try server.waitUntilDefaultSink(is: name)
        let runtime = try SessionRuntime(host: PipeWireHost(remote: server.socketPath))
        defer { runtime.shutdown() }
        let player = try FilePlayer(path: music.path, runtime: runtime) { _ in }
        defer { player.close() }
        try player.play()
        try headphones.meter.wait(loudFrames: 4800)
        let before = speaker.meter.reading.loudFrames
        speaker.meter.mark()
        _ = headphones.destroy()
        let heard = try speaker.meter.wait(frames: Self.listeningFrames)
        return Round(loudFramesBefore: before, heard: heard, player: player.status)
    }

    @Test func unplug_withoutAutomaticPausing_isHeardOnTheSpeaker() async throws {
        try await withWorld(.pipeWire, plugged: [.speaker, .headphones]) { world in
            let player = try await world.startPlaying(on: .headphones, policy: StreamPolicy(onDeviceLoss: .continue))
            defer { player.close() }
            try await world.mark()
            try await world.unplug(.headphones)
            try await world.untilHeard(on: .speaker)
            #expect(try await world.loudFrames(on: .speaker) > 0)
        }
    }

    /// A jack moves no link: what was handed over already still sounds, at most two quanta.
    @Test(arguments: [false, true])
    func jack_tenTimes_leaksAtMostTwoQuanta(likeACP: Bool) async throws {
        /// The quantum while a private route of a card with a speaker is in use, in frames; see PipeWireTier.md.
        let quantum = 256
        let server = try PrivatePipeWire.start()
        defer { server.stop() }
        let music = try Music(seconds: 30)
        var leaks: [Int] = []
        // A pull under which the machine stalled proves nothing: the meter missed frames, or the server played, to make up
        // for the stall, quanta at once that came too late.
        for _ in 1...30 where leaks.count < 10 {
            let card = try server.makeCard(likeACP ? .likeACP : .init())
            try card.waitUntilActive(.headphones)
            let journal = Journal()
            let host = WatchedHost(remote: server.socketPath)
            let runtime = try SessionRuntime(host: host, recorders: [journal])
            let player = try FilePlayer(path: music.path, runtime: runtime) { status in
                journal.append(.player(status.state, status.cause))
            }
            try player.play()
            try card.waitUntilHeardOnHeadphones(frames: 4800)
            let lostBefore = host.lostCycles
            _ = card.unplugHeadphones()
            try await journal.wait(for: .player(.paused, .oldDeviceUnavailable))
            try card.waitUntilActive(.speaker)
            let early = try card.wait(frames: card.reading.frames + 4800)
            let leak = try card.wait(frames: early.frames + 48_000).speakerFrames
            #expect(leak == early.speakerFrames, "it sounds on")
            if early.missedFrames == 0 && host.lostCycles == lostBefore { leaks.append(leak) }
            player.close()
            runtime.shutdown()
            _ = card.remove()
        }
        #expect(leaks.count == 10)
        #expect(leaks.allSatisfy { $0 <= 2 * quantum }, "frames on the speaker: \(leaks)")
    }
}
