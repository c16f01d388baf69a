import AudioModel
import HostSimulated
import RuntimeTestSupport
import SessionCore
import SimulatedControls
import TestAudio
import Testing

@testable import AudioRuntime

/// A player that another session makes quieter.
@Suite struct FilePlayerDuckingTests {
    private static let fade = RuntimeMachine.fade

    @Test(arguments: [1, 0.5] as [Float])
    func duckLowersThenRestores(volume: Float) throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(
            try TestFile.write(.ramp, seconds: 3, in: machine.directory), volume: volume)
        let neighbour = try Neighbour(on: machine, named: "Navigator")
        let start = machine.host.frame
        try player.play()
        machine.advance(frames: 4800)
        try neighbour.activate(options: .duckOthers)
        machine.advance(frames: 4800)
        try neighbour.deactivate(notifyingOthers: true)
        machine.advance(frames: 4800)
        let heard = machine.heard(since: start)
        func expected(_ frames: Range<Int>, _ factor: Float) -> [[Float]] {
            TestSignal.ramp.planar(frames).map { $0.map { $0 * factor } }
        }
        let ducked = (4800 + Self.fade)..<9600
        let restored = (9600 + Self.fade)..<14_400
        #expect(heard.map { Array($0[..<4800]) } == expected(0..<4800, volume))
        #expect(heard.map { Array($0[ducked]) } == expected(ducked, volume * 0.2))
        #expect(heard.map { Array($0[restored]) } == expected(restored, volume))
        #expect(player.volume == volume)
        #expect(machine.intents == [.playing])
        player.close()
    }

    @Test func duckWhilePausedAlsoRestored() throws {
        let machine = try RuntimeMachine()
        let player = try machine.playing()
        let neighbour = try Neighbour(on: machine, named: "Navigator")
        player.pause()
        machine.advance(frames: 4800)
        try neighbour.activate(options: .duckOthers)
        player.volume = 0.5
        try neighbour.deactivate(notifyingOthers: false)
        player.volume = 1
        let start = machine.host.frame
        try player.play()
        machine.advance(frames: 4800)
        let first = 4800 + Self.fade
        #expect(
            machine.heard(since: start).map { Array($0.dropFirst(Self.fade)) }
                == TestSignal.ramp.planar((first + Self.fade)..<(first + 4800)))
        player.close()
    }
}
