import AudioModel
import Foundation
import HostInterface
import HostPipeWire
import PipeWireRig
import TestSupport
import Testing

extension ServerTests {
    /// Any program of the user's may publish nodes, and put what it likes into their properties.
    @Suite struct HostileValueTests {
        @Test func properties_thatMakeNoSense_doNoHarm() throws {
            let server = try PrivatePipeWire.start()
            let client = try Client(server)
            let hostile: [(name: String, properties: [String: String])] = [
                ("numbers", ["device.id": "-7", "card.profile.device": "99999999999999", "priority.session": "high"]),
                ("route", ["device.id": "4294967295", "card.profile.device": "0", "device.routes": "-1"]),
                ("node-of-no-device", ["device.id": "2", "card.profile.device": "-2147483648"]),
                ("positions", ["audio.position": "[[[ \"FL\", ,,, FR ]"]),
                ("many", ["audio.channels": "64", "audio.position": "[ UNK ]"]),
            ]
            for (name, properties) in hostile {
                var all = ["node.name": name].merging(properties) { $1 }
                all["factory.name"] = "support.null-audio-sink"
                all["media.class"] = "Audio/Sink"
                all["object.linger"] = "true"
                try server.createNode(all)
            }
            let long = String(repeating: "long ", count: 4000)
            let texts: [(name: String, description: String)] = [
                ("long", long), (String(repeating: "n", count: 2000), ""),
                ("escape\u{1B}[2J", "\u{1B}]0;title\u{7}\u{202E}"),
            ]
            let sinks = try texts.map { try server.makeSink(name: $0.name, description: $0.description) }
            // Bytes that are no UTF-8, in a name and in a description.
            try server.makeSink(bytes: ["node.name": Array("bad-".utf8) + [0xFF, 0xFE], "node.description": [0xC0]])
            try client.log.wait(for: "all of them") { ($0.outputs?.count ?? 0) == hostile.count + texts.count + 1 }
            let inventory = try #require(client.log.entries.inventory)
            #expect(Set(inventory.ports.map(\.uid)).count == inventory.ports.count)
            #expect(inventory.ports.allSatisfy { $0.channels.count <= 64 && !$0.uid.isEmpty })

            // Each can be linked to, or says why not; none takes the host along.
            let renderer = LoudRenderer()
            let stream = try client.openStream(renderer)
            for port in inventory.outputs {
                if case .connectionLost? = stream.failureToLink(to: [port.uid]) { Issue.record("lost at \(port)") }
            }
            stream.close()
            _ = try server.makeSink(name: "sane", bus: "pci")
            try client.wait(forOutput: "sane")
            withExtendedLifetime((renderer, sinks)) {}
        }

        enum Liar: CaseIterable { case node, card, headset }

        /// Each of these wrote past memory of every host on the server.
        @Test(arguments: Liar.allCases) func arrays_whoseElementsAreTooLong_areNotRead(of liar: Liar) throws {
            let server = try PrivatePipeWire.start(.withoutSessionManager)
            let client = try Client(server)
            let lyingSink: String
            switch liar {
            case .node:
                lyingSink = "lying"
                let properties = ["node.name": lyingSink, "media.class": "Audio/Sink", "audio.position": "[ FL, FR ]"]
                try server.publishNode(properties, lyingAboutSizes: true)
            case .card, .headset:
                var configuration = liar == .headset ? VirtualCard.Configuration.headset : .init()
                configuration.liesAboutSizes = true
                lyingSink = try server.makeCard(configuration).sinkName
            }
            let sane = try server.makeSink(name: "sane", bus: "pci")
            try client.wait(for: "the volume of sane") { $0.inventory?.volumes["sane"] != nil }
            let inventory = try #require(client.log.entries.inventory)
            // A card's sink is one port: no route that could be read belongs to it. Its volume is the node's own, which is true.
            #expect(Set(inventory.outputs.map(\.uid)) == [lyingSink, "sane"])
            #expect((inventory.volumes[lyingSink] == nil) == (liar == .node))
            withExtendedLifetime(sane) {}
        }

        @Test func metadata_thatMakesNoSense_movesNobody() throws {
            let playback = try Playback()
            defer { playback.end() }
            let (server, client) = (playback.server, playback.client)
            let headphones = playback.headphones
            let start = client.log.count
            let name = String(repeating: "x", count: 5000)
            for value in [
                "", "{", "nonsense", "{\"name\":", "{\"name\":5}", "[]", "{\"name\":\"\(name)\"}", "{\"\(name)\":1}",
                "{\"name\":\"nowhere\"}",
            ] {
                try server.setMetadata(key: "default.audio.sink", type: "Spa:String:JSON", value)
            }
            let node = try #require(try server.graph.nodes.first { $0.mediaClass == "Stream/Output/Audio" })
            for value in ["99999999999999999999999", "", name, "-2"] {
                try server.setMetadata(subject: node.id, key: "target.object", value)
            }
            // Nothing of it is missing, but for what a busy machine keeps from the meter, and not in each of ten rounds.
            let isWhole = try (0..<10).contains { _ in
                headphones.meter.mark()
                let reading = try headphones.meter.wait(frames: 24_000)
                return reading.loudFrames == reading.frames
            }
            #expect(isWhole)
            let told = client.log.entries.dropFirst(start)
            #expect(told.allSatisfy { [$0].inventory?.defaultOutputUID == "headphones" }, "\(told)")
        }
    }
}
