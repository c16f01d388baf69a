import AudioModel
import Foundation
import HostSimulated
import RuntimeTestSupport
import SessionCore
import SessionRest
import SimulatedControls
import TestAudio
import TestSupport
import Testing
import Threading

@testable import AudioRuntime
@testable import SessionRuntime

/// A player under interruptions: what its user wants is kept apart from what keeps it silent.
@Suite struct FilePlayerInterruptionTests {
    private static let fade = RuntimeMachine.fade

    // MARK: Intent and suppression

    @Test func suppressionDistinctFromPause() throws {
        let machine = try RuntimeMachine()
        let player = try machine.playing()
        machine.receiveCall()
        machine.advance(frames: 4800)
        #expect(PlayerIntent(player.status) == .interrupted)
        #expect(player.status.position == Double(4800 + Self.fade) / 48_000)
        let silent = machine.host.frame
        machine.advance(frames: 48_000)
        #expect(machine.heard(since: silent).sounding == [[], []])
        let resumed = machine.host.frame
        machine.endCall()
        machine.advance(frames: 4800)
        // It fades in at the very frame; none is lost and none is heard twice.
        let (first, next) = (4800 + Self.fade, 4800 + 2 * Self.fade)
        #expect(
            machine.heard(since: resumed).map { Array($0.dropFirst(Self.fade)) }
                == TestSignal.ramp.planar(next..<(first + 4800)))
        #expect(machine.intents == [.playing, .interrupted, .playing])
        player.close()
    }

    /// One line from the level that was heard down to nothing: no click, and no frame after it.
    @Test func interruption_isHeardAsOneShortFade_andAsNothingAfterIt() throws {
        let machine = try RuntimeMachine()
        let path = try TestFile.write(.quadrature(hertz: 1000), seconds: 3, in: machine.directory)
        let player = try machine.player(path)
        try player.play()
        machine.advance(frames: 4800)
        let begin = machine.host.frame
        machine.receiveCall()
        machine.advance(frames: 48_000)
        // Of two channels in quadrature the level is that of the tone in every frame.
        let heard = machine.heard(since: begin - 1)
        let levels = zip(heard[0], heard[1]).map { hypot($0, $1) }
        #expect(levels[0] > 0.1 && levels.count == 48_001)
        let faults = levels.enumerated().filter { index, level in
            let expected = levels[0] * max(0, 1 - Float(index) / Float(Self.fade))
            // A step of the ramp: whether it ends at its last frame or after it is of no interest here.
            return abs(level - expected) > 1.5 * levels[0] / Float(Self.fade)
        }
        #expect(faults.isEmpty, "\(faults.prefix(5))")
        #expect(levels[(Self.fade + 2)...].allSatisfy { $0 == 0 })
        player.close()
    }

    @Test func endedDoesNotResumeWhatTheUserPaused() throws {
        let machine = try RuntimeMachine()
        let player = try machine.playing()
        machine.receiveCall()
        player.pause()
        let paused = machine.host.frame
        machine.endCall()
        machine.advance(frames: 4800)
        #expect(machine.intents == [.playing, .interrupted, .pausedByUser])
        #expect(machine.heard(since: paused + Self.fade).sounding == [[], []])
        player.close()
    }

    @Test func playDuringInterruptionIsIntentOnly() throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        try machine.runtime.perform { call, _ in .activationRequested(call) }
        machine.receiveCall()
        let start = machine.host.frame
        try player.play()
        machine.advance(frames: 4800)
        #expect(PlayerIntent(player.status) == .interrupted)
        #expect(machine.heard(since: start).sounding == [[], []])
        let resumed = machine.host.frame
        machine.endCall()
        machine.advance(frames: 4800)
        #expect(machine.heard(since: resumed) == TestSignal.ramp.planar(0..<4800))
        #expect(machine.intents == [.interrupted, .playing])
        player.close()
    }

    @Test func wasPausedBeforeInterruptionStaysPaused_andLossWhilePausedIsReportedAgain() throws {
        let machine = try RuntimeMachine()
        let player = try machine.playing()
        player.pause()
        machine.advance(frames: 4800)
        machine.receiveCall()
        machine.endCall()
        machine.advance(frames: 4800)
        #expect(machine.intents == [.playing, .pausedByUser, .pausedByInterruption])
        player.close()
    }

    @Test func play_afterTheEndDuringAnInterruption_startsAgainFromTheFirstFrame() throws {
        let machine = try RuntimeMachine()
        let player = try machine.playing(seconds: 0.2)
        machine.playToTheEnd(player, atMostSeconds: 1)
        machine.receiveCall()
        try player.play()
        #expect(player.status.position == 0)
        let resumed = machine.host.frame
        machine.endCall()
        machine.advance(frames: 4800)
        #expect(machine.heard(since: resumed) == TestSignal.ramp.planar(0..<4800))
        #expect(
            machine.intents
                == [.playing, PlayerIntent(.finished, .endOfFile, isMeant: false), .interrupted, .playing])
        player.close()
    }

    /// The session knows of the end: an interruption after it resumes nothing.
    @Test func finishedPlayer_isNotStartedByTheEndOfAnInterruption() throws {
        let machine = try RuntimeMachine()
        let player = try machine.playing(seconds: 0.2)
        machine.playToTheEnd(player, atMostSeconds: 1)
        machine.receiveCall()
        machine.endCall()
        machine.advance(frames: 4800)
        #expect(machine.intents == [.playing, PlayerIntent(.finished, .endOfFile, isMeant: false)])
        player.close()
    }

    @Test func endedWithoutShouldResumeStaysPaused() throws {
        let machine = try RuntimeMachine()
        let player = try machine.playing()
        let neighbour = try Neighbour(on: machine, named: "Radio")
        try neighbour.activate()
        #expect(PlayerIntent(player.status) == .interrupted)
        try neighbour.deactivate(notifyingOthers: false)
        machine.advance(frames: 4800)
        #expect(machine.intents == [.playing, .interrupted, .pausedByInterruption])
        player.close()
    }

    @Test func notifyOthersResumesThem() throws {
        let machine = try RuntimeMachine()
        let player = try machine.playing()
        let neighbour = try Neighbour(on: machine, named: "Radio")
        try neighbour.activate()
        try neighbour.deactivate(notifyingOthers: true)
        #expect(machine.intents == [.playing, .interrupted, .playing])
        player.close()
    }

    @Test func activationDeniedDoesNotPlay() throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        machine.receiveCall()
        let error = #expect(throws: SessionError.self) { try player.play() }
        #expect(error?.code == .insufficientPriority)
        machine.advance(frames: 4800)
        #expect(machine.heard().sounding == [[], []])
        #expect(machine.intents == [PlayerIntent(.paused, .refusal, isMeant: false)])
        machine.endCall()
        machine.advance(frames: 4800)
        #expect(machine.intents.count == 1, "a refused player starts by itself")
        try player.play()
        #expect(player.status.state == .playing)
        player.close()
    }

    @Test func deactivation_whilePlaying_pausesWithAFade() throws {
        let machine = try RuntimeMachine()
        let player = try machine.playing()
        let start = machine.host.frame
        try machine.runtime.perform { call, _ in .deactivationRequested(call, notifyOthers: false) }
        machine.advance(frames: 4800)
        #expect(machine.intents == [.playing, PlayerIntent(.paused, .deactivation, isMeant: false)])
        let heard = machine.heard(since: start)
        #expect(heard.allSatisfy { $0.prefix(Self.fade).contains { $0 != 0 } })
        #expect(heard.allSatisfy { $0.dropFirst(Self.fade).allSatisfy { $0 == 0 } })
        player.close()
    }

    @Test func noSuitableOutputSuppressesAndRecovers() throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        machine.unplugHeadphones()
        machine.host.unplug(.builtInSpeaker)
        machine.runtime.drain()
        try player.play()
        machine.host.plug(.usbHeadphones)
        machine.advance(frames: 480)
        #expect(
            machine.intents
                == [PlayerIntent(.paused, .noSuitableRoute, isMeant: true, .noSuitableRoute), .playing])
        player.close()
    }

    // MARK: Requests that come too late

    @Test func lateIntentDoesNotReactivate() throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        let runtime = machine.runtime
        try runtime.perform { call, _ in .activationRequested(call) }
        // The session is busy; a deactivation is queued, and behind it a request to play from before.
        let (isBusy, mayGoOn) = (Latch(), Latch())
        runtime.asynchronously { _ in
            isBusy.raise()
            mayGoOn.wait()
        }
        isBusy.wait()
        runtime.ask({ call, _ in .deactivationRequested(call, notifyOthers: false) }) { _ in }
        let result = History<SessionError.Code?>()
        let isAnswered = Latch()
        Thread.detachNewThread {
            do throws(SessionError) {
                try player.play()
                result.append(nil)
            } catch {
                result.append(error.code)
            }
            isAnswered.raise()
        }
        // The second call that waits for its reply is that of `play`.
        while runtime.replies.withLock({ $0.waiting.count }) < 2 { sched_yield() }
        mayGoOn.raise()
        #expect(isAnswered.wait(timeoutSeconds: 20))
        #expect(result.entries == [.sessionNotActive])
        #expect(runtime.state.activation.isInactive)
        machine.advance(frames: 4800)
        #expect(machine.intents == [])
        player.close()
    }
}
