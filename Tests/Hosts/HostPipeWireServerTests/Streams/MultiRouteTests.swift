import AudioModel
import HostInterface
import HostPipeWire
import PipeWireRig
import TestSupport
import Testing

extension ServerTests {
    /// One stream on several sinks: which channel goes where, how well they are aligned, and what happens when one goes.
    ///
    /// The sinks are null sinks: they take the driver's clock, and what comes is bit-exact.
    @Suite struct MultiRouteTests {
        private static let second = 48_000
        /// What the meters keep and a test looks at, in frames.
        private static let window = 12_000

        /// A sink that keeps the newest quarter of a second.
        private func sink(
            _ name: String, on server: PrivatePipeWire, _ channels: [String], bus: String = "usb", priority: Int = 1000,
            properties: [String: String] = [:], capturing: Duration = .milliseconds(250)
        ) throws -> VirtualSink {
            try server.makeSink(
                name: name, bus: bus, channels: channels, priority: priority, properties: properties,
                capturing: capturing)
        }

        private func open(
            _ client: Client, _ renderer: NumberedRenderer, on uids: [String]
        ) throws -> any HostStream {
            let stream = try client.host.openStream(
                StreamConfiguration(
                    id: StreamID(number: 1), title: "test", sampleRate: 48_000, role: "Music",
                    renderer: renderer.renderer))
            for uid in uids { try client.wait(forOutput: uid) }
            stream.start()
            try stream.link(to: uids)
            return stream
        }

        /// What a sink has played last: the stream's frame and the clock's position of its last frame.
        private typealias End = (frame: Int, position: Int)

        /// Captures what the sinks play, each from a channel of the stream's on, until every sample is right.
        ///
        /// A busy machine keeps a frame from a sink or from its meter now and then, and not in each of 20 rounds; what is
        /// wrong in all of them is recorded as an issue.
        private func capture(
            _ sinks: (VirtualSink, firstChannel: Int)..., sourceLocation: SourceLocation = #_sourceLocation
        ) throws -> [End] {
            var faults: [String] = []
            for _ in 1...20 {
                for (sink, _) in sinks { sink.meter.mark() }
                for (sink, _) in sinks { try sink.meter.wait(frames: Self.window) }
                faults = []
                let ends = sinks.compactMap { end(of: $0, firstChannel: $1, &faults) }
                // Asked last: the captures belong together.
                let missed = sinks.map(\.0.meter.reading.missedFrames)
                if missed.contains(where: { $0 > 0 }) { faults.append("frames missed: \(missed)") }
                if faults.isEmpty { return ends }
            }
            Issue.record("in each of 20 rounds: \(faults)", sourceLocation: sourceLocation)
            return []
        }

        /// Notes a fault where a channel is not the stream's channel of that number, or a frame is not the next one.
        private func end(of sink: VirtualSink, firstChannel: Int, _ faults: inout [String]) -> End? {
            let (channels, end) = sink.meter.capture()
            var frames: Set<Int> = []
            for (index, samples) in channels.enumerated() {
                let name = "\(sink.name) channel \(index)"
                let numbers = samples.map(NumberedRenderer.number)
                if numbers.count <= 4800 { faults.append("\(name): \(numbers.count) samples") }
                let strays = numbers.filter { $0?.channel != firstChannel + index }.count
                if strays > 0 { faults.append("\(name): \(strays) of no frame of channel \(firstChannel + index)") }
                let steps = zip(numbers, numbers.dropFirst()).map { earlier, later in
                    NumberedRenderer.distance(from: earlier?.frame ?? 0, to: later?.frame ?? 0)
                }
                if Set(steps) != [1] { faults.append("\(name): steps \(Set(steps).sorted().prefix(5))") }
                if let frame = numbers.last??.frame { frames.insert(frame) }
            }
            if frames.count != 1 { faults.append("\(sink.name): last frames \(frames)") }
            return frames.first.map { ($0, Int(end)) }
        }

        // Behaviours 70 and 76
        @Test func channels_ofTwoFourAndOne_reachTheirSinksBitExactly() throws {
            let server = try PrivatePipeWire.start()
            let hdmi = try sink("hdmi", on: server, ["FL", "FR"], bus: "pci")
            let usb = try sink("usb", on: server, ["FL", "FR", "RL", "RR"])
            let mono = try sink("mono", on: server, ["MONO"])
            let client = try Client(server)
            let renderer = NumberedRenderer()
            let stream = try open(client, renderer, on: ["hdmi", "usb", "mono"])
            defer { stream.close() }
            for sink in [hdmi, usb, mono] { try sink.meter.wait(loudFrames: 4800) }
            _ = try capture((hdmi, 0), (usb, 2), (mono, 6))
            #expect(client.log.entries.lostPorts == [])
            withExtendedLifetime(renderer) {}
        }

        /// Within one frame, as two sinks on one clock must be; they are at 0 here.
        ///
        /// A third sink drives both: a null sink that drives shows its frames on its monitor one cycle late, so that a
        /// comparison with a follower's monitor would measure the monitor.
        @Test(arguments: [["clock.one", "clock.one"], ["clock.a", "clock.b"]])
        func alignment_onOneDriver_isWithinOneFrame(clockNames: [String]) throws {
            let server = try PrivatePipeWire.start()
            _ = try sink("clock", on: server, ["FL", "FR"], priority: 3000)
            let sinks = try zip(["hdmi", "usb"], clockNames).map { name, clock in
                try sink(name, on: server, ["FL", "FR"], properties: ["clock.name": clock])
            }
            let client = try Client(server)
            let renderer = NumberedRenderer()
            let stream = try open(client, renderer, on: ["clock", "hdmi", "usb"])
            defer { stream.close() }
            for sink in sinks { try sink.meter.wait(loudFrames: 4800) }
            let ends = try capture((sinks[0], 2), (sinks[1], 4))
            try #require(ends.count == 2)
            // The meters are read one after the other: the clock tells how much later the second one was.
            let offset =
                NumberedRenderer.distance(from: ends[0].frame, to: ends[1].frame)
                - (ends[1].position - ends[0].position)
            #expect(abs(offset) <= 1)
            withExtendedLifetime(renderer) {}
        }

        /// The stream is silenced as a whole, and the session links it to what is left.
        ///
        /// - Parameter driverLeaves: the sink that goes is the one whose clock drives the others.
        @Test(arguments: [true, false])
        func sinkThatLeaves_silencesAll_andTheOthersGoOn(driverLeaves: Bool) throws {
            let server = try PrivatePipeWire.start()
            let hdmi = try sink(
                "hdmi", on: server, ["FL", "FR"], bus: "pci", priority: driverLeaves ? 900 : 3000,
                capturing: .seconds(4))
            let usb = try sink("usb", on: server, ["FL", "FR", "RL", "RR"], priority: 1500)
            let speaker = try server.makeSink(name: "speaker", formFactor: "speaker", bus: "pci", priority: 500)
            let client = try Client(server)
            let renderer = NumberedRenderer()
            let stream = try open(client, renderer, on: ["usb", "hdmi"])
            defer { stream.close() }
            for sink in [hdmi, usb] { try sink.meter.wait(loudFrames: 4800) }
            hdmi.meter.mark()
            try hdmi.meter.wait(loudFrames: 4800)
            let start = client.log.count
            usb.destroy()
            let told = try client.log.wait(for: "what is left", from: start) { $0.outputs?.contains("usb") == false }
            #expect(told.lostPorts == ["usb"])
            try stream.link(to: ["hdmi"])
            let reading = try hdmi.meter.wait(loudFrames: Self.second / 2)
            // Before the loss its own channels, after it the stream's first two, and nothing of the other sink's ever.
            for (index, samples) in hdmi.meter.capturedSamples().enumerated() {
                let channels = samples.filter { $0 != 0 }.map { NumberedRenderer.number($0)?.channel }
                #expect(Set(channels) == [4 + index, index])
            }
            // It is the stream's first channels now.
            _ = try capture((hdmi, 0))
            #expect(speaker.meter.reading.loudFrames == 0)
            let gap = try #require(reading.loudSpan).count - reading.loudFrames
            // Measured, 1024 to 3072 frames; the bound is for a machine under load.
            #expect(gap < Self.second / 2)
            withExtendedLifetime(renderer) {}
        }

        @Test func sinkThatComes_joinsTheOthersInOrder() throws {
            let server = try PrivatePipeWire.start()
            let hdmi = try sink("hdmi", on: server, ["FL", "FR"], bus: "pci")
            let client = try Client(server)
            let renderer = NumberedRenderer()
            let stream = try open(client, renderer, on: ["hdmi"])
            defer { stream.close() }
            try hdmi.meter.wait(loudFrames: 4800)
            let usb = try sink("usb", on: server, ["FL", "FR", "RL", "RR"])
            try client.wait(forOutput: "usb")
            hdmi.meter.mark()
            try stream.link(to: ["hdmi", "usb"])
            try usb.meter.wait(loudFrames: 4800)
            let reading = try hdmi.meter.wait(loudFrames: Self.second)
            let gap = try #require(reading.loudSpan).count - reading.loudFrames
            #expect(gap < Self.second / 2)
            _ = try capture((hdmi, 0), (usb, 2))
            #expect(client.log.entries.lostPorts == [])
            withExtendedLifetime(renderer) {}
        }
    }
}
