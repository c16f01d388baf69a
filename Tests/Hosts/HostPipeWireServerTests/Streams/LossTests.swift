import AudioModel
import Foundation
import HostInterface
import HostPipeWire
import PipeWireRig
import TestSupport
import Testing

extension ServerTests {
    /// The server, or a device, goes away at the worst moment.
    @Suite struct LossTests {
        @Test func connectionLost_whileStreaming_isToldOnceAndCallsThrow() throws {
            let playback = try Playback()
            defer { playback.end() }
            let (server, client, stream) = (playback.server, playback.client, playback.stream)
            let renderer = playback.renderer
            let start = client.log.count

            server.killPipeWire()
            try client.log.wait(for: "the loss", from: start) { events in
                events.contains { if case .connectionLost = $0 { true } else { false } }
            }
            #expect(throws: HostError.connectionLost) { try stream.link(to: ["headphones"]) }
            #expect(throws: HostError.connectionLost) { _ = try client.openStream(renderer, number: 2) }
            #expect(stream.latencyFrames == 0)
            client.host.claim(SessionClaim(id: ClaimID(number: 1), configuration: SessionConfiguration()))
            try client.log.wait(for: "the refused claim", from: start) { events in
                events.contains(.claimRefused(ClaimID(number: 1), .connectionLost))
            }
            stream.unlink()
            stream.stop()
            stream.close()
            renderer.end()
            client.host.shutdown()

            let told = client.log.entries.dropFirst(start)
            #expect(told.count { if case .connectionLost = $0 { true } else { false } } == 1, "\(told)")
            #expect(told.count == 2, "\(told)")
            #expect(renderer.lateCount == 0)
        }

        @Test(arguments: [true, false])
        func server_thatDiesDuringACall_isALostConnection(isOpening: Bool) throws {
            let server = try PrivatePipeWire.start()
            let (_, headphones) = try server.makeSpeakerAndHeadphones()
            let client = try Client(server)
            let renderer = LoudRenderer()
            let stream = try client.openStream(renderer)
            try stream.link(to: ["headphones"])
            // It answers no more, so that the call below is still waiting, or yet to come, when it dies.
            kill(server.processIDs[1], SIGSTOP)
            let death = Thread { server.killPipeWire() }
            death.start()
            // Neither waits for the server: the loss is an event.
            let second = isOpening ? try? client.openStream(renderer, number: 2) : nil
            let asked = isOpening ? second : stream
            let refusal = asked?.failureToLink(to: ["speaker"])
            #expect(refusal == nil || refusal == .connectionLost)
            try client.log.wait(for: "the loss") { events in
                events.contains { if case .connectionLost = $0 { true } else { false } }
            }
            #expect(asked == nil || asked?.failureToLink(to: ["speaker"]) == .connectionLost)
            second?.close()
            stream.close()
            client.host.shutdown()
            withExtendedLifetime((headphones, renderer)) {}
        }

        /// The card's routes have changed, and which of them is not known yet (decision 43).
        @Test func change_ofACardsRoutes_silencesTheHeadphones_untilItIsKnownWhichChanged() throws {
            let server = try PrivatePipeWire.start()
            let card = try server.makeCard()
            let client = try Client(server)
            let events = try client.wait(for: "the card's ports") { $0.outputs?.count == 2 }
            let uid = try #require(events.inventory?.outputs.first { $0.kind == .headphones }?.uid)
            let renderer = LoudRenderer()
            let stream = try client.openStream(renderer)
            defer { stream.close() }
            try stream.link(to: [uid])
            try renderer.wait(openCycles: 5)
            func change(_ change: () -> Void) throws {
                let before = renderer.gatedCount
                try card.holdingAnswers {
                    change()
                    while renderer.gatedCount == before { try renderer.wait(gatedCycles: 1) }
                }
            }
            try change { card.setAvailability(of: .speaker, to: .no) }
            try renderer.wait(openCycles: 5)
            #expect(client.log.entries.lostPorts == [])
            try change { card.unplugHeadphones() }
            try client.wait(for: "the loss") { $0.lostPorts == [uid] }
            withExtendedLifetime(renderer) {}
        }

        @Test func twoSinks_removedAtOnce_silenceAStreamOfBothOnce() throws {
            let server = try PrivatePipeWire.start()
            let (speaker, headphones) = try server.makeSpeakerAndHeadphones()
            let usb = try server.makeSink(name: "usb", bus: "usb", channels: ["FL", "FR", "LFE"], priority: 700)
            let client = try Client(server)
            let renderer = LoudRenderer()
            let stream = try client.openStream(renderer)
            defer { stream.close() }
            try stream.link(to: ["usb", "headphones"])
            try headphones.meter.wait(loudFrames: 4800)
            try usb.meter.wait(loudFrames: 4800)
            #expect(renderer.channelCount == 5)
            speaker.meter.mark()
            let start = client.log.count
            usb.destroy()
            headphones.destroy()
            try client.wait(withoutOutput: "headphones", from: start)
            try client.wait(withoutOutput: "usb", from: start)
            let told = client.log.entries.dropFirst(start)
            #expect(Array(told).lostPorts.count == 1, "\(told)")
            #expect(["usb", "headphones"].contains(Array(told).lostPorts.first))
            #expect(try speaker.meter.wait(frames: 24_000).loudFrames == 0)
            try stream.link(to: ["speaker"])
            try speaker.meter.wait(loudFrames: 4800)
            withExtendedLifetime(renderer) {}
        }

        /// Each round either links and is then told of the loss, or is refused and then told of it: never neither.
        @Test func link_racingTheRemovalOfItsSink_fiftyTimes_endsInALossAndNotOnTheSpeaker() throws {
            // A server for ten rounds each: the rig keeps a meter of every sink there was.
            let counts = try (0..<5).map { try race(rounds: $0 * 10..<$0 * 10 + 10) }
            // Else no link had begun: the removal comes up to 3 ms later than its call.
            #expect(counts.map(\.linked).reduce(0, +) > 0)
            // A busy machine keeps frames from the meter, and not in each round.
            #expect(counts.map(\.heardWhole).reduce(0, +) >= 25, "\(counts)")
        }

        /// How many of the links were made, and in how many rounds every frame of the speaker's was heard.
        private func race(rounds: Range<Int>) throws -> (linked: Int, heardWhole: Int) {
            let server = try PrivatePipeWire.start()
            let speaker = try server.makeSink(name: "speaker", formFactor: "speaker", bus: "pci", priority: 500)
            let client = try Client(server)
            let renderer = LoudRenderer()
            let stream = try client.openStream(renderer)
            defer { stream.close() }
            var (linked, heardWhole) = (0, 0)
            for round in rounds {
                let missedBefore = speaker.meter.reading.missedFrames
                let headphones = try server.makeHeadphones()
                try client.wait(forOutput: "headphones")
                let start = client.log.count
                let removal = Thread {
                    // Not to wait for anything: to come a little later into the link in every round.
                    let end = client.host.now().nanoseconds + UInt64(round) * 60_000
                    while client.host.now().nanoseconds < end {}
                    headphones.destroy()
                }
                removal.start()
                let refusal = stream.failureToLink(to: ["headphones"])
                #expect(refusal == nil || refusal == .noSuchPort(uid: "headphones"), "round \(round)")
                linked += refusal == nil ? 1 : 0
                let told = try client.log.wait(for: "the loss and what is left, round \(round)", from: start) {
                    $0.outputs == ["speaker"] && $0.lostPorts == ["headphones"]
                }
                #expect(told.lostPorts == ["headphones"], "round \(round): \(told)")
                // What was on its way is heard by then.
                let reading = try speaker.meter.wait(frames: speaker.meter.reading.frames + 4096)
                #expect(reading.loudFrames == 0, "round \(round)")
                heardWhole += reading.missedFrames == missedBefore ? 1 : 0
            }
            withExtendedLifetime(renderer) {}
            return (linked, heardWhole)
        }

        /// The uid is the same, so that the inventory may be the same too: the loss must be told all the same.
        @Test func sink_madeAnewWithTheSameName_takesTheStreamAgain() throws {
            let playback = try Playback()
            defer { playback.end() }
            let (server, client, stream) = (playback.server, playback.client, playback.stream)
            let (speaker, first) = (playback.speaker, playback.headphones)
            speaker.meter.mark()
            let start = client.log.count
            first.destroy()
            let second = try server.makeHeadphones()
            try client.log.wait(for: "the loss, then headphones", from: start) { events in
                events.lostPorts == ["headphones"] && events.outputs?.contains("headphones") == true
            }
            try stream.link(to: ["headphones"])
            try second.meter.wait(loudFrames: 4800)
            #expect(speaker.meter.reading.loudFrames == 0)
        }
    }
}
