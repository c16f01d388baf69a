import AudioModel
import HostInterface
import HostSimulated
import SimulatedControls
import Testing

@Suite struct SimulatedMixTests {
    let speaker = SimulatedDevice.builtInSpeaker.output
    let receiver = SimulatedDevice.builtInReceiver.output

    @Test func portRecordsWhatReachedIt_fromTheFrameOfTheLink() throws {
        let bench = try Bench()
        let stream = try bench.open(probe: .counting())
        stream.start()
        bench.host.advance(frames: 3)
        try stream.link(to: [speaker])
        bench.host.advance(frames: 5)
        stream.unlink()
        bench.host.advance(frames: 2)
        #expect(
            bench.host.capture(of: speaker) == [
                [0, 0, 0, 1, 2, 3, 4, 5, 0, 0], [0, 0, 0, 1001, 1002, 1003, 1004, 1005, 0, 0],
            ])
        #expect(bench.host.capture(of: speaker, since: 7)[0] == [5, 0, 0])
        #expect(bench.host.capture(of: receiver) == [[Float](repeating: 0, count: 10)])
        #expect(bench.host.violations.isEmpty)
    }

    @Test func twoStreamsAreSummed() throws {
        let bench = try Bench()
        let first = try bench.play(1, on: .builtInReceiver, probe: .counting())
        let second = try bench.play(2, on: .builtInReceiver, probe: .constant(0.5))
        bench.host.advance(frames: 5)
        first.stop()
        bench.host.advance(frames: 2)
        second.stop()
        bench.host.advance(frames: 1)
        #expect(bench.host.capture(of: receiver) == [[1.5, 2.5, 3.5, 4.5, 5.5, 0.5, 0.5, 0]])
    }

    @Test func channelsGoToThePortsInOrder_whileLinkedToSeveral() throws {
        let bench = try Bench()
        bench.host.plug(.hdmi)
        let probe = Probe.counting()
        let stream = try bench.play(on: .hdmi, .builtInSpeaker, probe: probe)
        bench.host.advance(frames: 2)
        #expect(probe.cycles.map(\.channels) == [10])
        let expected: [[Float]] = (0..<8).map { channel in
            let base = Float(1000 * channel)
            return [base + 1, base + 2]
        }
        #expect(bench.host.capture(of: SimulatedDevice.hdmi.output) == expected)
        #expect(bench.host.capture(of: speaker) == [[8001, 8002], [9001, 9002]])
        try stream.link(to: [receiver])
        bench.host.advance(frames: 1)
        #expect(probe.cycles.last?.channels == 1)
        #expect(bench.host.capture(of: receiver) == [[0, 0, 3]])
        #expect(bench.host.capture(of: speaker) == [[8001, 8002, 0], [9001, 9002, 0]])
    }

    @Test func rendererIsToldOfTheGate_andHoldsItsPosition() throws {
        let bench = try Bench()
        let probe = Probe.counting()
        let stream = try bench.open(probe: probe)
        bench.host.advance(frames: 4)
        #expect(probe.cycles.isEmpty, "not started yet")
        stream.start()
        stream.start()
        bench.host.advance(frames: 4)
        try stream.link(to: [receiver])
        bench.host.advance(frames: 4)
        stream.unlink()
        bench.host.advance(frames: 4)
        stream.stop()
        stream.stop()
        bench.host.advance(frames: 4)
        #expect(probe.cycles.map(\.isGated) == [true, false, true])
        #expect(probe.cycles.map(\.channels) == [0, 1, 1])
        #expect(bench.host.capture(of: receiver)[0].filter { $0 != 0 } == [1, 2, 3, 4])
        #expect(bench.host.violations.isEmpty)
    }

    @Test func gateStaysClosed_untilLinkOpensIt() throws {
        let bench = try Bench()
        bench.host.plug(.wiredHeadphones)
        let stream = try bench.play(on: .wiredHeadphones, probe: .counting())
        bench.host.unplug(.wiredHeadphones)
        bench.host.plug(.wiredHeadphones)
        stream.stop()
        stream.start()
        bench.host.advance(frames: 8)
        #expect(bench.host.loudFrames(of: SimulatedDevice.wiredHeadphones.output) == 0)
        try stream.link(to: [SimulatedDevice.wiredHeadphones.output])
        bench.host.advance(frames: 8)
        #expect(bench.host.loudFrames(of: SimulatedDevice.wiredHeadphones.output) == 8)
    }

    @Test func latencyIsOneQuantum_whileLinked() throws {
        let bench = try Bench()
        let stream = try bench.open(sampleRate: 250, probe: .counting())
        #expect(stream.latencyFrames == 0)
        try stream.link(to: [speaker])
        #expect(stream.latencyFrames == 10)
        stream.unlink()
        #expect(stream.latencyFrames == 0)
    }

    @Test(arguments: [1, 2, 3, 4, 7])
    func slowerStreamIsHeldBetweenItsFrames_inCyclesOfAnyLength(quantum: Int) throws {
        let bench = try Bench(quantum: quantum)
        let stream = try bench.open(sampleRate: 50, probe: .counting())
        try stream.link(to: [receiver])
        stream.start()
        bench.host.advance(frames: 9)
        #expect(bench.host.capture(of: receiver) == [[1, 1, 2, 2, 3, 3, 4, 4, 5]])
        #expect(bench.host.violations.isEmpty)
    }

    @Test(arguments: [1, 2, 3, 4, 7])
    func fasterStreamRendersAllItsFrames_inCyclesOfAnyLength(quantum: Int) throws {
        let bench = try Bench(quantum: quantum)
        let probe = Probe.counting()
        let stream = try bench.open(sampleRate: 300, probe: probe)
        try stream.link(to: [receiver])
        stream.start()
        bench.host.advance(frames: 5)
        // Frame n of the machine takes the stream's frame 3n, counted from 0.
        #expect(bench.host.capture(of: receiver) == [[1, 4, 7, 10, 13]])
        #expect(probe.cycles.map(\.frames).reduce(0, +) == 13)
    }

    @Test func heldFrameIsForgotten_whenTheLinkChanges() throws {
        let bench = try Bench(quantum: 1)
        let stream = try bench.open(sampleRate: 50, probe: .counting())
        try stream.link(to: [receiver])
        stream.start()
        bench.host.advance(frames: 3)
        bench.host.plug(.bluetoothHFP)
        try stream.link(to: [SimulatedDevice.bluetoothHFP.output])
        bench.host.advance(frames: 2)
        // The stream's frame 2 had begun in the receiver; its second half is not heard elsewhere.
        #expect(bench.host.capture(of: receiver) == [[1, 1, 2, 0, 0]])
        #expect(bench.host.capture(of: SimulatedDevice.bluetoothHFP.output) == [[0, 3]])
    }

    @Test func loudFramesCountsAboveTheLevel() throws {
        let bench = try Bench()
        let stream = try bench.play(on: .builtInSpeaker, probe: .constant(0.01))
        bench.host.advance(frames: 6)
        stream.close()
        #expect(bench.host.loudFrames(of: speaker) == 6)
        #expect(bench.host.loudFrames(of: speaker, since: 4) == 2)
        // 0.01 is -40 dB.
        #expect(bench.host.loudFrames(of: speaker, aboveDecibels: -39.9) == 0)
        #expect(bench.host.loudFrames(of: speaker, aboveDecibels: -40.1) == 6)
        #expect(bench.host.loudFrames(of: "nowhere") == 0)
        #expect(bench.host.capture(of: "nowhere").isEmpty)
    }

    @Test func captureKeepsItsLastSeconds_andCountsTheRest() throws {
        let bench = try Bench(captureSeconds: 0.1)
        let stream = try bench.play(on: .builtInReceiver, probe: .counting())
        bench.host.advance(frames: 1003)
        let capture = try #require(bench.host.portCapture(of: receiver))
        #expect(capture.channels == [(994...1003).map { Float($0) }])
        #expect(capture.startFrame == 993)
        #expect(capture.droppedFrames == 993)
        stream.close()
        // A long silence is not stored at its length.
        bench.host.advance(frames: 100_000)
        #expect(bench.host.capture(of: receiver) == [[Float](repeating: 0, count: 10)])
        #expect(bench.host.portCapture(of: receiver)?.startFrame == 100_993)
    }

    @Test func clearedCapturesBeginNow() throws {
        let bench = try Bench()
        let stream = try bench.play(on: .builtInReceiver, probe: .counting())
        bench.host.advance(frames: 5)
        bench.host.clearCaptures()
        bench.host.advance(frames: 2)
        #expect(bench.host.capture(of: receiver) == [[6, 7]])
        #expect(bench.host.portCapture(of: receiver)?.startFrame == 5)
        stream.close()
    }

    @Test func captureGoesOn_whenThePortReturns() throws {
        let bench = try Bench()
        bench.host.plug(.wiredHeadphones)
        let stream = try bench.play(on: .wiredHeadphones, probe: .counting())
        bench.host.advance(frames: 2)
        bench.host.unplug(.wiredHeadphones)
        bench.host.advance(frames: 3)
        bench.host.plug(.wiredHeadphones)
        try stream.link(to: [SimulatedDevice.wiredHeadphones.output])
        bench.host.advance(frames: 1)
        #expect(bench.host.capture(of: SimulatedDevice.wiredHeadphones.output)[0] == [1, 2, 0, 0, 0, 3])
    }
}
