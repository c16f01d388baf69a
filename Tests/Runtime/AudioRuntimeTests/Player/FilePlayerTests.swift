import AudioFiles
import AudioModel
import Foundation
import HostSimulated
import RuntimeTestSupport
import SessionCore
import SimulatedControls
import TestAudio
import Testing

@testable import AudioRuntime

/// A player of one file on the simulated host, where every sample that reaches a port is on record.
@Suite struct FilePlayerTests {
    private static let fade = RuntimeMachine.fade

    // MARK: Playing

    @Test(arguments: [AudioFileFormat.wav16, .flac16], [480, 441, 1, 4096])
    func play_ofA16BitFileAt48kHz_isBitExactFromTheFirstFrameToTheLast(format: AudioFileFormat, quantum: Int) throws {
        let machine = try RuntimeMachine(quantum: quantum)
        let seconds = quantum == 1 ? 0.05 : 1
        let frames = Int(seconds * 48_000)
        let path = try TestFile.write(.ramp, seconds: seconds, format: format, in: machine.directory)
        let player = try machine.player(path)
        let start = machine.host.frame
        try player.play()
        machine.advance(frames: 60_000)
        let heard = machine.heard(since: start)
        #expect(heard.map { Array($0.prefix(frames)) } == TestSignal.ramp.planar(0..<frames))
        #expect(heard.allSatisfy { $0.dropFirst(frames).allSatisfy { $0 == 0 } })
        #expect(heard[0].count == 60_000)
        #expect(machine.states == ["playing (user)", "finished (endOfFile)"])
        #expect(player.status.position == seconds)
        player.close()
    }

    /// As many laps in a cycle as it takes.
    @Test(arguments: [480, 4096], [1, 20]) func veryShortSound_withLoops_hasNoGap(quantum: Int, frames: Int) throws {
        let machine = try RuntimeMachine(quantum: quantum)
        let path = try TestFile.write(.ramp, seconds: Double(frames) / 48_000, in: machine.directory)
        let player = try machine.player(path)
        player.repetitions = -1
        let start = machine.host.frame
        try player.play()
        machine.advance(frames: 16_384)
        let round = TestSignal.ramp.planar(0..<frames)
        let expected = round.map { channel in (0..<16_384).map { channel[$0 % frames] } }
        #expect(machine.heard(since: start) == expected)
        player.close()
    }

    @Test func pause_thenPlay_goesOnAtTheVeryFrame() throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        try player.play()
        machine.advance(frames: 4800)
        player.pause()
        machine.advance(frames: 4800)
        let paused = player.status.position
        machine.advance(frames: 4800)
        #expect(player.status.position == paused)
        // The fade sounds, so it moves the position.
        #expect(paused == Double(4800 + Self.fade) / 48_000)
        let resumed = machine.host.frame
        try player.play()
        machine.advance(frames: 4800)
        let heard = machine.heard(since: resumed)
        // It fades in; from then on every frame is the file's own again, none lost and none repeated.
        let (first, next) = (4800 + Self.fade, 4800 + 2 * Self.fade)
        #expect(
            heard.map { Array($0.dropFirst(Self.fade)) }
                == TestSignal.ramp.planar(next..<(first + 4800)))
        #expect(machine.states == ["playing (user)", "paused (user)", "playing (user)"])
        player.close()
    }

    @Test func pause_rightAfterPlay_playsNothingAndStartsAtTheFirstFrame() throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        try player.play()
        player.pause()
        machine.advance(frames: 4800)
        #expect(machine.heard().sounding == [[], []])
        #expect(player.status == .init(transport: .init(.paused), position: 0))
        let start = machine.host.frame
        try player.play()
        machine.advance(frames: 960)
        #expect(machine.heard(since: start) == TestSignal.ramp.planar(0..<960))
        player.close()
    }

    @Test func playAndPause_repeated_areIdempotent() throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        player.pause()
        try player.play()
        try player.play()
        machine.advance(frames: 960)
        player.pause()
        player.pause()
        machine.advance(frames: 960)
        #expect(machine.states == ["playing (user)", "paused (user)"])
        player.close()
    }

    @Test func play_afterTheEnd_startsAgainFromTheFirstFrame() throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(try TestFile.write(.ramp, seconds: 0.1, in: machine.directory))
        for _ in 1...3 {
            let start = machine.host.frame
            try player.play()
            machine.advance(frames: 9600)
            #expect(player.status == .init(transport: .init(.finished, .endOfFile), position: 0.1))
            #expect(machine.heard(since: start).map { Array($0.prefix(4800)) } == TestSignal.ramp.planar(0..<4800))
        }
        #expect(
            machine.states == Array(repeating: ["playing (user)", "finished (endOfFile)"], count: 3).flatMap { $0 })
        player.close()
    }

    @Test func twoPlayers_atOnce_addUp() throws {
        let machine = try RuntimeMachine()
        let tone = TestSignal.quadrature(hertz: 440, level: 0.25)
        let players = try [TestSignal.ramp, tone].map { signal in
            try machine.player(try TestFile.write(signal, seconds: 0.5, format: .wavFloat, in: machine.directory))
        }
        let start = machine.host.frame
        for player in players { try player.play() }
        machine.advance(frames: 24_000)
        let sum = zip(TestSignal.ramp.planar(0..<24_000), tone.planar(0..<24_000)).map { zip($0, $1).map(+) }
        #expect(machine.heard(since: start) == sum)
        for player in players { player.close() }
    }

    @Test func play_ofATruncatedFile_playsWhatIsThereAndThenFails() throws {
        let machine = try RuntimeMachine()
        let path = try TestFile.truncated(format: .wav16, seconds: 2, in: machine.directory)
        let player = try machine.player(path)
        try player.play()
        machine.playToTheEnd(player, atMostSeconds: 3)
        // 40 % of the bytes, of which 44 are the header.
        let frames = (Int(Double(2 * 48_000 * 4 + 44) * 0.4) - 44) / 4
        #expect(machine.heard().sounding.map(\.count) == [frames, frames])
        #expect(machine.states == ["playing (user)", "failed (error)"])
        #expect(player.status.message?.contains("\"\(path)\" is incomplete") == true, "\(player.status)")
        // It has failed for good, and says so to whoever asks again.
        #expect(throws: SessionError.self) { try player.play() }
        player.close()
    }

    // MARK: Seeking

    @Test func seek_whilePlaying_goesOnThere() throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        try player.play()
        machine.advance(frames: 4800)
        player.seek(toSeconds: 0.5)
        #expect(player.status.position == 0.5)
        #expect(player.status.state == .playing)
        let start = machine.host.frame
        machine.advance(frames: 4800)
        // The old place decays, then the new one fades in; after that every frame is the file's own.
        let heard = machine.heard(since: start)
        #expect(
            heard.map { Array($0.dropFirst(2 * Self.fade)) }
                == TestSignal.ramp.planar((24_000 + Self.fade)..<(24_000 + 4800 - Self.fade)))
        player.close()
    }

    @Test func seek_beforePlaying_startsThere() throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        player.seek(toSeconds: 0.25)
        #expect(player.status == .init(transport: .init(.ready), position: 0.25))
        let start = machine.host.frame
        try player.play()
        machine.advance(frames: 4800)
        #expect(
            machine.heard(since: start).map { Array($0.dropFirst(Self.fade)) }
                == TestSignal.ramp.planar((12_000 + Self.fade)..<16_800))
        player.close()
    }

    @Test func seek_whilePaused_staysPausedAndPlaysFromThere() throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        try player.play()
        machine.advance(frames: 4800)
        player.pause()
        machine.advance(frames: 4800)
        let paused = machine.host.frame
        player.seek(toSeconds: 0.75)
        machine.advance(frames: 4800)
        #expect(player.status == .init(transport: .init(.paused), position: 0.75))
        #expect(machine.heard(since: paused).sounding == [[], []])
        let start = machine.host.frame
        try player.play()
        machine.advance(frames: 4800)
        #expect(
            machine.heard(since: start).map { Array($0.dropFirst(Self.fade)) }
                == TestSignal.ramp.planar((36_000 + Self.fade)..<40_800))
        player.close()
    }

    @Test func seek_afterTheEnd_pausesThere() throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(try TestFile.write(.ramp, seconds: 0.5, in: machine.directory))
        try player.play()
        machine.playToTheEnd(player, atMostSeconds: 1)
        player.seek(toSeconds: 0.25)
        #expect(player.status == .init(transport: .init(.paused), position: 0.25))
        let start = machine.host.frame
        try player.play()
        machine.advance(frames: 24_000)
        #expect(
            machine.heard(since: start).map { Array($0[Self.fade..<12_000]) }
                == TestSignal.ramp.planar((12_000 + Self.fade)..<24_000))
        #expect(player.status.state == .finished)
        player.close()
    }

    static let seeks: [(Double, Double)] = [
        (-1, 0), (.nan, 0), (-.infinity, 0), (0.5, 0.5), (1, 1), (1e300, 1), (.infinity, 1),
    ]

    @Test(arguments: seeks)
    func seek_toAnyNumber_isClampedToTheFile(seconds: Double, expected: Double) throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        player.seek(toSeconds: seconds)
        #expect(player.status.position == expected)
        try player.play()
        machine.playToTheEnd(player, atMostSeconds: 2)
        #expect(machine.states == ["playing (user)", "finished (endOfFile)"])
        player.close()
    }

    /// The frames are counted where the header does not tell their number.
    @Test func file_whoseHeaderHasNoLength_hasOne_andItsPositionMoves() throws {
        let machine = try RuntimeMachine()
        let whole = try TestFile.write(.quadrature(hertz: 440), seconds: 3, format: .flac16, in: machine.directory)
        var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: whole)))
        // Who encodes into a pipe cannot say the length: the 36 bits of the header's frame count stay 0.
        bytes[21] &= 0xF0
        bytes.replaceSubrange(22..<26, with: repeatElement(0, count: 4))
        let player = try machine.player(
            try TestFile.write(bytes: bytes, named: "unknown.flac", in: machine.directory))
        #expect(player.info.duration == 3)
        try player.play()
        machine.advance(frames: 9600)
        #expect(player.status.position == 0.2)
        player.seek(toSeconds: 0.1)
        machine.advance(frames: 4800)
        #expect(abs(player.status.position - 0.2) < 0.006, "the fade of the old place took 5 ms of it")
        player.seek(toSeconds: 1e300)
        machine.playToTheEnd(player, atMostSeconds: 5)
        #expect(player.status.state != .playing)
        #expect((0.1...3).contains(player.status.position), "\(player.status)")
        player.close()
    }

    // MARK: Volume

    @Test func volume_isAppliedToEveryFrame() throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory), volume: 0.5)
        let start = machine.host.frame
        try player.play()
        machine.advance(frames: 4800)
        #expect(machine.heard(since: start) == TestSignal.ramp.planar(0..<4800).map { $0.map { $0 * 0.5 } })
        player.volume = 0.25
        machine.advance(frames: 4800)
        #expect(
            machine.heard(since: start).map { Array($0.dropFirst(4800 + Self.fade)) }
                == TestSignal.ramp.planar((4800 + Self.fade)..<9600).map { $0.map { $0 * 0.25 } })
        player.close()
    }

    static let volumes: [(Float, Float)] = [(-1, 0), (2, 1), (.nan, 0), (0.3, 0.3), (.infinity, 0)]

    @Test(arguments: volumes)
    func volume_outsideItsRange_isClamped(volume: Float, expected: Float) throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        player.volume = volume
        #expect(player.volume == expected)
        player.close()
    }
}
