import AudioModel
import HostInterface
import HostPipeWire
import PipeWireRig
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

        /// Has the meters capture anew, until they have missed no frame: what a busy machine kept from them proves nothing.
        private func record(_ sinks: VirtualSink...) throws {
            for _ in 1...20 {
                for sink in sinks { sink.meter.mark() }
                for sink in sinks { try sink.meter.wait(frames: Self.window) }
                if sinks.allSatisfy({ $0.meter.reading.missedFrames == 0 }) { return }
            }
            Issue.record("the meters missed frames in each of 20 rounds")
        }

        /// What a sink has played last: the stream's frame and the clock's position of its last frame.
        ///
        /// Records an issue where a channel is not the stream's channel of that number, or a frame is not the next one.
        private func check(
            _ sink: VirtualSink, firstChannel: Int, sourceLocation: SourceLocation = #_sourceLocation
        ) -> (frame: Int, position: Int)? {
            let (channels, end) = sink.meter.capture()
            var last: (frame: Int, position: Int)?
            for (index, samples) in channels.enumerated() {
                let numbers = samples.map(NumberedRenderer.number)
                #expect(numbers.count > 4800, "\(sink.name)", sourceLocation: sourceLocation)
                let strays = numbers.filter { $0?.channel != firstChannel + index }.count
                #expect(strays == 0, "\(sink.name) channel \(index)", sourceLocation: sourceLocation)
                let steps = zip(numbers, numbers.dropFirst()).map { earlier, later in
                    NumberedRenderer.distance(from: earlier?.frame ?? 0, to: later?.frame ?? 0)
                }
                #expect(Set(steps) == [1], "\(sink.name) channel \(index)", sourceLocation: sourceLocation)
                guard let frame = numbers.last??.frame else { return nil }
                if let last { #expect(frame == last.frame, sourceLocation: sourceLocation) }
                last = (frame, Int(end))
            }
            return last
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
            try record(hdmi, usb, mono)
            var firstChannel = 0
            for (sink, count) in [(hdmi, 2), (usb, 4), (mono, 1)] {
                #expect(check(sink, firstChannel: firstChannel) != nil)
                firstChannel += count
            }
            #expect(client.log.all.lostPorts == [])
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
            try record(sinks[0], sinks[1])
            let first = try #require(check(sinks[0], firstChannel: 2))
            let second = try #require(check(sinks[1], firstChannel: 4))
            // The meters are read one after the other: the clock tells how much later the second one was.
            let offset =
                NumberedRenderer.distance(from: first.frame, to: second.frame) - (second.position - first.position)
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
                capturing: .seconds(2))
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
            try record(hdmi)
            // It is the stream's first channels now.
            #expect(check(hdmi, firstChannel: 0) != nil)
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
            try record(hdmi, usb)
            #expect(check(hdmi, firstChannel: 0) != nil)
            #expect(check(usb, firstChannel: 2) != nil)
            #expect(client.log.all.lostPorts == [])
            withExtendedLifetime(renderer) {}
        }
    }
}
