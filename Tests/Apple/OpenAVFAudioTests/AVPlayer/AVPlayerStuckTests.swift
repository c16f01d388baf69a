import CoreMedia
import Foundation
import HostSimulated
import RuntimeTestSupport
import SessionRest
import SimulatedControls
import TestSupport
import Testing

@testable import OpenAVFoundation
@testable import OpenAudioSession
@testable import SessionRuntime

/// What `AVPlayer` tells of a player that does not get on (decision 99).
@MainActor @Suite struct AVPlayerStuckTests {
    private let machine: AppMachine

    /// The longest cycles: some tests take minutes of virtual time.
    init() throws { machine = try AppMachine(quantum: 8192) }

    private func stalls(of player: AVPlayer) -> (History<String>, Observer) {
        let history = History<String>()
        let name = AVPlayerItem.playbackStalledNotification
        return (history, Observer(name, object: player.currentItem) { _ in history.append("stall") })
    }

    private func run(seconds: Double) { machine.advance(frames: Int(seconds * 48_000)) }

    // Behaviour 116
    @Test func standingOutputIsAStall() throws {
        let player = try machine.avPlayer(seconds: 60)
        let (stalls, observer) = stalls(of: player)
        let statuses = History<AVPlayer.TimeControlStatus>()
        let observation = player.observe(\.timeControlStatus) { player, _ in statuses.append(player.timeControlStatus) }
        player.play()
        run(seconds: 1)
        machine.host.stall(seconds: 20)
        let place = player.currentTime()
        run(seconds: 9)
        #expect(player.timeControlStatus == .playing && stalls.entries == [])
        run(seconds: 4)
        #expect((player.timeControlStatus, player.rate) == (.waitingToPlayAtSpecifiedRate, 1))
        #expect(player.reasonForWaitingToPlay == .evaluatingBufferingRate)
        #expect(player.currentTime() == place && stalls.entries == ["stall"])
        run(seconds: 10)
        #expect(player.timeControlStatus == .playing && player.reasonForWaitingToPlay == nil)
        #expect(player.currentTime() > place && stalls.entries == ["stall"])
        #expect(statuses.entries.suffix(2) == [.waitingToPlayAtSpecifiedRate, .playing])
        withExtendedLifetime((observer, observation)) {}
    }

    @Test func stalledServer_isOneStall_howeverLong() throws {
        let player = try machine.avPlayer(seconds: 60)
        let (stalls, observer) = stalls(of: player)
        player.play()
        run(seconds: 1)
        machine.host.stallItems(seconds: 700)
        run(seconds: 650)
        #expect((player.timeControlStatus, player.rate) == (.waitingToPlayAtSpecifiedRate, 1))
        #expect(player.reasonForWaitingToPlay == .toMinimizeStalls && stalls.entries == ["stall"])
        run(seconds: 60)
        #expect(player.timeControlStatus == .playing && stalls.entries == ["stall"])
        withExtendedLifetime(observer) {}
    }

    @Test func itemThatNeverOpens_waits() throws {
        machine.host.setOpening(seconds: 700)
        let player = machine.avPlayer(try machine.item(seconds: 60))
        let (stalls, observer) = stalls(of: player)
        player.play()
        run(seconds: 650)
        #expect((player.timeControlStatus, player.rate) == (.waitingToPlayAtSpecifiedRate, 1))
        #expect(player.reasonForWaitingToPlay == .evaluatingBufferingRate && stalls.entries == [])
        run(seconds: 60)
        #expect(player.timeControlStatus == .playing)
        withExtendedLifetime(observer) {}
    }

    @Test func interruptedPlayer_isNotStuck() throws {
        let player = try machine.avPlayer(seconds: 60)
        let (stalls, observer) = stalls(of: player)
        player.play()
        run(seconds: 1)
        machine.receiveCall()
        run(seconds: 30)
        #expect(player.timeControlStatus == .paused && stalls.entries == [])
        machine.endCall()
        run(seconds: 1)
        #expect(player.timeControlStatus == .playing)
        withExtendedLifetime(observer) {}
    }

    /// The next look does not keep it.
    @Test func releasedPlayer_isNotLookedAt() throws {
        var player: AVPlayer? = try machine.avPlayer(seconds: 60)
        player?.play()
        run(seconds: 1)
        weak let released = player
        player = nil
        machine.runtime.drain()
        #expect(released == nil)
        run(seconds: 5)
        #expect(machine.runtime.state.streams.isEmpty)
    }
}
