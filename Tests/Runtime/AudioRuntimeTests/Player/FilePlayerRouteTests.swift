import AudioModel
import Foundation
import HostSimulated
import RuntimeTestSupport
import SessionCore
import SessionRest
import SimulatedControls
import TestAudio
import Testing

@testable import AudioRuntime
@testable import SessionRuntime

/// A player and its session on the simulated host: ports that leave, sessions that end, players that are let go.
@Suite struct FilePlayerRouteTests {
    private static let fade = RuntimeMachine.fade

    // MARK: Links

    @Test func refusedLink_failsThePlayerOnce_andIsNotTriedAgain() throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        try player.play()
        machine.advance(frames: 4800)
        machine.host.failNextLink(with: .refused("the server allows no links"))
        machine.host.plug(.usbHeadphones)
        machine.advance(frames: 480)
        machine.host.plug(.hdmi)
        machine.advance(frames: 480)
        #expect(machine.states == ["playing (user)", "failed (error)"])
        #expect(player.status.message == "The server allows no links.")
        #expect(!machine.host.facts.contains { "\($0)".contains("simulated.hdmi") && "\($0)".contains("linked") })
        player.close()
    }

    // MARK: Several ports at once

    /// Apple's default channel map: [0, 1, -1, -1, ...].
    @Test func stereoFile_inMultiRoute_soundsOnTheFirstPortsPairAlone() throws {
        let machine = try RuntimeMachine()
        machine.host.plug(.hdmi)
        try machine.configure(.multiRoute)
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        let start = machine.host.frame
        try player.play()
        machine.advance(frames: 4800)
        #expect(machine.heard(since: start) == TestSignal.ramp.planar(0..<4800))
        let hdmi = machine.heard(on: SimulatedDevice.hdmi.uid, since: start)
        #expect(hdmi == Array(repeating: [Float](repeating: 0, count: 4800), count: 8))
        #expect(machine.heard(on: RuntimeMachine.speaker, since: start).allSatisfy { $0.allSatisfy { $0 == 0 } })
        player.close()
    }

    /// Every frame once, although the stream is linked again each time.
    @Test func portsThatComeAndGo_inMultiRoute_loseNoFrameOfAPlayerThatGoesOn() throws {
        let machine = try RuntimeMachine()
        try machine.configure(.multiRoute)
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory), onDeviceLoss: .continue)
        let start = machine.host.frame
        try player.play()
        for step in 0..<8 {
            if step.isMultiple(of: 2) { machine.host.plug(.hdmi) } else { machine.host.unplug(.hdmi) }
            machine.runtime.drain()
            machine.advance(frames: 480)
        }
        #expect(machine.heard(since: start) == TestSignal.ramp.planar(0..<3840))
        #expect(machine.states == ["playing (user)"])
        player.close()
    }

    // MARK: Unplugs

    /// Promised: with `.continue` the position never runs backwards, and every frame of the file is played once, on the
    /// old port or on the new one.
    @Test func unplug_toldToContinue_losesAndRepeatsNoFrame() throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(
            try TestFile.write(.ramp, in: machine.directory), onDeviceLoss: .continue)
        let start = machine.host.frame
        try player.play()
        var positions: [Double] = []
        for step in 0..<100 {
            if step == 37 { machine.unplugHeadphones() }
            machine.advance(frames: 480)
            positions.append(player.status.position)
        }
        let unplugged = start + 37 * 480
        let heard = zip(machine.heard(since: start), machine.heard(on: RuntimeMachine.speaker, since: unplugged))
            .map { Array($0[..<(37 * 480)]) + $1 }
        #expect(heard == TestSignal.ramp.planar(0..<48_000))
        #expect(positions == (1...100).map { Double($0 * 480) / 48_000 })
        #expect(machine.states == ["playing (user)"])
        player.close()
    }

    /// The same with a plug that is pulled while time runs, so that some cycles pass before the new link is there.
    ///
    /// Promised: these cycles are silent and hold the position; the frames of the fade afterwards are the next ones.
    @Test func unplug_whileTimeRuns_holdsThePositionUntilTheNewLink() throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(
            try TestFile.write(.ramp, in: machine.directory), onDeviceLoss: .continue)
        let start = machine.host.frame
        try player.play()
        machine.host.schedule(Scenario().at(0.3) { $0.unplug(.wiredHeadphones) })
        machine.advance(frames: 19_200)
        machine.playToTheEnd(player, atMostSeconds: 2)
        let before = machine.heard(since: start).map { Array($0[..<14_400]) }
        #expect(before == TestSignal.ramp.planar(0..<14_400))
        let after = machine.heard(on: RuntimeMachine.speaker, since: start).sounding
        // The first sample of a fade is 0 in both channels.
        #expect(after.allSatisfy { (48_000 - 14_400 - 1...48_000 - 14_400).contains($0.count) })
        let whole = 48_000 - 14_400 - Self.fade
        #expect(after.map { Array($0.suffix(whole)) } == TestSignal.ramp.planar((48_000 - whole)..<48_000))
        #expect(machine.states == ["playing (user)", "finished (endOfFile)"])
        player.close()
    }

    @Test func unplug_whilePaused_staysPausedAndMakesNoSound() throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(try TestFile.write(.quadrature(hertz: 1000), in: machine.directory))
        try player.play()
        machine.advance(frames: 4800)
        player.pause()
        machine.advance(frames: 4800)
        machine.unplugHeadphones()
        machine.advance(frames: 4800)
        #expect(machine.states == ["playing (user)", "paused (user)"])
        #expect(machine.heard(on: RuntimeMachine.speaker).sounding == [[], []])
        try player.play()
        machine.advance(frames: 4800)
        #expect(machine.heard(on: RuntimeMachine.speaker).sounding[0].count > 4700)
        player.close()
    }

    @Test func unplug_duringTheFadeOfAPause_cutsTheFade() throws {
        let machine = try RuntimeMachine(quantum: 64)
        let player = try machine.player(try TestFile.write(.quadrature(hertz: 1000), in: machine.directory))
        try player.play()
        machine.advance(frames: 4800)
        player.pause()
        machine.advance(frames: 64)
        machine.unplugHeadphones()
        machine.advance(frames: 4800)
        #expect(machine.states == ["playing (user)", "paused (user)"])
        #expect(machine.heard(on: RuntimeMachine.speaker).sounding == [[], []])
        // Paused, not broken.
        try player.play()
        machine.advance(frames: 4800)
        #expect(machine.heard(on: RuntimeMachine.speaker).sounding[0].count > 4700)
        player.close()
    }

    // MARK: Ends

    @Test func close_twice_isHarmless_andPlayingAfterwardsIsRefused() throws {
        let machine = try RuntimeMachine()
        let path = try TestFile.write(.ramp, in: machine.directory)
        let player = try machine.player(path)
        try player.play()
        machine.advance(frames: 4800)
        player.close()
        player.close()
        let closed = machine.host.frame
        #expect(player.status.state != .playing)
        let error = #expect(throws: SessionError.self) { try player.play() }
        #expect(error?.message.contains(path) == true)
        player.pause()
        player.seek(toSeconds: 0.5)
        player.volume = 0.5
        machine.advance(frames: 4800)
        #expect(player.status.state != .playing)
        #expect(machine.heard(since: closed).sounding == [[], []])
    }

    @Test func player_letGoWithoutClose_endsItsStream() throws {
        let machine = try RuntimeMachine()
        let path = try TestFile.write(.ramp, in: machine.directory)
        do {
            let player = try machine.player(path)
            try player.play()
            machine.advance(frames: 4800)
            withExtendedLifetime(player) {}
        }
        let gone = machine.host.frame
        machine.advance(frames: 4800)
        #expect(machine.heard(since: gone).sounding == [[], []])
        #expect(machine.runtime.state.streams.isEmpty)
    }

    @Test func shutdown_whilePlayersAreOpen_endsTheSoundAndRefusesTheNextPlay() throws {
        let machine = try RuntimeMachine()
        let path = try TestFile.write(.ramp, in: machine.directory)
        let players = try (0..<3).map { _ in try machine.player(path) }
        try players[0].play()
        try players[1].play()
        machine.advance(frames: 4800)
        players[1].pause()
        machine.runtime.shutdown()
        let ended = machine.host.frame
        machine.host.advance(frames: 4800)
        #expect(machine.heard(since: ended).sounding == [[], []])
        for player in players {
            #expect(throws: SessionError.self) { try player.play() }
            player.pause()
            player.seek(toSeconds: 0)
            player.close()
        }
    }

    // MARK: Media services

    @Test func resetDropsObjects_andDoesNotRestartSound() throws {
        let machine = try RuntimeMachine()
        let path = try TestFile.write(.ramp, seconds: 3, in: machine.directory)
        let player = try machine.player(path)
        try player.play()
        machine.advance(frames: 4800)
        machine.host.crashServer()
        machine.runtime.drain()
        #expect(machine.intents == [.playing, PlayerIntent(.failed, .error, isMeant: false)])
        #expect(player.status.errorCode == .mediaServicesFailed)
        #expect(#expect(throws: SessionError.self) { try player.play() }?.code == .cannotStartPlaying)
        machine.host.restartServer()
        machine.runtime.drain()
        let reset = machine.host.frame
        machine.advance(frames: 4800)
        #expect(machine.heard(since: reset).sounding == [[], []])
        // Dead for good: it throws, or does nothing.
        #expect(#expect(throws: SessionError.self) { try player.play() }?.code == .cannotStartPlaying)
        player.pause()
        player.seek(toSeconds: 1)
        player.volume = 0.5
        player.close()
        let new = try machine.player(path)
        let start = machine.host.frame
        try new.play()
        machine.advance(frames: 4800)
        #expect(machine.heard(since: start) == TestSignal.ramp.planar(0..<4800))
        new.close()
    }

    // MARK: Files that others made

    static let collections: [(package: String, folder: String, ending: String)] = [
        ("sound-theme-freedesktop", "/usr/share/sounds/freedesktop/stereo", ".oga"),
        ("alsa-utils", "/usr/share/sounds/alsa", ".wav"),
    ]

    @Test(arguments: collections)
    func play_ofFilesMadeByOthers_comesToTheEndOfEach(
        collection: (package: String, folder: String, ending: String)
    ) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: collection.folder)
            .filter { $0.hasSuffix(collection.ending) }.sorted()
        try #require(!names.isEmpty, "\(collection.folder) has no sounds; apt-get install \(collection.package)")
        let machine = try RuntimeMachine(quantum: 4096, captureSeconds: 30)
        var played = 0
        for name in names {
            machine.host.clearCaptures()
            let player = try machine.player("\(collection.folder)/\(name)")
            try player.play()
            machine.playToTheEnd(player, atMostSeconds: player.info.duration + 1)
            #expect(player.status.state == .finished, "\(name): \(player.status)")
            // The position is whole frames, the duration whatever the file says.
            #expect(abs(player.status.position - player.info.duration) < 1.0 / 48_000, "\(name)")
            let peak = machine.heard().map { $0.map(abs).max() ?? 0 }.max() ?? 0
            // Loud enough to be heard, and no wrong scale: Vorbis may overshoot full scale a little.
            #expect((0.01...1.5).contains(peak), "\(name): peak \(peak)")
            player.close()
            played += 1
        }
        #expect(played == names.count)
    }
}
