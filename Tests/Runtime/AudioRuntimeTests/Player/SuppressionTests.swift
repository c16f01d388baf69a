import AudioModel
import HostSimulated
import RuntimeTestSupport
import SessionRest
import SimulatedControls
import TestAudio
import Testing

@testable import AudioRuntime
@testable import SessionRuntime

/// How long a player may be kept from playing, in virtual time.
@Suite struct SuppressionTests {
    @Test func suppressedTooLongIsFlagged() throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        machine.unplugHeadphones()
        machine.host.unplug(.builtInSpeaker)
        machine.runtime.drain()
        try player.play()
        machine.advance(frames: 599 * 48_000)
        #expect(player.status.state == .paused)
        #expect(player.status.suppression == .noSuitableRoute)
        machine.advance(frames: 2 * 48_000)
        #expect(player.status.state == .failed)
        #expect(player.status.errorCode == .resourceNotAvailable)
        player.close()
    }

    /// A call may last as long as it likes.
    @Test func suppressionByAnInterruption_howeverLong_isNotFlagged() throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        machine.host.receiveCall()
        machine.runtime.drain()
        #expect(throws: (any Error).self) { try player.play() }
        machine.host.endCall()
        machine.runtime.drain()
        try player.play()
        machine.host.receiveCall()
        machine.advance(frames: 700 * 48_000)
        #expect(player.status.suppression == .interruption)
        machine.host.endCall()
        machine.advance(frames: 480)
        #expect(player.status.state == .playing)
        player.close()
    }
}
