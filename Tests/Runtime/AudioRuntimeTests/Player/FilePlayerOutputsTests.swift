import AudioModel
import HostSimulated
import ProgramRuntime
import RuntimeTestSupport
import SessionCore
import SessionRest
import SimulatedControls
import TestAudio
import TestSupport
import Testing

@testable import AudioRuntime
@testable import SessionRuntime

/// Which channels of the output a player of a file sounds on, and how loud it says it is there.
@Suite struct FilePlayerOutputsTests {
    private static let hdmi = SimulatedDevice.hdmi.uid
    private let resets = History<ChannelMapReset>()

    /// Headphones with 2 channels and a television with 8, all of them open.
    private func machine() throws -> (RuntimeMachine, FilePlayer) {
        let machine = try RuntimeMachine()
        machine.host.plug(.hdmi)
        try machine.configure(.multiRoute)
        let player = try FilePlayer(
            path: try TestFile.write(.ramp, in: machine.directory), runtime: machine.runtime,
            policy: StreamPolicy(onDeviceLoss: .continue), onChange: { _ in },
            onChannelMapReset: { [resets] in resets.append($0) })
        return (machine, player)
    }

    private func silence(_ frames: Int) -> [Float] { Array(repeating: 0, count: frames) }

    @Test func map_putsEachChannelOfTheFileWhereItSays() throws {
        let (machine, player) = try machine()
        try player.setChannelMap([-1, -1, 1, -1, -1, 0, -1, -1, -1, 0])
        let start = machine.host.frame
        try player.play()
        machine.advance(frames: 4800)
        let file = TestSignal.ramp.planar(0..<4800)
        #expect(machine.heard(since: start) == [silence(4800), silence(4800)])
        let television = machine.heard(on: Self.hdmi, since: start)
        #expect(television[0] == file[1])
        #expect(television[3] == file[0])
        #expect(television[7] == file[0])
        #expect([1, 2, 4, 5, 6].allSatisfy { television[$0] == silence(4800) })
        player.close()
    }

    @Test(arguments: [
        (
            [0, 1],
            "The channel map 0,1 has 2 entries, and the output needs 10, one for each channel: \"Headphones\" left, right; "
                + "\"HDMI\" left, right, center, lowFrequency, rearLeft, rearRight, sideLeft, sideRight. "
                + "Give a channel of the file for each, or -1 for silence."
        ),
        (
            [0, 1, 2, -1, -1, -1, -1, -1, -1, -1],
            "asks for channel 2 of \"tone.wav\", which has channels 0 to 1. Use these, or -1 for silence."
        ),
        ([0, 1, -2, -1, -1, -1, -1, -1, -1, -1], "asks for channel -2 of \"tone.wav\", which has channels 0 to 1."),
    ])
    func mapThatDoesNotFit_isRefused_andTheOldOneStays(map: [Int], words: String) throws {
        let (machine, player) = try machine()
        try player.setChannelMap([1, 0] + Array(repeating: -1, count: 8))
        let error = #expect(throws: SessionError.self) { try player.setChannelMap(map) }
        #expect(error?.code == .badParam)
        let message = error?.message.replacing(player.info.path, with: "tone.wav") ?? ""
        #expect(message.contains(words), "\(message)")
        let start = machine.host.frame
        try player.play()
        machine.advance(frames: 480)
        #expect(machine.heard(since: start) == TestSignal.ramp.planar(0..<480).reversed())
        player.close()
    }

    @Test func map_whileTheNumberOfChannelsChanges_givesWayToTheDefault_andIsReportedOnce() throws {
        let (machine, player) = try machine()
        let map = Array(repeating: -1, count: 8) + [0, 1]
        try player.setChannelMap(map)
        try player.play()
        machine.advance(frames: 480)
        machine.host.unplug(.hdmi)
        machine.advance(frames: 480)
        #expect(resets.entries == [ChannelMapReset(map: map, outputChannels: 2)])
        let position = Int((player.status.position * 48_000).rounded())
        let start = machine.host.frame
        machine.advance(frames: 480)
        #expect(machine.heard(since: start) == TestSignal.ramp.planar(position..<position + 480))
        // The map does not come back by itself.
        machine.host.plug(.hdmi)
        machine.advance(frames: 480)
        #expect(machine.heard(on: Self.hdmi, since: start).sounding.allSatisfy { $0.isEmpty })
        #expect(resets.entries.count == 1)
        player.close()
    }

    @Test func map_whileAnotherDeviceOfTheSameSizeTakesOver_stays() throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory), onDeviceLoss: .continue)
        try player.setChannelMap([1, -1])
        try player.play()
        machine.advance(frames: 480)
        machine.unplugHeadphones()
        let start = machine.host.frame
        let position = Int((player.status.position * 48_000).rounded())
        machine.advance(frames: 480)
        #expect(
            machine.heard(on: RuntimeMachine.speaker, since: start)
                == [TestSignal.ramp.planar(position..<position + 480)[1], silence(480)])
        try player.setChannelMap(nil)
        machine.advance(frames: 480)
        let after = machine.host.frame
        machine.advance(frames: 480)
        #expect(
            machine.heard(on: RuntimeMachine.speaker, since: after)
                == TestSignal.ramp.planar(position + 960..<position + 1440))
        player.close()
    }

    // MARK: The session's choice

    @Test func choice_underMultiRoute_movesThePlayerToThatDevice_andBackWhenItLeaves() throws {
        let (machine, player) = try machine()
        try player.play()
        machine.advance(frames: 480)
        try machine.choose(.port(uid: Self.hdmi))
        machine.advance(frames: 480)
        func heard() -> [Int] {
            let start = machine.host.frame
            machine.advance(frames: 480)
            return [RuntimeMachine.headphones, Self.hdmi].map { uid in
                machine.heard(on: uid, since: start).count { $0.contains { $0 != 0 } }
            }
        }
        #expect(heard() == [0, 2])
        machine.host.unplug(.hdmi)
        machine.advance(frames: 480)
        #expect(heard() == [2, 0])
        machine.host.plug(.hdmi)
        machine.advance(frames: 480)
        #expect(heard() == [0, 2])
        try machine.choose(.automatic)
        machine.advance(frames: 480)
        #expect(heard() == [2, 0])
        player.close()
    }

    /// Not even for the length of a slide.
    @Test func choice_whileTheDeviceBeforeItLeaves_leavesNothingOnChannelsThatWereItsOwn() throws {
        let (machine, player) = try machine()
        try machine.choose(.port(uid: Self.hdmi))
        try player.play()
        machine.advance(frames: 4800)
        let start = machine.host.frame
        // Channels 2 and 3 of the route were the television's first two, and are its third and fourth from now on.
        machine.unplugHeadphones()
        machine.advance(frames: 4800)
        let heard = machine.heard(on: Self.hdmi, since: start).map { $0.contains { $0 != 0 } }
        #expect(heard == [true, true, false, false, false, false, false, false])
        player.close()
    }

    /// Nor where nothing was chosen: the default map of one route is not that of the next.
    @Test func default_whileAnotherDeviceBecomesTheFirst_leavesNothingOnChannelsThatWereItsOwn() throws {
        let machine = try RuntimeMachine()
        machine.host.plug(.hdmi)
        machine.runtime.drain()
        // Its third and fourth channel are the rear ones, which are the television's fifth and sixth.
        let path = try TestFile.write(.quadrature(hertz: 1000), seconds: 3, channels: 4, in: machine.directory)
        let player = try machine.player(path)
        try player.play()
        machine.advance(frames: 4800)
        func heard(since start: Int) -> [[Bool]] {
            [RuntimeMachine.headphones, Self.hdmi].map { uid in
                machine.heard(on: uid, since: start).map { $0.contains { $0 != 0 } }
            }
        }
        #expect(heard(since: 0) == [[false, false], [true, true, false, false, true, true, false, false]])
        let start = machine.host.frame
        try machine.configure(.multiRoute)
        machine.advance(frames: 4800)
        // On several ports it sounds on the first pair alone. The television's first six channels come after that pair:
        // a slide out of the old mix would sound on its third and fourth.
        #expect(heard(since: start) == [[true, true], Array(repeating: false, count: 8)])
        player.close()
    }

    @Test func choice_underMultiRoute_leavesAPlayerWithAnOutputOfItsOwnWhereItIs() throws {
        let (machine, player) = try machine()
        player.close()
        let bound = try FilePlayer(
            path: try TestFile.write(.ramp, in: machine.directory), runtime: machine.runtime,
            policy: StreamPolicy(target: .ports(uids: [RuntimeMachine.headphones])), onChange: { _ in })
        try machine.choose(.port(uid: Self.hdmi))
        let start = machine.host.frame
        try bound.play()
        machine.advance(frames: 480)
        #expect(machine.heard(since: start) == TestSignal.ramp.planar(0..<480))
        #expect(machine.heard(on: Self.hdmi, since: start).sounding.allSatisfy { $0.isEmpty })
        bound.close()
    }

    // MARK: Levels

    @Test func levels_areThePeaksOfEachChannelOfEachOutput_sinceTheyWereTaken() throws {
        let machine = try RuntimeMachine()
        machine.host.plug(.hdmi)
        try machine.configure(.multiRoute)
        let player = try FilePlayer(
            path: try TestFile.write(.quadrature(hertz: 1000, level: 0.5), in: machine.directory),
            runtime: machine.runtime, volume: 0.5, onChange: { _ in })
        #expect(player.takeLevels() == [RuntimeMachine.headphones: [0, 0], Self.hdmi: Array(repeating: 0, count: 8)])
        try player.setChannelMap([0, -1, -1, 1, -1, -1, -1, -1, -1, -1])
        try player.play()
        machine.advance(frames: 4800)
        let levels = player.takeLevels()
        let loud = levels.mapValues { $0.map { ($0 * 100).rounded() / 100 } }
        #expect(loud == [RuntimeMachine.headphones: [0.25, 0], Self.hdmi: [0, 0.25, 0, 0, 0, 0, 0, 0]])
        player.pause()
        machine.advance(frames: 4800)
        _ = player.takeLevels()
        machine.advance(frames: 4800)
        #expect(player.takeLevels().values.allSatisfy { $0.allSatisfy { $0 == 0 } })
        player.close()
    }
}

extension RuntimeMachine {
    fileprivate func choose(_ choice: OutputChoice) throws {
        try runtime.perform { call, _ in .outputChosenByApp(call, choice) }
        runtime.drain()
    }
}
