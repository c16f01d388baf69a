import AudioModel
import Foundation
import HostSimulated
import RuntimeTestSupport
import SessionRest
import SimulatedControls
import TestAudio
import Testing

@testable import OpenAVFAudio
@testable import OpenAudioSession
@testable import SessionRuntime

/// Which channel of which device each channel of Apple's player sounds on, on the simulated host.
@MainActor @Suite struct AVAudioPlayerChannelTests {
    private static let hdmi = SimulatedDevice.hdmi.uid
    private let machine: AppMachine
    private let player: AVAudioPlayer

    /// Headphones with 2 channels and a television with 8, all of them open, and a stereo file.
    init() throws {
        machine = try AppMachine()
        machine.host.plug(.hdmi)
        try machine.session.setCategory(.multiRoute)
        player = try machine.audioPlayer(seconds: 3)
    }

    private func channels(of uid: String) throws -> [AVAudioSessionChannelDescription] {
        let port = try #require(machine.session.currentRoute.outputs.first { $0.uid == uid })
        return try #require(port.channels)
    }

    /// For each channel of the headphones and of the television the file's channel that sounds there in the next 10 ms,
    /// once all slides are over; -1 for silence, nil for anything else.
    private func heard() -> [Int?] {
        machine.advance(frames: 480)
        let (start, position) = (machine.host.frame, Int((player.currentTime * 48_000).rounded()))
        machine.advance(frames: 480)
        let file = TestSignal.ramp.planar(position..<position + 480)
        return [AppMachine.headphones, Self.hdmi].flatMap { uid in
            machine.heard(on: uid, since: start).map { samples in
                samples.allSatisfy { $0 == 0 } ? -1 : file.firstIndex(of: samples)
            }
        }
    }

    private let onHeadphones: [Int?] = [0, 1, -1, -1, -1, -1, -1, -1, -1, -1]

    @Test func channelAssignments_sayWhereEachChannelOfTheFileSounds_andNilIsTheDefault() throws {
        let (ears, television) = try (channels(of: AppMachine.headphones), channels(of: Self.hdmi))
        #expect(player.channelAssignments == nil)
        // Before there is a stream.
        player.channelAssignments = [television[5], ears[1]]
        #expect(player.channelAssignments == [television[5], ears[1]])
        player.play()
        #expect(heard() == [-1, 1, -1, -1, -1, -1, -1, 0, -1, -1])
        // And while it plays.
        player.channelAssignments = [television[1], television[0]]
        #expect(heard() == [-1, -1, 1, 0, -1, -1, -1, -1, -1, -1])
        player.pan = -1
        #expect(heard() == [-1, -1, 1, 0, -1, -1, -1, -1, -1, -1])
        player.pan = 0
        player.channelAssignments = nil
        #expect(player.channelAssignments == nil)
        #expect(heard() == onHeadphones)
    }

    @Test func channelAssignments_thatDoNotFit_areNotTaken() throws {
        let (ears, television) = try (channels(of: AppMachine.headphones), channels(of: Self.hdmi))
        let old = [ears[1], ears[0]]
        player.channelAssignments = old
        player.play()
        let elsewhere = AudioModel.Port(
            uid: "elsewhere", name: "Elsewhere", kind: .headphones, direction: .output, channels: [.left, .right])
        let strangers = elsewhere.channels.indices.map {
            AVAudioSessionChannelDescription(elsewhere.channels[$0], index: $0, of: elsewhere)
        }
        for wrong in [
            [], [ears[0]], [ears[0], ears[1], television[0]], [ears[0], ears[0]], [ears[0], strangers[1]],
            [ears[0], AVAudioSessionChannelDescription()],
        ] {
            player.channelAssignments = wrong
            #expect(player.channelAssignments == old)
        }
        #expect(heard() == [1, 0] + Array(repeating: -1, count: 8))
    }

    @Test func channelAssignments_ofADeviceThatLeaves_areSilentUntilItIsBack() throws {
        let (ears, television) = try (channels(of: AppMachine.headphones), channels(of: Self.hdmi))
        let chosen = [television[0], ears[1]]
        player.channelAssignments = chosen
        player.play()
        #expect(heard() == [-1, 1, 0, -1, -1, -1, -1, -1, -1, -1])
        machine.host.unplug(.hdmi)
        machine.runtime.drain()
        #expect(!player.isPlaying)
        player.play()
        #expect(heard().prefix(2) == [-1, 1])
        #expect(player.channelAssignments == chosen)
        machine.host.plug(.hdmi)
        machine.runtime.drain()
        #expect(player.isPlaying)
        #expect(heard() == [-1, 1, 0, -1, -1, -1, -1, -1, -1, -1])
    }

    /// Not on the speaker in their place: they were meant for the headphones.
    @Test func channelAssignments_whereTheirDeviceIsTheRoute_areSilentOnTheNext() throws {
        machine.host.unplug(.hdmi)
        try machine.session.setCategory(.playback)
        machine.runtime.drain()
        player.channelAssignments = try channels(of: AppMachine.headphones)
        player.play()
        machine.advance(frames: 4800)
        machine.unplugHeadphones()
        player.play()
        machine.advance(frames: 4800)
        #expect(player.isPlaying)
        #expect(machine.heard(on: AppMachine.speaker).allSatisfy { $0.allSatisfy { $0 == 0 } })
        player.channelAssignments = nil
        let start = machine.host.frame
        machine.advance(frames: 4800)
        #expect(machine.heard(on: AppMachine.speaker, since: start)[0].contains { $0 != 0 })
    }

    @Test func playerOfNothing_takesNoAssignments() throws {
        let nothing = AVAudioPlayer()
        nothing.channelAssignments = []
        #expect(nothing.channelAssignments == nil)
        nothing.channelAssignments = try channels(of: AppMachine.headphones)
        #expect(nothing.channelAssignments == nil)
        nothing.channelAssignments = nil
        #expect(!nothing.play())
    }
}
