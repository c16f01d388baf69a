import AudioModel
import CRealtime
import HostInterface
import HostSimulated
import SimulatedControls
import Testing
import Threading

/// Microphones: what a port picks up is captured frame by frame, by as many as like, and not a frame longer than it is there.
@Suite struct SimulatedInputTests {
    let microphone = SimulatedDevice.builtInMic.inputUID ?? ""

    /// Every channel of every port carries the frame of virtual time, plus 1000 per channel.
    private static let counting: InputSignal = { frame, channel in Float(frame + 1000 * channel) }

    @Test func samples_arriveExactly_inCyclesOfAnyLength() throws {
        let bench = try Bench(quantum: 4)
        bench.host.setInput(of: microphone, Self.counting)
        let recorder = InputProbe()
        let stream = try bench.record(from: microphone, probe: recorder)
        for frames in [1, 3, 7, 16, 5] { bench.host.advance(frames: frames) }
        #expect(recorder.samples == [(0..<32).map(Float.init)])
        #expect(recorder.nanoseconds.first == 0)
        stream.stop()
        bench.host.advance(frames: 8)
        #expect(recorder.frameCount == 32)
        #expect(bench.host.violations == [])
    }

    @Test func severalApps_captureTheSame() throws {
        let bench = try Bench()
        bench.host.setInput(of: microphone, Self.counting)
        let other = try bench.anotherApp(named: "other")
        let (first, second) = (InputProbe(), InputProbe())
        let streams = [
            try bench.record(from: microphone, probe: first), try other.record(from: microphone, probe: second),
        ]
        bench.host.advance(frames: 12)
        #expect(first.samples == [(0..<12).map(Float.init)])
        #expect(second.samples == first.samples)
        #expect(bench.host.violations == [])
        withExtendedLifetime(streams) { for stream in streams { stream.close() } }
    }

    @Test(arguments: 0...9)
    func unplug_atAnyFrame_endsTheCaptureOnThatFrame(frame: Int) throws {
        let bench = try Bench(quantum: 8)
        bench.host.plug(.usbAudio)
        let uid = SimulatedDevice.usbAudio.inputUID ?? ""
        bench.host.setInput(of: uid, Self.counting)
        let recorder = InputProbe()
        let stream = try bench.record(from: uid, probe: recorder)
        _ = bench.takeEvents()
        bench.host.schedule(Scenario().at(Double(frame) / 100) { $0.unplug(.usbAudio) })
        bench.host.advance(frames: 32)
        #expect(recorder.frameCount == frame)
        #expect(bench.takeEvents().first?.hasPrefix("lost usb-audio/input of 1, ports ") == true)
        // Only a link opens the gate again, and it hears the other microphone then.
        bench.host.setInput(of: microphone) { _, _ in 7 }
        bench.host.advance(frames: 8)
        #expect(recorder.frameCount == frame)
        try stream.link(to: [microphone])
        bench.host.advance(frames: 1)
        #expect(recorder.lastCycle == [[7]])
        #expect(bench.host.violations == [])
        stream.close()
    }

    @Test func unplug_duringACycle_isTheCapturesEnd() throws {
        let bench = try Bench(quantum: 4)
        bench.host.plug(.usbAudio)
        let uid = SimulatedDevice.usbAudio.inputUID ?? ""
        let host = bench.host
        let recorder = InputProbe { if $0.host_time_ns == 40_000_000 { host.unplug(.usbAudio) } }
        let stream = try bench.record(from: uid, probe: recorder)
        host.advance(frames: 32)
        #expect(recorder.frameCount == 8)
        #expect(host.violations == [])
        stream.close()
    }

    @Test func twoPorts_areChannelsInOrder() throws {
        let bench = try Bench()
        bench.host.plug(.usbAudio)
        let uid = SimulatedDevice.usbAudio.inputUID ?? ""
        bench.host.setInput(of: uid, Self.counting)
        bench.host.setInput(of: microphone) { frame, _ in Float(-frame) }
        let recorder = InputProbe()
        let stream = try bench.record(from: microphone, uid, probe: recorder)
        bench.host.advance(frames: 8)
        let frames = (0..<8).map(Float.init)
        #expect(recorder.samples == [frames.map { -$0 }, frames, frames.map { $0 + 1000 }])
        stream.close()
    }

    @Test func outputPort_isNoInput() throws {
        let bench = try Bench()
        let stream = try bench.open(direction: .input, InputProbe())
        #expect(throws: HostError.noSuchPort(uid: "simulated.speaker")) { try stream.link(to: ["simulated.speaker"]) }
        #expect(
            bench.host.violations == [
                "link of stream 1 names simulated.speaker, which never was an input of this machine"
            ])
        stream.close()
    }

    /// 200 Hz on a machine of 100 Hz: every frame twice, but for the first, whose second half belongs to the next cycle.
    @Test func fasterStream_takesEachOfTheMachinesFramesTwice() throws {
        let bench = try Bench(sampleRate: 100, quantum: 4)
        bench.host.setInput(of: microphone, Self.counting)
        let recorder = InputProbe()
        let stream = try bench.record(sampleRate: 200, from: microphone, probe: recorder)
        bench.host.advance(frames: 4)
        bench.host.advance(frames: 2)
        #expect(recorder.samples == [[0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]])
        stream.close()
    }

    @Test func samplesGiven_beginNow_andEndInSilence() throws {
        let bench = try Bench()
        bench.host.advance(frames: 10)
        bench.host.setInput(of: microphone, samples: [[1, 2, 3]])
        let recorder = InputProbe()
        let stream = try bench.record(from: microphone, probe: recorder)
        bench.host.advance(frames: 5)
        #expect(recorder.samples == [[1, 2, 3, 0, 0]])
        stream.close()
    }
}

/// Remembers what it is handed through the C boundary.
final class InputProbe: Sendable {
    private let body: @Sendable (oav_cycle) -> Void
    private let log = Monitor<(samples: [[[Float]]], nanoseconds: [UInt64])>(([], []))

    init(_ body: @escaping @Sendable (oav_cycle) -> Void = { _ in }) { self.body = body }

    /// [channel][frame].
    var samples: [[Float]] {
        log.withLock { log in
            (0..<(log.samples.map(\.count).max() ?? 0)).map { channel in
                log.samples.flatMap { $0.indices.contains(channel) ? $0[channel] : [] }
            }
        }
    }
    var lastCycle: [[Float]]? { log.withLock { $0.samples.last } }
    var frameCount: Int { samples.first?.count ?? 0 }
    var nanoseconds: [UInt64] { log.withLock { $0.nanoseconds } }

    /// Valid while the probe lives.
    var renderer: oav_renderer {
        oav_renderer(
            render: { context, cycle in
                guard let context, let cycle = cycle?.pointee else { return }
                Unmanaged<InputProbe>.fromOpaque(context).takeUnretainedValue().take(cycle)
            },
            context: Unmanaged.passUnretained(self).toOpaque())
    }

    private func take(_ cycle: oav_cycle) {
        let samples = (0..<Int(cycle.input_channels)).map { channel in
            (0..<Int(cycle.frames)).map { cycle.inputs?[channel]?[$0] ?? .nan }
        }
        log.withLock { log in
            log.samples.append(samples)
            log.nanoseconds.append(cycle.host_time_ns)
        }
        body(cycle)
    }
}

extension Bench {
    func open(
        _ number: UInt64 = 1, direction: PortDirection, sampleRate: Double? = nil, _ probe: InputProbe
    ) throws -> any HostStream {
        keep(probe)
        return try host.openStream(
            StreamConfiguration(
                id: StreamID(number: number), direction: direction, title: "test",
                sampleRate: sampleRate ?? host.sampleRate, renderer: probe.renderer))
    }

    /// A running stream that is linked to these inputs.
    func record(sampleRate: Double? = nil, from uids: String..., probe: InputProbe) throws -> any HostStream {
        let stream = try open(direction: .input, sampleRate: sampleRate, probe)
        try stream.link(to: uids)
        stream.start()
        return stream
    }
}
