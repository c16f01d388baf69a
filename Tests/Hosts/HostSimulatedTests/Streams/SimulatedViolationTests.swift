import AudioModel
import CRealtime
import HostInterface
import HostSimulated
import SimulatedControls
import Testing
import Threading

/// Each guard can fire.
///
/// What each test expects is the whole list, so that none fires for another's reason either.
@Suite struct SimulatedViolationTests {
    let receiver = SimulatedDevice.builtInReceiver.output

    @Test func startTwice() throws {
        let bench = try Bench()
        #expect(throws: HostError.self) { try bench.host.start { _ in } }
        #expect(
            bench.host.violations == ["start was called twice; shut the host down before starting it again"])
    }

    @Test func callsWithoutAConnection() {
        let host = SimulatedHost(.phone)
        let probe = Probe.counting()
        #expect(throws: HostError.self) {
            try host.openStream(
                StreamConfiguration(
                    id: StreamID(number: 1), title: "", sampleRate: 48000, renderer: probe.renderer))
        }
        host.claim(SessionClaim(id: ClaimID(number: 1), configuration: SessionConfiguration()))
        #expect(
            host.violations == [
                "stream 1 was opened while the session is not connected; call start first",
                "claim 1 was made while the session is not connected; call start first",
            ])
    }

    @Test func claimsMadeTwiceOrReleasedWithoutBeingHeld() throws {
        let bench = try Bench()
        let claim = SessionClaim(id: ClaimID(number: 1), configuration: SessionConfiguration())
        bench.host.release(ClaimID(number: 9), notifyingOthers: false)
        bench.host.claim(claim)
        bench.host.claim(claim)
        bench.host.release(claim.id, notifyingOthers: false)
        bench.host.release(claim.id, notifyingOthers: false)
        #expect(
            bench.host.violations == [
                "claim 9 was released but is not held; release what was granted, once",
                "claim 1 was made twice; each activation has an id of its own",
                "claim 1 was released but is not held; release what was granted, once",
            ])
    }

    @Test func streamsOpenedWrongly() throws {
        let bench = try Bench()
        let stream = try bench.open(1, probe: .counting())
        #expect(throws: HostError.self) { try bench.open(1, probe: .counting()) }
        stream.close()
        #expect(throws: HostError.self) { try bench.open(1, probe: .counting()) }
        #expect(throws: HostError.self) { try bench.open(2, sampleRate: .nan, probe: .counting()) }
        #expect(throws: HostError.self) { try bench.open(3, sampleRate: 401, maximumFrames: 4, probe: .counting()) }
        #expect(
            bench.host.violations == [
                "stream 1 was opened twice; ids are never used again",
                "stream 2: its rate is nan Hz; allowed are 1 to 768000",
                "stream 3: its longest cycle is 4 frames; allowed are 5 and more",
            ])
    }

    @Test func linkAndStartAfterClose() throws {
        let bench = try Bench()
        let stream = try bench.open(probe: .counting())
        stream.close()
        stream.close()
        stream.stop()
        stream.unlink()
        #expect(bench.host.violations.isEmpty)
        #expect(throws: HostError.self) { try stream.link(to: [receiver]) }
        stream.start()
        #expect(
            bench.host.violations == [
                "link was called on stream 1, which is closed; open a new one",
                "start was called on stream 1, which is closed; open a new one",
            ])
    }

    @Test func linkToPortsThatAreNone() throws {
        let bench = try Bench()
        bench.host.plug(.hdmi)
        let stream = try bench.open(probe: .counting())
        bench.host.unplug(.hdmi)
        bench.host.advance(frames: 1)
        for uids in [[], [receiver, receiver], ["nowhere"], ["simulated.microphone"], ["simulated.hdmi"]] {
            #expect(throws: HostError.self) { try stream.link(to: uids) }
        }
        let rule = "allowed is a list of different ports, one at least"
        #expect(
            bench.host.violations == [
                "link of stream 1 names []; \(rule)",
                "link of stream 1 names [\"\(receiver)\", \"\(receiver)\"]; \(rule)",
                "link of stream 1 names nowhere, which never was an output of this machine",
                "link of stream 1 names simulated.microphone, which never was an output of this machine",
                "link of stream 1 names simulated.hdmi, which left at frame 0",
            ])
    }

    @Test func streamDroppedWithoutClose() throws {
        let bench = try Bench()
        _ = try bench.open(probe: .counting())
        #expect(
            bench.host.violations == [
                "stream 1 was dropped without close; its renderer may be called after its death"
            ])
        #expect(bench.host.facts.last == .streamClosed(StreamID(number: 1)))
    }

    @Test func callsFromInsideDeliver() throws {
        let host = SimulatedHost(.phone, sampleRate: 100)
        let count = Monitor(0)
        try host.start { _ in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            _ = host.now()
            guard isFirst else { return }
            host.claim(SessionClaim(id: ClaimID(number: 1), configuration: SessionConfiguration()))
            host.advance(frames: 1)
        }
        #expect(count.withLock { $0 } == 2, "the event of the wrong call is delivered after the first, not inside it")
        #expect(
            host.violations == [
                "claim was called from inside deliver; deliver may only enqueue the event and return",
                "advance was called from inside deliver; deliver may only enqueue and return",
            ])
        #expect(host.frame == 0)
        host.shutdown()
    }

    @Test func callsFromTheRenderer() throws {
        let bench = try Bench()
        let host = bench.host
        let probe = Probe { cycle in
            cycle.fill { _, _ in 0 }
            host.release(ClaimID(number: 1), notifyingOthers: false)
            host.advance(frames: 1)
        }
        let stream = try bench.play(on: .builtInReceiver, probe: probe)
        host.claim(SessionClaim(id: ClaimID(number: 1), configuration: SessionConfiguration()))
        host.advance(frames: 4)
        #expect(
            host.violations == [
                "release was called from the renderer; only the session's thread may call the host",
                "script: advance was called from inside advance (a step, a renderer or a callback)",
            ])
        #expect(host.frame == 4)
        stream.close()
    }

    @Test func rendererStopsItself() throws {
        let bench = try Bench()
        let handle = Monitor<(any HostStream)?>(nil)
        let probe = Probe { cycle in
            cycle.fill { _, _ in 0 }
            handle.withLock { $0 }?.stop()
        }
        let stream = try bench.play(on: .builtInReceiver, probe: probe)
        handle.withLock { $0 = stream }
        bench.host.advance(frames: 12)
        #expect(probe.cycles.count == 1)
        #expect(
            bench.host.violations == [
                "stop was called from the renderer; only the session's thread may call the host"
            ])
        handle.withLock { $0 = nil }
    }

    @Test func rendererLeavesFramesOut() throws {
        let bench = try Bench()
        let probe = Probe { cycle in
            for frame in 0..<3 { cycle.outputs?[0]?[frame] = 1 }
        }
        let stream = try bench.play(on: .builtInReceiver, probe: probe)
        bench.host.advance(frames: 8)
        #expect(
            bench.host.violations == [
                "stream 1: its renderer left frame 3 of channel 0 unwritten or not finite"
            ])
        #expect(bench.host.capture(of: receiver) == [[Float](repeating: 0, count: 8)])
        stream.close()
    }

    @Test func rendererWritesInfinity() throws {
        let bench = try Bench()
        let probe = Probe.constant(.infinity)
        let stream = try bench.play(on: .builtInReceiver, probe: probe)
        bench.host.advance(frames: 4)
        #expect(
            bench.host.violations == [
                "stream 1: its renderer left frame 0 of channel 0 unwritten or not finite"
            ])
        stream.close()
    }

    @Test func rendererIgnoresTheGate() throws {
        let bench = try Bench()
        let probe = Probe { cycle in cycle.fill { _, frame in frame == 2 ? 0.25 : 0 } }
        let stream = try bench.play(on: .builtInReceiver, probe: probe)
        stream.unlink()
        bench.host.advance(frames: 4)
        #expect(
            bench.host.violations == [
                "stream 1: its renderer wrote 0.25 to frame 2 of channel 0 in a gated cycle"
            ])
        #expect(bench.host.loudFrames(of: receiver) == 0)
    }

    @Test func rendererWritesPastTheEnd() throws {
        let bench = try Bench()
        let probe = Probe { cycle in
            cycle.fill { _, _ in 0 }
            cycle.outputs?[0]?[Int(cycle.frames)] = 1
        }
        let stream = try bench.play(on: .builtInReceiver, probe: probe)
        bench.host.advance(frames: 2)
        #expect(
            bench.host.violations == ["stream 1: its renderer wrote past the 2 frames of a cycle in channel 0"])
        stream.close()
    }

    /// Keeps the pointer of a cycle beyond it; used by one thread.
    private final class Thief: @unchecked Sendable { var loot: UnsafeMutablePointer<Float>? }

    @Test func memoryUsedAfterTheCycle() throws {
        let bench = try Bench()
        let thief = Thief()
        let probe = Probe { cycle in
            cycle.fill { _, _ in 0 }
            thief.loot = cycle.outputs?[0]
        }
        let stream = try bench.play(on: .builtInReceiver, probe: probe)
        bench.host.advance(frames: 4)
        #expect(bench.host.violations.isEmpty)
        thief.loot?[0] = 1
        let text = "its renderer's memory was written to outside a cycle; the pointers are valid during the call only"
        #expect(bench.host.violations == ["stream 1: \(text)"])
        stream.close()
    }

    @Test func memoryUsedAfterClose() throws {
        let bench = try Bench()
        let thief = Thief()
        let probe = Probe { cycle in
            cycle.fill { _, _ in 0 }
            thief.loot = cycle.outputs?[0]
        }
        let stream = try bench.play(on: .builtInReceiver, probe: probe)
        bench.host.advance(frames: 4)
        stream.close()
        #expect(bench.host.violations.isEmpty)
        thief.loot?[0] = 1
        let text = "its renderer's memory was written to outside a cycle; the pointers are valid during the call only"
        #expect(bench.host.violations == ["stream 1, which is closed: \(text)"])
    }

    @Test func scriptsMakeMistakesToo() throws {
        let bench = try Bench()
        let host = bench.host
        host.plug(.builtInMic)
        host.plug(.output(uid: "other", name: "", kind: .hdmi))
        host.plug(SimulatedDevice(uid: "twin", name: "", ports: SimulatedDevice.builtInSpeaker.ports))
        host.plug(.headphonesInJack)
        host.unplug(.hdmi)
        host.setDefaultOutput("simulated.microphone")
        host.setDefaultInput("simulated.speaker")
        host.setSampleRate(of: "simulated.hdmi", to: 1)
        host.setSampleRate(of: "simulated.speaker", to: 0)
        host.reportAvailability(of: "simulated.hdmi", .available)
        host.cutLinks(of: StreamID(number: 1))
        host.failStream(StreamID(number: 1), with: .connectionLost)
        host.advance(frames: -1)
        host.advance(seconds: .nan)
        host.advance(seconds: -1)
        host.quantum = 0
        host.quantum = 8193
        host.schedule(Scenario().at(-1) { _ in }.at(.infinity) { _ in })
        host.restartServer()
        host.crashServer()
        host.crashServer()
        #expect(
            host.violations == [
                "script: plug of simulated.microphone, which is plugged already",
                "script: plug of twin, but there is a port simulated.speaker already",
                "script: plug of simulated.card/headphones, but there is no port simulated.card/speaker with a jack for it",
                "script: unplug of simulated.hdmi, which is not plugged",
                "script: simulated.microphone was made the default output, but there is no such output",
                "script: simulated.speaker was made the default input, but there is no such input",
                "script: the rate of simulated.hdmi was set to 1.0 Hz, but there is no such port or rate",
                "script: the rate of simulated.speaker was set to 0.0 Hz, but there is no such port or rate",
                "script: the jack of simulated.hdmi says something, but no such port is plugged in",
                "script: the links of stream 1 were cut, but it has none",
                "script: stream 1 was made to fail, but it is not alive",
                "script: advance by -1 frames; allowed are 0 and more",
                "script: advance by nan s; allowed are finite times from 0 on",
                "script: advance by -100 frames; allowed are 0 and more",
                "script: the quantum was set to 0 frames; allowed are 1 to 8192",
                "script: the quantum was set to 8193 frames; allowed are 1 to 8192",
                "script: a step at -1.0 s; allowed are finite times from 0 on",
                "script: a step at inf s; allowed are finite times from 0 on",
                "script: the server returns while it runs",
                "script: the server crashes while it is down",
            ])
    }
}
