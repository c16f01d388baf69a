import AudioModel
import HostDiagnosis
import HostInterface
import HostPipeWire
import PipeWireRig
import TestSupport
import Testing

extension ServerTests {
    @Suite struct StreamTests {
        @Test func close_whileStreaming_fiftyTimes_isTheRenderersLastCall() throws {
            let server = try PrivatePipeWire.start()
            let speaker = try server.makeSink(name: "speaker", formFactor: "speaker", bus: "pci")
            let client = try Client(server)
            try client.wait(forOutput: "speaker")
            for round in 0..<50 {
                let renderer = LoudRenderer()
                let stream = try client.openStream(renderer, number: UInt64(round))
                try stream.link(to: ["speaker"])
                speaker.meter.mark()
                try speaker.meter.wait(loudFrames: 1)
                stream.close()
                renderer.end()
                #expect(renderer.callCount > renderer.gatedCount, "round \(round)")
                // Time for the data thread to call once more, if it would.
                try speaker.meter.wait(frames: speaker.meter.reading.frames + 2048)
                #expect(renderer.lateCount == 0, "round \(round)")
            }
            #expect(client.log.entries.lostPorts == [])
        }

        /// The server rounds down to a power of two.
        @Test func cycle_isAsLongAsPreferred_whileStreamingToo() throws {
            let server = try PrivatePipeWire.start()
            _ = try server.makeSink(name: "speaker", bus: "pci")
            let client = try Client(server)
            try client.wait(forOutput: "speaker")
            let renderer = LoudRenderer()
            let stream = try client.openStream(renderer)
            defer { stream.close() }
            #expect(stream.cycleSeconds == 0)
            stream.preferCycle(seconds: 0.0055)
            try stream.link(to: ["speaker"])
            try renderer.wait(cyclesOfFrames: 256)
            #expect(stream.cycleSeconds == 256.0 / 48_000)
            stream.preferCycle(seconds: 0.003)
            try renderer.wait(cyclesOfFrames: 128)
            #expect(stream.cycleSeconds == 128.0 / 48_000)
            stream.preferCycle(seconds: 0)
            try renderer.wait(cyclesOfFrames: 1024)
            #expect(stream.cycleSeconds == 1024.0 / 48_000)
            stream.stop()
            #expect(stream.cycleSeconds == 0)
            withExtendedLifetime(renderer) {}
        }

        @Test func hosts_inOneProcess_playSideBySide() throws {
            let servers = [try PrivatePipeWire.start(), try PrivatePipeWire.start()]
            let sinks = try servers.map { try $0.makeSink(name: "speaker", bus: "pci") }
            // Two on one server, and one on another.
            let clients = [try Client(servers[0]), try Client(servers[0]), try Client(servers[1])]
            let renderers = clients.map { _ in LoudRenderer() }
            var streams: [any HostStream] = []
            for (client, renderer) in zip(clients, renderers) {
                let stream = try client.openStream(renderer)
                try stream.link(to: ["speaker"])
                streams.append(stream)
            }
            for renderer in renderers { try renderer.wait(openCycles: 2) }
            for sink in sinks {
                sink.meter.mark()
                try sink.meter.wait(loudFrames: 9600)
            }
            // Two add up; what each writes is 0.5.
            #expect(sinks[0].meter.reading.peak > 0.9)
            #expect(sinks[1].meter.reading.peak < 0.6)
            clients[0].host.shutdown()
            sinks[0].meter.mark()
            #expect(try sinks[0].meter.wait(loudFrames: 9600).peak > 0.4)
            for stream in streams { stream.close() }
            withExtendedLifetime(renderers) {}
        }

        @Test func targetOfAMixer_movesTheStream_andBack() throws {
            let server = try PrivatePipeWire.start()
            let (speaker, _) = try server.makeSpeakerAndHeadphones()
            let client = try Client(server)
            let renderer = LoudRenderer()
            let stream = try client.openStream(renderer)
            defer { stream.close() }
            try stream.link(to: ["headphones"])
            // The links are made after the call. The host knows its stream's node once they are there.
            try server.waitUntil("the stream's links") { $0.links(fromStreamsTo: "headphones").count == 2 }
            let node = try #require(
                try server.graph.nodes.first { $0.mediaClass == "Stream/Output/Audio" })
            func choices() -> [String?] {
                client.log.entries.compactMap { event -> String?? in
                    if case .outputChosenByUser(let uid) = event { .some(uid) } else { nil }
                }
            }
            try server.setTarget(ofNode: node.id, to: "speaker")
            try client.log.wait(for: "the choice") { $0.contains(.outputChosenByUser(uid: "speaker")) }
            // The server says nothing of a target that is the same as before.
            try server.setTarget(ofNode: node.id, to: "speaker")
            // A choice that cannot be followed is none. The same one after it counts: the app may have chosen meanwhile.
            try server.setTarget(ofNode: node.id, to: "nowhere")
            try server.setTarget(ofNode: node.id, to: "speaker")
            try stream.link(to: ["speaker"])
            try speaker.meter.wait(loudFrames: 4800)
            try server.setTarget(ofNode: node.id, to: nil)
            try client.log.wait(for: "the end of the choice") { $0.contains(.outputChosenByUser(uid: nil)) }
            // There is nothing left to lift.
            try server.setTarget(ofNode: node.id, to: "nowhere")
            try server.setTarget(ofNode: node.id, to: nil)
            try server.setTarget(ofNode: node.id, to: "headphones")
            try client.log.wait(for: "another choice") { $0.contains(.outputChosenByUser(uid: "headphones")) }
            #expect(choices() == ["speaker", "speaker", nil, "headphones"])
            withExtendedLifetime(renderer) {}
        }

        @Test func playing_withoutASessionManager_worksAndStopsWithItsSink() throws {
            let server = try PrivatePipeWire.start(.withoutSessionManager)
            let (speaker, headphones) = try server.makeSpeakerAndHeadphones()
            let client = try Client(server)
            #expect(client.host.diagnosis?.sessionManager == nil)
            #expect(client.host.diagnosis?.mayLink == true)
            let renderer = LoudRenderer()
            let stream = try client.openStream(renderer)
            defer { stream.close() }
            try stream.link(to: ["headphones"])
            try headphones.meter.wait(loudFrames: 4800)
            let start = client.log.count
            headphones.destroy()
            let told = try client.log.wait(for: "what is left", from: start) { $0.outputs == ["speaker"] }
            #expect(told.lostPorts == ["headphones"])
            #expect(told.inventory?.defaultOutputUID == "speaker")
            #expect(try speaker.meter.wait(frames: 24_000).loudFrames == 0)
            try stream.link(to: ["speaker"])
            try speaker.meter.wait(loudFrames: 4800)
            withExtendedLifetime(renderer) {}
        }

        /// The server mixes a number of links into one port: 128 in PipeWire 0.3.65, 512 in 1.4.
        ///
        /// What it refuses is not waited for.
        @Test func stream_thatItsSinkDoesNotTake_failsWithTheServersWord() throws {
            let server = try PrivatePipeWire.start()
            let (speaker, headphones) = try server.makeSpeakerAndHeadphones()
            let crowds = (1...(PrivatePipeWire.version.hasPrefix("0.") ? 2 : 8)).map { "crowd\($0)" }
            for name in crowds {
                try server.createNode([
                    "factory.name": "support.null-audio-sink", "node.name": name, "media.class": "Audio/Sink",
                    "object.linger": "true", "audio.channels": "64",
                    "audio.position": (0..<64).map { "AUX\($0)" }.joined(separator: ","),
                ])
                try server.waitUntil("the ports of \(name)") { graph in
                    graph.node(named: name).map { node in graph.ports.count { $0.node == node.id } == 128 } ?? false
                }
            }
            try server.run([
                "sh", "-c",
                "for sink in \(crowds.joined(separator: " ")); do for i in $(seq 0 63); do "
                    + "pw-link $sink:monitor_AUX$i headphones:playback_FL; done; done",
            ])
            let client = try Client(server)
            let renderer = LoudRenderer()
            let stream = try client.openStream(renderer)
            try stream.link(to: ["headphones"])
            let events = try client.wait(for: "the refusal") { events in
                events.contains { if case .streamFailed = $0 { true } else { false } }
            }
            let refusals = events.compactMap { event -> String? in
                if case .streamFailed(_, .refused(let words)) = event { words } else { nil }
            }
            #expect(refusals.count == 1)
            #expect(refusals.first?.hasPrefix("the device takes no more streams") == true, "\(refusals)")
            stream.close()
            withExtendedLifetime((speaker, headphones, renderer)) {}
        }

        @Test(arguments: [true, false])
        func sampleRate_whenForced_isTheSinks(isPlaying: Bool) throws {
            let server = try PrivatePipeWire.start()
            let speaker = try server.makeSink(name: "speaker", bus: "pci")
            let client = try Client(server)
            let renderer = LoudRenderer()
            let stream = isPlaying ? try client.openStream(renderer) : nil
            defer { stream?.close() }
            if let stream {
                try stream.link(to: ["speaker"])
                try speaker.meter.wait(loudFrames: 4800)
            }
            func waitForRate(_ rate: Double) throws {
                try client.log.wait(for: "a sink at \(rate) Hz") {
                    $0.inventory?.port(uid: "speaker")?.sampleRate == rate
                }
            }
            try waitForRate(48_000)
            for rate in [44_100, 96_000, 48_000] {
                try server.forceRate(rate)
                try waitForRate(Double(rate))
            }
            #expect(client.host.sampleRate == 48_000)
            withExtendedLifetime(renderer) {}
        }

        /// libpipewire would take gigabytes for its resampler; this server has no meter, which would take them too.
        @Test func rate_thatNothingCanBeResampledTo_endsTheStream_andIsRefused_untilItIsTakenBack() throws {
            let server = try PrivatePipeWire.start()
            try server.createNode([
                "node.name": "speaker", "factory.name": "support.null-audio-sink", "media.class": "Audio/Sink",
                "object.linger": "true", "device.bus": "pci",
            ])
            let client = try Client(server)
            try client.wait(forOutput: "speaker")
            let renderer = LoudRenderer()
            let stream = try client.openStream(renderer)
            defer { stream.close() }
            try stream.link(to: ["speaker"])
            try renderer.wait(openCycles: 2)
            let before = try GrowthTests.Holdings.now
            try server.forceRate(1)
            let isRefusal = { (error: HostError) in
                if case .refused(let words) = error { words.contains("1 Hz") } else { false }
            }
            try client.log.wait(for: "the stream's end") { events in
                events.contains { if case .streamFailed(_, let error) = $0 { isRefusal(error) } else { false } }
            }
            #expect(stream.failureToLink(to: ["speaker"]).map(isRefusal) == true)
            let after = try GrowthTests.Holdings.now
            #expect(after.residentKilobytes - before.residentKilobytes < 200_000, "\(before) \(after)")
            try server.forceRate(44_100)
            try client.log.wait(for: "44100 Hz") { $0.inventory?.port(uid: "speaker")?.sampleRate == 44_100 }
            try stream.link(to: ["speaker"])
            try renderer.wait(openCycles: 2)
            withExtendedLifetime(renderer) {}
        }

        /// The second line of defence: an open gate is for one driver.
        ///
        /// A program that plays to two sinks merges their graphs, and ours has another driver without any link of ours
        /// having changed. That is silence until a round trip has shown that nothing was lost.
        @Test func driver_thatChangesUnderAnOpenGate_closesItUntilTheLinksAreFoundUnharmed() throws {
            let server = try PrivatePipeWire.start()
            // The driver of both is the one with the higher priority.driver.
            let speaker = try server.makeSink(name: "speaker", bus: "pci", priority: 3000)
            let headphones = try server.makeSink(name: "headphones", bus: "usb", priority: 500)
            let client = try Client(server)
            let renderer = LoudRenderer()
            let stream = try client.openStream(renderer)
            defer { stream.close() }
            try stream.link(to: ["headphones"])
            try headphones.meter.wait(loudFrames: 4800)
            #expect(renderer.gatedCount == 0)
            let tones = try ["speaker", "headphones"].map { target in
                try server.makeTone(name: "tone-\(target)", routing: .linked(to: target))
            }
            #expect(renderer.gatedCount == 0)
            // The merger: another program's stream is linked to both.
            try server.run(["pw-link", "tone-headphones:output_FL", "speaker:playback_FL"])
            // The graphs are one when the tone has agreed on a format, some time after the link was made.
            try renderer.wait(gatedCycles: 1)
            headphones.meter.mark()
            try headphones.meter.wait(loudFrames: 9600)
            #expect(client.log.entries.lostPorts == [])
            #expect(speaker.meter.reading.loudFrames == 0)
            withExtendedLifetime((renderer, tones)) {}
        }
    }
}
