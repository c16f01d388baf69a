import CRig
import Testing

@testable import PipeWireRig

extension RigTests {
    @Suite struct DefaultsTests {
        @Test func metadata_whenReadAgain_areWhatTheyWere_andChangesAreSeen() throws {
            let rig = try PrivatePipeWire.start()
            let low = try rig.makeSink(name: "low", priority: 100)
            try rig.waitUntilDefaultSink(is: "low")
            oav_rig_read_metadata_again(try rig.connection.pointer)
            try rig.waitUntilDefaultSink(is: "low")
            let high = try rig.makeSink(name: "high", priority: 200)
            try rig.waitUntilDefaultSink(is: "high")
            withExtendedLifetime((low, high)) {}
        }

        @Test func defaultSink_followsPriorityAndThenTheUsersChoice() throws {
            let rig = try PrivatePipeWire.start()
            #expect(try rig.defaultSinkName() == nil)
            _ = try rig.makeSink(name: "low", priority: 500)
            try rig.waitUntilDefaultSink(is: "low")
            _ = try rig.makeSink(name: "high", priority: 1500)
            try rig.waitUntilDefaultSink(is: "high")
            try rig.setDefault("low")
            #expect(try rig.defaultSinkName() == "low")
            try rig.setDefault("high")
            #expect(try rig.defaultSinkName() == "high")
        }

        @Test func defaultSource_isTheMicrophoneAndNotTheSinksMonitor() throws {
            let rig = try PrivatePipeWire.start()
            _ = try rig.makeSink(name: "speaker")
            let source = try rig.makeSource(name: "microphone", bus: "usb")
            try rig.waitUntilDefaultSource(is: "microphone")
            #expect(try rig.graph.node(named: "microphone")?.mediaClass == "Audio/Source")
            source.destroy()
            try rig.waitUntil("the microphone goes") { $0.node(named: "microphone") == nil }
        }

        @Test func tone_whenItsTargetIsSet_movesThere() throws {
            let rig = try PrivatePipeWire.start()
            _ = try rig.makeSink(name: "first", priority: 1500)
            let second = try rig.makeSink(name: "second", priority: 500)
            try rig.waitUntilDefaultSink(is: "first")
            let tone = try rig.makeTone()
            try rig.waitUntil("tone", feeds: "first")
            tone.play(frames: nil)
            try rig.setTarget(ofNode: tone.nodeID, to: "second")
            try rig.waitUntil("tone", feeds: "second")
            try second.meter.wait(loudFrames: 4_800)
            try rig.waitUntil("it leaves the first one") { $0.feeders(of: "first") == [] }
        }

        @Test func settings_whenForced_areReadBack() throws {
            let rig = try PrivatePipeWire.start()
            try rig.forceQuantum(256)
            try rig.forceRate(44_100)
            #expect(try rig.metadata("settings", key: "clock.force-quantum") == "256")
            #expect(try rig.metadata("settings", key: "clock.force-rate") == "44100")
            try rig.forceQuantum(nil)
            #expect(try rig.metadata("settings", key: "clock.force-quantum") == "0")
        }

        @Test func node_withDeviceProperties_carriesItsDescription() throws {
            let rig = try PrivatePipeWire.start()
            let sink = try rig.makeSink(
                name: "buds", description: "Ear Buds", formFactor: "headset", bus: "bluetooth",
                properties: ["api.bluez5.profile": "a2dp-sink"])
            let node = try #require(try rig.graph.node(named: "buds"))
            #expect(node.description == "Ear Buds")
            #expect(node.id == sink.nodeID)
        }
    }
}
