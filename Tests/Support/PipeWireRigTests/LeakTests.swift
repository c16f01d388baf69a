import PipeWireRig
import Testing

extension RigTests {
    /// The counter of leaked frames is only worth something if it fires where there is a leak.
    @Suite struct LeakTests {
        private struct Scene {
            let rig: PrivatePipeWire
            let speaker: VirtualSink
            let headphones: VirtualSink

            init() throws {
                rig = try PrivatePipeWire.start()
                speaker = try rig.makeSink(name: "speaker", formFactor: "speaker", bus: "pci", priority: 500)
                headphones = try rig.makeSink(
                    name: "headphones", formFactor: "headphone", bus: "usb", priority: 1500)
                try rig.waitUntilDefaultSink(is: "headphones")
            }

            /// Plays without end to the headphones, then takes them away.
            func playAndUnplug(_ tone: ToneGenerator) throws -> UInt64 {
                try rig.waitUntil("tone", feeds: "headphones")
                tone.play(frames: nil)
                headphones.meter.mark()
                speaker.meter.mark()
                try headphones.meter.wait(loudFrames: 4_800)
                #expect(speaker.meter.reading.loudFrames == 0)
                speaker.meter.mark()
                return headphones.destroy()
            }
        }

        @Test func automaticTone_whenItsSinkGoes_leaksToTheSpeaker() throws {
            let scene = try Scene()
            let tone = try scene.rig.makeTone()
            let destroyed = try scene.playAndUnplug(tone)
            let leaked = try scene.speaker.meter.wait(loudFrames: 4_800)
            let first = try #require(leaked.firstLoudAtNanoseconds)
            #expect(first > destroyed)
            // It plays on without a break: every frame is a leaked one.
            let reading = try undisturbed({ $0.missedFrames == 0 && $0.loudFrames == $0.frames }) {
                scene.speaker.meter.mark()
                return try scene.speaker.meter.wait(frames: 48_000)
            }
            #expect(reading.missedFrames == 0)
            #expect(reading.loudFrames == reading.frames)
            try scene.rig.waitUntil("tone", feeds: "speaker")
        }

        @Test func linkedTone_whenItsSinkGoes_sendsTheSpeakerNothing() throws {
            let scene = try Scene()
            let tone = try scene.rig.makeTone(routing: .linked(to: "headphones"))
            _ = try scene.playAndUnplug(tone)
            try scene.rig.waitUntilDefaultSink(is: "speaker")
            let reading = try undisturbed({ $0.missedFrames == 0 }) {
                scene.speaker.meter.mark()
                let reading = try scene.speaker.meter.wait(frames: 48_000)
                #expect(reading.loudFrames == 0)
                return reading
            }
            #expect(reading.missedFrames == 0)
            #expect(try scene.rig.graph.targets(of: "tone") == [])
        }
    }
}
