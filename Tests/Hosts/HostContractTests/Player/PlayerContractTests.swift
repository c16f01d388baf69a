import AudioModel
import Foundation
import SessionCore
import SessionRest
import TestAudio
import Testing

@testable import AudioRuntime
@testable import OpenAVFAudio
@testable import OpenAudioSession
@testable import SessionRuntime

/// What a player does with its own file, on the simulated host and on a private PipeWire.
@Suite("Player contract", .serialized)
struct PlayerContractTests {
    /// Made by others: Ogg Vorbis at 44.1 kHz stereo, WAV at 48 kHz mono, and a short Ogg sound.
    static let files = [
        "/usr/share/sounds/freedesktop/stereo/complete.oga", "/usr/share/sounds/alsa/Front_Center.wav",
        "/usr/share/sounds/freedesktop/stereo/bell.oga",
    ]

    @Test(arguments: WorldKind.allCases)
    func play_ofFilesMadeByOthers_isHeardToTheEnd(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            for file in Self.files {
                try await world.mark()
                let start = world.journal.count
                let player = try FilePlayer(path: file, runtime: world.runtime) { [journal = world.journal] status in
                    journal.append(.player(status.state, status.cause))
                }
                try player.play()
                try await world.untilHeard(on: .speaker)
                // Virtual time moves only when the test moves it; real time moves by itself meanwhile.
                try await world.run(seconds: player.info.duration + 0.2)
                try await world.journal.wait(for: .player(.finished, .endOfFile), from: start)
                #expect(abs(player.status.position - player.info.duration) < 1.0 / 48_000, "\(file)")
                // The shortest has 6695; each cycle that a busy machine loses is 1024 less.
                #expect(try await world.loudFrames(on: .speaker) > 2400, "\(file)")
                player.close()
            }
        }
    }

    @Test(arguments: WorldKind.allCases)
    func pauseAndPlay_goOnAtTheSamePosition(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            player.pause()
            // Until the fade is over.
            try await world.run(seconds: 0.2)
            let paused = player.status.position
            #expect(paused > 0)
            try await world.mark()
            try await world.run(seconds: 0.2)
            #expect(try await world.loudFrames(on: .speaker) == 0)
            #expect(player.status.position == paused)
            try player.play()
            #expect((paused...(paused + 1)).contains(player.status.position))
            try await world.untilHeard(on: .speaker)
            #expect(player.status.position > paused)
            world.runtime.drain()
            #expect(
                world.journal.events == Journal.started + [.player(.paused, .user), .player(.playing, .user)])
            player.close()
        }
    }

    /// Apple's player, with a tenth of a second of a tone that is loud in every frame.
    @Test(arguments: WorldKind.allCases)
    func audioPlayer_loopsWithoutAGap_andNothingReachesTheSpeaker(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones]) { world in
            let music = try Music(seconds: 0.1)
            let player = try AVAudioSession.$taskSession.withValue(world.session) {
                try AVAudioPlayer(contentsOf: URL(filePath: music.path))
            }
            player.numberOfLoops = -1
            player.isMeteringEnabled = true
            #expect(player.play())
            try await world.untilHeard(on: .headphones)
            let heard = try await world.record([.headphones], frames: 9600) {}[0]
            #expect(zip(heard[0], heard[1]).allSatisfy { abs($0) + abs($1) > 0.1 })
            player.updateMeters()
            #expect((-20...0).contains(player.peakPower(forChannel: 0)))
            try await world.mark()
            try await world.unplug(.headphones)
            try await world.run(seconds: 0.5)
            try await world.settle()
            #expect(!player.isPlaying)
            #expect(try await world.loudFrames(on: .speaker) == 0)
        }
    }

    /// A channel each of headphones and of an interface with four; then two of the interface alone.
    @Test(arguments: WorldKind.allCases)
    func channelAssignments_reachTheirChannelsAlone(_ kind: WorldKind) async throws {
        try await withMultiRoute(kind, plugged: [.headphones, .interface]) { world in
            let directory = try TemporaryDirectory()
            let path = try NumberedLoop.file(channels: 2, in: directory)
            let player = try AVAudioSession.$taskSession.withValue(world.session) {
                try AVAudioPlayer(contentsOf: URL(filePath: path))
            }
            player.numberOfLoops = -1
            let outputs = try world.session.currentRoute.outputs.map { try #require($0.channels) }
            #expect(outputs.map(\.count) == [2, 4])
            player.channelAssignments = [outputs[1][3], outputs[0][1]]
            #expect(player.play())
            let devices = [WorldDevice.headphones, .interface]
            try await world.untilHeard(on: .interface)
            try await world.expectHeard([-1, 1, -1, -1, -1, 0], on: devices)
            player.channelAssignments = [outputs[1][1], outputs[1][0]]
            try await world.expectHeard([-1, -1, 1, 0, -1, -1], on: devices)
            player.channelAssignments = nil
            try await world.expectHeard([0, 1, -1, -1, -1, -1], on: devices)
            player.stop()
        }
    }

    /// Two of one channel each, on the two channels of one device.
    @Test(arguments: WorldKind.allCases)
    func playersOfOneTime_beginWithTheSameFrame(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.headphones], category: .playback) { world in
            let directory = try TemporaryDirectory()
            let path = try NumberedLoop.file(channels: 1, in: directory)
            let ears = try #require(world.session.currentRoute.outputs.first?.channels)
            let players = try ears.map { ear in
                let player = try AVAudioSession.$taskSession.withValue(world.session) {
                    try AVAudioPlayer(contentsOf: URL(filePath: path))
                }
                player.numberOfLoops = -1
                player.channelAssignments = [ear]
                return player
            }
            var heard: [[Float]] = []
            // A server that gets no processor leaves out a cycle of one stream and not of the other: once more then.
            for _ in 0..<3 {
                for player in players {
                    player.stop()
                    player.currentTime = 0
                }
                try await world.fadeOut()
                try await world.mark()
                let time = players[0].deviceCurrentTime + 1.5
                for player in players { #expect(player.play(atTime: time)) }
                try await world.run(seconds: 1)
                let early = try await world.loudFrames(on: .headphones)
                if players[0].deviceCurrentTime < time { #expect(early == 0) }
                try await world.untilHeard(on: .headphones)
                heard = try await world.record([.headphones], frames: 4800) {}[0]
                if heard[0] == heard[1] { break }
                print("the two began apart; once more")
            }
            #expect(heard[0] == heard[1])
            #expect(NumberedLoop.channel(of: heard[0]) == 0)
            for player in players { player.stop() }
        }
    }

    @Test(arguments: WorldKind.allCases)
    func seek_playsOnThereAndFinishes(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            player.seek(toSeconds: 59.5)
            #expect(player.status.position >= 59.5)
            try await world.run(seconds: 1)
            try await world.journal.wait(for: .player(.finished, .endOfFile))
            #expect(player.status.position == 60)
            // After the end it plays again from the beginning.
            try await world.mark()
            try player.play()
            try await world.untilHeard(on: .speaker)
            #expect((0...5).contains(player.status.position))
            player.close()
        }
    }
}
