import AudioModel
import HostInterface
import Testing

@testable import HostPipeWire

/// Times are in milliseconds.
@Suite struct PipeWireProgramTrackerTests {
    private func time(_ milliseconds: UInt64) -> HostTime { HostTime(nanoseconds: milliseconds * 1_000_000) }

    private func claim(_ serial: UInt64, client: UInt32) -> PipeWireClaim {
        PipeWireClaim(
            serial: ClaimSerial(number: serial), clientID: client, category: "playback", mode: "default", name: "player"
        )
    }

    private func stream(_ serial: UInt64, client: UInt32, isRunning: Bool) -> PipeWireOtherStream {
        PipeWireOtherStream(serial: serial, clientID: client, isRunning: isRunning, role: "Phone", name: "call")
    }

    private func peer(_ serial: UInt64, client: UInt64, isPlaying: Bool) -> Peer {
        Peer(
            serial: ClaimSerial(number: serial), configuration: SessionConfiguration(category: .playback),
            isPlaying: isPlaying, name: "player", owner: client)
    }

    private func foreign(_ serials: UInt64...) -> HostEvent {
        .foreignStreamsChanged(serials.map { ForeignStream(id: $0, role: "Phone", name: "call") })
    }

    /// Of client 1: a claim with serial 10, and a stream 11 that runs.
    private func playingSession() -> PipeWireProgramTracker {
        var tracker = PipeWireProgramTracker()
        tracker.added(10, clientID: 1, isClaim: true)
        tracker.changed(claim(10, client: 1), isForeign: true)
        tracker.added(11, clientID: 1, isClaim: false)
        tracker.changed(stream(11, client: 1, isRunning: true), isForeign: true, at: time(0))
        _ = tracker.drainEvents()
        return tracker
    }

    /// A session that ends a moment after it has begun: the server tells the start of its stream after the end of its claim.
    @Test func streamThatIsToldAsRunning_afterItsClaimHasGone_isNoOther_untilThatHasLasted() {
        var tracker = PipeWireProgramTracker()
        tracker.added(10, clientID: 1, isClaim: true)
        tracker.changed(claim(10, client: 1), isForeign: true)
        tracker.added(11, clientID: 1, isClaim: false)
        tracker.changed(stream(11, client: 1, isRunning: false), isForeign: true, at: time(0))
        _ = tracker.removed(10, at: time(1))
        _ = tracker.drainEvents()
        tracker.changed(stream(11, client: 1, isRunning: true), isForeign: true, at: time(2))
        #expect(tracker.drainEvents() == [])
        // That of another program is.
        tracker.added(12, clientID: 2, isClaim: false)
        tracker.changed(stream(12, client: 2, isRunning: true), isForeign: true, at: time(3))
        #expect(tracker.drainEvents() == [foreign(12)])
        #expect(tracker.nextDeadline == time(501))
        tracker.debounce(at: time(501))
        #expect(tracker.drainEvents() == [foreign(11, 12)])
    }

    /// Of a stream that a guard has moved to its holding sink; the sink ends with the guard.
    @Test func targetOfAGuard_whileItsSinkIsThere_holdsTheStream() {
        var tracker = PipeWireProgramTracker()
        var music = PipeWireOtherStream(serial: 5, nodeID: 50, clientID: 1, isRunning: true, name: "mpv")
        func told(_ isHeld: Bool) -> [HostEvent] {
            [.foreignStreamsChanged([ForeignStream(id: 5, name: "mpv", isHeld: isHeld)])]
        }
        tracker.setHoldingSinks(["audiosession.guard.hold.7"])
        tracker.changed(music, isForeign: true, at: time(0))
        #expect(tracker.drainEvents() == told(false))
        tracker.setTarget("audiosession.guard.hold.7", ofNode: 50)
        #expect(tracker.drainEvents() == told(true))
        // It stops and starts on its way.
        music.isRunning = false
        tracker.changed(music, isForeign: true, at: time(10))
        music.isRunning = true
        tracker.changed(music, isForeign: true, at: time(20))
        #expect(tracker.drainEvents() == [])
        tracker.setHoldingSinks([])
        #expect(tracker.drainEvents() == told(false))
        tracker.setHoldingSinks(["audiosession.guard.hold.7"])
        #expect(tracker.drainEvents() == told(true))
        tracker.setTarget(nil, ofNode: 50)
        #expect(tracker.drainEvents() == told(false))
        tracker.setTarget("speaker", ofNode: 50)
        tracker.setTarget("audiosession.guard.catch.7", ofNode: 50)
        #expect(tracker.drainEvents() == [])
        tracker.setTarget("audiosession.guard.hold.7", ofNode: 50)
        #expect(tracker.drainEvents() == told(true))
        tracker.setTarget(nil, ofNode: nil)
        #expect(tracker.drainEvents() == told(false))
    }

    @Test func stop_isReportedWhenItHasLasted_andARemovalAtOnce() {
        var tracker = PipeWireProgramTracker()
        tracker.changed(stream(5, client: 1, isRunning: true), isForeign: true, at: time(0))
        #expect(tracker.drainEvents() == [foreign(5)])
        #expect(tracker.nextDeadline == nil)
        tracker.changed(stream(5, client: 1, isRunning: false), isForeign: true, at: time(10))
        #expect(tracker.drainEvents() == [])
        #expect(tracker.nextDeadline == time(110))
        // Moved to another sink: it runs again.
        tracker.changed(stream(5, client: 1, isRunning: true), isForeign: true, at: time(50))
        tracker.debounce(at: time(110))
        #expect(tracker.drainEvents() == [])
        #expect(tracker.nextDeadline == nil)
        tracker.changed(stream(5, client: 1, isRunning: false), isForeign: true, at: time(200))
        tracker.debounce(at: time(299))
        #expect(tracker.drainEvents() == [])
        tracker.debounce(at: time(300))
        #expect(tracker.drainEvents() == [foreign()])
        tracker.changed(stream(5, client: 1, isRunning: true), isForeign: true, at: time(400))
        _ = tracker.drainEvents()
        #expect(tracker.removed(5, at: time(401)) == false)
        #expect(tracker.drainEvents() == [foreign()])
    }

    /// Programs set their volume as soon as they run: `pw-play --volume 0` is heard nowhere.
    @Test func streamThatBegins_isSilentUntilThatHasLasted_andThenAsItIs() {
        func silent(_ isSilent: Bool) -> [HostEvent] {
            [.foreignStreamsChanged([ForeignStream(id: 5, role: "Phone", name: "call", isSilent: isSilent)])]
        }
        var tracker = PipeWireProgramTracker()
        var call = stream(5, client: 1, isRunning: false)
        tracker.changed(call, isForeign: true, at: time(0))
        call.isRunning = true
        tracker.changed(call, isForeign: true, at: time(10))
        #expect(tracker.drainEvents() == silent(true))
        #expect(tracker.nextDeadline == time(110))
        call.isSilent = true
        tracker.changed(call, isForeign: true, at: time(20))
        tracker.debounce(at: time(110))
        #expect(tracker.drainEvents() == [] && tracker.nextDeadline == nil)
        call.isSilent = false
        tracker.changed(call, isForeign: true, at: time(200))
        #expect(tracker.drainEvents() == silent(false))
        // What runs when it is first told of may have played for long.
        tracker.changed(stream(6, client: 2, isRunning: true), isForeign: true, at: time(300))
        #expect(tracker.drainEvents() == [foreign(5, 6)])
    }

    @Test func streamsThatAreNotForeign_areNotReported_evenWhenTheyWere() {
        var tracker = PipeWireProgramTracker()
        tracker.changed(stream(5, client: 1, isRunning: true), isForeign: false, at: time(0))
        #expect(tracker.drainEvents() == [])
        tracker.changed(stream(6, client: 1, isRunning: true), isForeign: true, at: time(0))
        #expect(tracker.drainEvents() == [foreign(6)])
        tracker.changed(stream(6, client: 1, isRunning: true), isForeign: false, at: time(1))
        #expect(tracker.drainEvents() == [foreign()])
        tracker.changed(claim(7, client: 2), isForeign: false)
        #expect(tracker.drainEvents() == [])
    }

    @Test func streamThatRunsBeforeItsClaimIsKnown_isItsSessionsOwn() {
        var tracker = PipeWireProgramTracker()
        tracker.added(10, clientID: 1, isClaim: true)
        tracker.added(11, clientID: 1, isClaim: false)
        tracker.changed(stream(11, client: 1, isRunning: true), isForeign: true, at: time(0))
        #expect(tracker.drainEvents() == [])
        #expect(tracker.nextDeadline == time(500))
        tracker.changed(claim(10, client: 1), isForeign: true)
        #expect(tracker.drainEvents() == [.peerChanged(peer(10, client: 1, isPlaying: true))])
        #expect(tracker.nextDeadline == nil)
    }

    @Test func streamThatOutlivesItsClaim_isForeignAfterHalfASecond() {
        var tracker = playingSession()
        #expect(tracker.removed(10, at: time(100)) == false)
        #expect(tracker.drainEvents() == [.peerLeft(ClaimSerial(number: 10), notifiesOthers: false)])
        tracker.debounce(at: time(599))
        #expect(tracker.drainEvents() == [])
        tracker.debounce(at: time(600))
        #expect(tracker.drainEvents() == [foreign(11)])
    }

    @Test func streamThatFadesAfterItsClaim_isNeverForeign() {
        var tracker = playingSession()
        _ = tracker.removed(10, at: time(100))
        _ = tracker.drainEvents()
        // The graph changes its driver in the middle of the fade.
        tracker.changed(stream(11, client: 1, isRunning: false), isForeign: true, at: time(110))
        tracker.changed(stream(11, client: 1, isRunning: true), isForeign: true, at: time(120))
        #expect(tracker.drainEvents() == [])
        tracker.changed(stream(11, client: 1, isRunning: false), isForeign: true, at: time(150))
        tracker.debounce(at: time(250))
        tracker.debounce(at: time(700))
        #expect(tracker.drainEvents() == [])
        #expect(tracker.nextDeadline == nil)
    }

    /// A session that changes what it claims puts the new claim up first.
    @Test func departure_waitsForWhatCameBefore() {
        var tracker = playingSession()
        tracker.added(12, clientID: 1, isClaim: true)
        #expect(tracker.removed(10, at: time(100)) == true)
        #expect(tracker.drainEvents() == [])
        tracker.changed(claim(12, client: 1), isForeign: true)
        #expect(tracker.drainEvents() == [.peerChanged(peer(12, client: 1, isPlaying: true))])
        tracker.departed(10, at: time(101))
        #expect(tracker.drainEvents() == [.peerLeft(ClaimSerial(number: 10), notifiesOthers: false)])
        #expect(tracker.nextDeadline == nil)
    }

    @Test func departureThatWaits_makesTheNextOneWait() {
        var tracker = playingSession()
        tracker.changed(claim(20, client: 2), isForeign: true)
        _ = tracker.drainEvents()
        tracker.added(30, clientID: 3, isClaim: false)
        #expect(tracker.removed(10, at: time(1)) == true)
        tracker.changed(stream(30, client: 3, isRunning: true), isForeign: true, at: time(2))
        #expect(tracker.removed(20, at: time(3)) == true)
        tracker.departed(10, at: time(4))
        tracker.departed(20, at: time(5))
        #expect(
            tracker.drainEvents() == [
                .peerLeft(ClaimSerial(number: 10), notifiesOthers: false),
                .peerLeft(ClaimSerial(number: 20), notifiesOthers: false), foreign(30),
            ])
    }
}
