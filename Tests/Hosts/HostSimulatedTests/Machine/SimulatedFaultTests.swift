import AudioModel
import HostInterface
import HostSimulated
import SimulatedControls
import TestSupport
import Testing

@Suite struct SimulatedFaultTests {
    let speaker = SimulatedDevice.builtInSpeaker.output

    @Test func everythingIsDead_whileTheServerIsDown() throws {
        let bench = try Bench()
        let probe = Probe.counting()
        let stream = try bench.play(on: .builtInSpeaker, probe: probe)
        bench.host.advance(frames: 4)
        _ = bench.takeEvents()
        bench.host.crashServer()
        #expect(bench.takeEvents() == ["lost"])
        bench.host.advance(frames: 8)
        stream.start()
        stream.stop()
        stream.unlink()
        bench.host.advance(frames: 8)
        #expect(probe.cycles.count == 1)
        #expect(bench.host.loudFrames(of: speaker) == 4)
        #expect(throws: HostError.connectionLost) { try stream.link(to: [speaker]) }
        #expect(throws: HostError.connectionLost) { try bench.open(2, probe: probe) }
        bench.host.claim(SessionClaim(id: ClaimID(number: 1), configuration: SessionConfiguration()))
        bench.host.release(ClaimID(number: 1), notifyingOthers: false)
        #expect(bench.takeEvents() == ["refused 1 connectionLost"])
        #expect(bench.host.violations.isEmpty)
        stream.close()
    }

    @Test func newStreamsWork_oldOnesStayDead_afterTheRestart() throws {
        let bench = try Bench()
        let old = try bench.play(1, on: .builtInSpeaker, probe: .counting())
        _ = bench.takeEvents()
        bench.host.crashServer()
        bench.host.plug(.hdmi)
        bench.host.chooseOutput(speaker)
        #expect(bench.takeEvents() == ["lost"], "hardware goes on changing, but no server can report it")
        #expect(!bench.host.isServerRunning)
        bench.host.advance(frames: 4)
        bench.host.restartServer()
        #expect(bench.host.isServerRunning)
        #expect(bench.takeEvents() == ["restored", "ports hdmi* speaker receiver microphone*"])
        #expect(throws: HostError.connectionLost) { try old.link(to: [speaker]) }
        old.close()
        let new = try bench.play(2, on: .builtInSpeaker, probe: .counting())
        bench.host.advance(frames: 2)
        #expect(bench.host.capture(of: speaker)[0] == [0, 0, 0, 0, 1, 2])
        #expect(
            bench.host.facts.filter { [.serverCrashed, .streamFailed(old.id), .serverRestarted].contains($0) }
                == [.serverCrashed, .streamFailed(old.id), .serverRestarted])
        #expect(bench.host.violations.isEmpty)
        new.close()
    }

    @Test func startIsUnreachable_whileTheServerIsDown() throws {
        let host = SimulatedHost(.phone)
        host.crashServer()
        #expect(throws: HostError.self) { try host.start { _ in } }
        host.restartServer()
        try host.start { _ in }
        #expect(host.violations.isEmpty)
        host.shutdown()
    }

    @Test(arguments: [Double.nan, .infinity, -1]) func impossibleStall_isAnObjection(seconds: Double) {
        let host = SimulatedHost(.phone)
        host.stall(seconds: seconds)
        host.advance(seconds: 1)
        #expect(host.violations == ["script: the machine stalls for \(seconds) s; allowed are finite times from 0 on"])
    }

    @Test func policyCutsLinks_thoughThePortRemains() throws {
        let bench = try Bench()
        let stream = try bench.play(on: .builtInSpeaker, probe: .counting())
        _ = bench.takeEvents()
        bench.host.advance(frames: 2)
        bench.host.cutLinks(of: stream.id)
        #expect(bench.takeEvents() == ["lost speaker of 1, ports speaker* receiver microphone*"])
        bench.host.advance(frames: 2)
        try stream.link(to: [speaker])
        bench.host.advance(frames: 2)
        #expect(bench.host.capture(of: speaker)[0] == [1, 2, 0, 0, 3, 4])
        #expect(bench.host.facts.contains(.linksCut(stream.id)))
    }

    @Test func oneStreamFailsForGood() throws {
        let bench = try Bench()
        let probe = Probe.counting()
        let bad = try bench.play(1, on: .builtInSpeaker, probe: probe)
        let good = try bench.play(2, on: .builtInSpeaker, probe: .constant(0.5))
        _ = bench.takeEvents()
        bench.host.failStream(bad.id, with: .refused("killed"))
        #expect(bench.takeEvents() == ["failed 1 refused(\"killed\")"])
        bench.host.advance(frames: 2)
        #expect(probe.cycles.isEmpty)
        #expect(bench.host.capture(of: speaker)[0] == [0.5, 0.5])
        #expect(throws: HostError.refused("killed")) { try bad.link(to: [speaker]) }
        good.close()
    }

    @Test func claimsAreAnswered_onceEach() throws {
        let bench = try Bench()
        _ = bench.takeEvents()
        bench.host.refuseNextClaim(with: .refused("a call is on"))
        for number: UInt64 in 1...2 {
            bench.host.claim(SessionClaim(id: ClaimID(number: number), configuration: SessionConfiguration()))
        }
        bench.host.release(ClaimID(number: 2), notifyingOthers: false)
        #expect(bench.takeEvents() == ["refused 1 refused(\"a call is on\")", "granted 2"])
        #expect(
            bench.host.facts.suffix(3) == [
                .claimRefused(ClaimID(number: 1)), .claimGranted(ClaimID(number: 2)),
                .claimReleased(ClaimID(number: 2)),
            ])
        #expect(bench.host.violations.isEmpty)
    }

    @Test func nextLinkFails_andClosesTheGate() throws {
        let bench = try Bench()
        let stream = try bench.play(on: .builtInSpeaker, probe: .counting())
        bench.host.failNextLink(with: .refused("no"))
        #expect(throws: HostError.refused("no")) { try stream.link(to: [SimulatedDevice.builtInReceiver.output]) }
        bench.host.advance(frames: 4)
        #expect(bench.host.loudFrames(of: speaker) == 0)
        try stream.link(to: [speaker])
        bench.host.advance(frames: 4)
        #expect(bench.host.loudFrames(of: speaker) == 4)
    }

    @Test func linkToAPortThatLeftThisInstant_throwsAndClosesTheGate() throws {
        let bench = try Bench()
        bench.host.plug(.hdmi)
        let stream = try bench.play(on: .builtInSpeaker, probe: .counting())
        bench.host.advance(frames: 1)
        bench.host.unplug(.hdmi)
        let hdmi = SimulatedDevice.hdmi.output
        #expect(throws: HostError.noSuchPort(uid: hdmi)) { try stream.link(to: [speaker, hdmi]) }
        bench.host.advance(frames: 4)
        #expect(bench.host.loudFrames(of: speaker) == 1)
        #expect(bench.host.violations.isEmpty, "the session had no time to hear of it")
    }

    @Test func nextOpenFails_once() throws {
        let bench = try Bench()
        bench.host.failNextOpen(with: .refused("too many streams"))
        #expect(throws: HostError.refused("too many streams")) { try bench.open(probe: .counting()) }
        let stream = try bench.open(probe: .counting())
        stream.close()
        #expect(bench.host.violations.isEmpty)
    }

    @Test func nothingIsDelivered_beforeStartAndAfterShutdown() throws {
        let bench = try Bench(.bare)
        #expect(bench.takeEvents() == ["ports "], "what was before start is told as the first inventory")
        let probe = Probe.counting()
        bench.host.plug(.hdmi)
        let stream = try bench.play(on: .hdmi, probe: probe)
        bench.host.claim(SessionClaim(id: ClaimID(number: 1), configuration: SessionConfiguration()))
        _ = bench.takeEvents()
        bench.host.shutdown()
        bench.host.shutdown()
        bench.host.unplug(.hdmi)
        bench.host.advance(frames: 4)
        bench.host.crashServer()
        bench.host.restartServer()
        bench.host.release(ClaimID(number: 1), notifyingOthers: false)
        #expect(bench.takeEvents() == [])
        #expect(probe.cycles.isEmpty)
        #expect(bench.host.facts.contains(.streamClosed(stream.id)))
        #expect(bench.host.facts.filter { $0 == .disconnected }.count == 1)
        #expect(bench.host.violations.isEmpty)
    }

    @Test func machineServesTheNextSession_afterShutdown() throws {
        let bench = try Bench(.bare)
        bench.host.plug(.hdmi)
        let first = try bench.play(1, on: .hdmi, probe: .counting())
        bench.host.shutdown()
        let events = History<HostEvent>()
        try bench.host.start { events.append($0) }
        #expect(events.entries.map(describe) == ["ports hdmi*"])
        let second = try bench.play(1, on: .hdmi, probe: .counting())
        bench.host.advance(frames: 2)
        #expect(bench.host.capture(of: SimulatedDevice.hdmi.output)[0] == [1, 2])
        #expect(bench.host.violations.isEmpty)
        first.close()
        second.close()
    }
}
