import AudioModel
import HostInterface
import HostPipeWire
import PipeWireRig
import TestSupport
import Testing

extension ServerTests {
    /// A policy outside of this process takes a stream off a sink that stays.
    @Suite struct HoldTests {
        private let held = HostEvent.streamHeld(StreamID(number: 1))
        private let released = HostEvent.streamReleased(StreamID(number: 1))

        private func holds(in events: [HostEvent]) -> [HostEvent] { events.filter { $0 == held || $0 == released } }

        @Test func linkCutByOthers_whileItsSinkStays_isAHold_andSilence() throws {
            let playback = try Playback()
            defer { playback.end() }
            let (server, client, stream) = (playback.server, playback.client, playback.stream)
            let (speaker, headphones) = (playback.speaker, playback.headphones)
            speaker.meter.mark()
            let start = client.log.count
            // One channel of two: the other one goes with it.
            try server.cutLink(to: "headphones", channel: 0)
            try client.log.wait(for: "the hold", from: start) { $0.contains(held) }
            try server.waitUntil("no link is left") { $0.links(fromStreamsTo: "headphones").isEmpty }
            let cut = headphones.meter.reading.loudFrames
            let reading = try headphones.meter.wait(frames: headphones.meter.reading.frames + 24_000)
            // At most the two quanta that were under way.
            #expect(reading.loudFrames - cut <= 2048)
            #expect(speaker.meter.reading.loudFrames == 0)
            #expect(Array(client.log.entries.dropFirst(start)) == [held])
            try stream.link(to: ["headphones"])
            headphones.meter.mark()
            try headphones.meter.wait(loudFrames: 4800)
            #expect(holds(in: Array(client.log.entries.dropFirst(start))) == [held])
        }

        /// The stream is stopped and unlinked meanwhile, as a session does with one that is interrupted.
        @Test(arguments: [true, false])
        func heldStream_linkedByOthers_isReleased_andOnlyItsSessionLinksIt(isStopped: Bool) throws {
            let playback = try Playback()
            defer { playback.end() }
            let (server, client, stream) = (playback.server, playback.client, playback.stream)
            let (speaker, headphones) = (playback.speaker, playback.headphones)
            speaker.meter.mark()
            var start = client.log.count
            try server.cutLink(to: "headphones", channel: 0)
            try client.log.wait(for: "the hold", from: start) { holds(in: $0) == [held] }
            if isStopped {
                stream.stop()
                stream.unlink()
            }
            start = client.log.count
            for channel in 0..<2 { try server.makeLink(to: "speaker", channel: channel) }
            try client.log.wait(for: "the release", from: start) { holds(in: $0) == [released] }
            try server.waitUntil("those links are gone") { $0.links(fromStreamsTo: "speaker").isEmpty }
            stream.start()
            #expect(try speaker.meter.wait(frames: 24_000).loudFrames == 0)
            try stream.link(to: ["headphones"])
            headphones.meter.mark()
            try headphones.meter.wait(loudFrames: 4800)
            #expect(speaker.meter.reading.loudFrames == 0)
            #expect(holds(in: Array(client.log.entries.dropFirst(start))) == [released])
        }

        @Test func streamPausedByOthers_isHeld_untilTheyLetItRun() throws {
            let server = try PrivatePipeWire.start()
            let headphones = try server.makeHeadphones()
            let client = try Client(server)
            let renderer = LoudRenderer()
            let stream = try client.openStream(renderer)
            defer { stream.close() }
            try stream.link(to: ["headphones"])
            try headphones.meter.wait(loudFrames: 4800)
            var start = client.log.count
            try server.commandStream("Pause")
            try client.log.wait(for: "the hold", from: start) { $0.contains(held) }
            start = client.log.count
            headphones.meter.mark()
            try server.commandStream("Start")
            try client.log.wait(for: "the release", from: start) { $0.contains(released) }
            // It runs, and is silent until its session links it.
            #expect(try headphones.meter.wait(frames: 9600).loudFrames == 0)
            try stream.link(to: ["headphones"])
            try headphones.meter.wait(loudFrames: 4800)
            #expect(holds(in: client.log.entries) == [held, released])
            withExtendedLifetime(renderer) {}
        }

        /// What pauses a stream for some milliseconds is no policy: our own calls, and a graph that changes its rate.
        @Test func shortPauses_areNoHolds() throws {
            let server = try PrivatePipeWire.start()
            let headphones = try server.makeHeadphones()
            let client = try Client(server)
            let renderer = LoudRenderer()
            let stream = try client.openStream(renderer)
            defer { stream.close() }
            try stream.link(to: ["headphones"])
            try headphones.meter.wait(loudFrames: 4800)
            func isHeldByNone(_ rate: Int) throws -> Bool {
                let start = client.log.count
                try server.forceRate(rate)
                try client.log.wait(for: "\(rate) Hz, or a hold") {
                    $0.inventory?.port(uid: "headphones")?.sampleRate == Double(rate)
                        || $0.dropFirst(start).contains(held)
                }
                try server.commandStream("Suspend")
                stream.stop()
                stream.start()
                // Longer than the news of a hold is kept back.
                try headphones.meter.wait(frames: headphones.meter.reading.frames + 24_000)
                guard holds(in: Array(client.log.entries.dropFirst(start))) == [] else {
                    try stream.link(to: ["headphones"])
                    return false
                }
                try renderer.wait(openCycles: 10)
                return true
            }
            // What a machine that stands still for 0.1 s makes of a pause is a hold, and not in each of three rounds.
            let rates = [44_100, 48_000, 96_000, 48_000]
            let isNoHold = try (0..<3).contains { _ in try rates.allSatisfy(isHeldByNone) }
            #expect(isNoHold, "\(client.log.entries)")
            headphones.meter.mark()
            try headphones.meter.wait(loudFrames: 24_000)
            withExtendedLifetime(renderer) {}
        }

        /// A removed link is also the first sign of a removed sink.
        @Test func removedSinks_areNeverHolds() throws {
            let server = try PrivatePipeWire.start()
            let speaker = try server.makeSink(name: "speaker", formFactor: "speaker", bus: "pci", priority: 500)
            let client = try Client(server)
            let renderer = LoudRenderer()
            let stream = try client.openStream(renderer)
            defer { stream.close() }
            for _ in 0..<10 {
                let start = client.log.count
                let headphones = try server.makeHeadphones()
                try client.wait(forOutput: "headphones", from: start)
                try stream.link(to: ["headphones"])
                try renderer.wait(openCycles: 2)
                headphones.destroy()
                try client.wait(withoutOutput: "headphones", from: start)
            }
            #expect(client.log.entries.lostPorts.count == 10)
            #expect(!client.log.entries.contains(held))
            #expect(speaker.meter.reading.loudFrames == 0)
            withExtendedLifetime(renderer) {}
        }

        /// A recorder that listens to our stream is linked to it, and no policy.
        @Test func linksThatWereNotHeld_areLeftAlone() throws {
            let playback = try Playback()
            defer { playback.end() }
            let (server, client, stream) = (playback.server, playback.client, playback.stream)
            let headphones = playback.headphones
            let start = client.log.count
            try server.makeLink(to: "speaker", channel: 0)
            try server.waitUntil("the user's link") { $0.links(fromStreamsTo: "speaker").count == 1 }
            try stream.link(to: ["headphones"])
            headphones.meter.mark()
            try headphones.meter.wait(loudFrames: 4800)
            #expect(try server.graph.links(fromStreamsTo: "speaker").count == 1)
            #expect(client.log.entries.dropFirst(start).allSatisfy { [$0].inventory != nil }, "\(client.log.entries)")
        }
    }
}
