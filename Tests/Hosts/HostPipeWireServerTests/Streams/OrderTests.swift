import AudioModel
import CRealtime
import EngineCore
import HostInterface
import HostPipeWire
import PipeWireRig
import Synchronization
import TestSupport
import Testing

extension ServerTests {
    /// An input and the output that plays it: the order of their cycles, and what the loss of one costs the other (decision 101).
    @Suite struct OrderTests {
        /// A busy machine loses a frame now and then, and not in each of these; what is lost in all of them is our fault.
        private static let rounds = 10
        /// What the meter keeps and a test looks at, in frames.
        private static let window = 19_200

        @Test func output_thatPlaysItsInput_hasItsCyclesAfterTheInputs() throws {
            let pair = try Pair()
            defer { pair.end() }
            try pair.waitUntilOrdered()
        }

        /// Voice processing stands between the server and the input: the frames come 10 ms later, in the same order, without a break.
        @Test func input_withVoiceProcessing_isBeforeTheOutput_andWhole() throws {
            try untilNothingIsLost(hasVoice: true) { pair in
                let (breaks, frames) = (pair.heard.breakCount, pair.heard.frameCount)
                try pair.waitUntil { pair.heard.frameCount >= frames + Self.window }
                return pair.heard.breakCount - breaks
            }
        }

        /// As under multiRoute.
        @Test func output_onTwoSinks_hasItsCyclesAfterTheInputs() throws {
            let pair = try Pair()
            defer { pair.end() }
            try pair.waitUntilOrdered()
            let second = try pair.server.makeSink(name: "second", bus: "usb")
            try pair.client.wait(for: "the second sink") { $0.inventory?.port(uid: "second") != nil }
            try pair.output.link(to: ["speaker", "second"])
            for meter in [pair.speaker.meter, second.meter] {
                meter.mark()
                try meter.wait(loudFrames: Self.window)
            }
            pair.forgetOrder()
            try pair.waitUntilOrdered()
        }

        enum Loss: CaseIterable { case unplugged, stopped, closed }

        /// What plays beside the input sounds on, frame by frame, and another program at the device misses nothing.
        @Test(arguments: Loss.allCases)
        func inputThatGoes_costsTheOutputNoFrame(_ loss: Loss) throws {
            try untilNothingIsLost { pair in
                pair.speaker.meter.mark()
                switch loss {
                case .unplugged: pair.microphone.destroy()
                case .stopped: pair.input.stop()
                case .closed: pair.input.close()
                }
                try pair.speaker.meter.wait(frames: Self.window)
                return pair.speaker.meter.reading.missedFrames + pair.brokenSteps()
            }
        }

        /// The sink drives here; with 1.4.2 and 1.6.9 the cycle under way goes with it.
        @Test func sinkThatGoes_costsTheInputNoOtherCycle() throws {
            let most = PrivatePipeWire.version.hasPrefix("0.") ? 0 : ToneWitness.period
            try untilNothingIsLost { pair in
                let (breaks, frames) = (pair.heard.breakCount, pair.heard.frameCount)
                pair.speaker.destroy()
                try pair.waitUntil { pair.heard.frameCount >= frames + Self.window }
                let lost = pair.heard.breakCount - breaks
                return lost <= most ? 0 : lost
            }
        }

        /// Whatever comes and goes: the output runs in the end, after its input if both do, and the device kept its time.
        @Test func changesInAnyOrder_leaveTheOutputRunning() throws {
            let pair = try Pair()
            defer { pair.end() }
            var state: UInt64 = 101
            for _ in 0..<100 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                switch state >> 61 {
                case 0: pair.input.stop()
                case 1: pair.input.start()
                case 2: pair.output.stop()
                case 3: pair.output.start()
                case 4: pair.input.unlink()
                case 5: try pair.input.link(to: ["microphone"])
                case 6: pair.output.unlink()
                default: try pair.output.link(to: ["speaker"])
                }
            }
            try pair.input.link(to: ["microphone"])
            try pair.output.link(to: ["speaker"])
            pair.output.start()
            pair.input.start()
            try pair.waitUntilOrdered()
            pair.input.close()
            let cycles = pair.cycleCount
            try pair.waitUntil { pair.cycleCount > cycles + 10 }
        }

        private func untilNothingIsLost(hasVoice: Bool = false, _ lost: (Pair) throws -> Int) throws {
            var counts: [Int] = []
            while counts.last != 0, counts.count < Self.rounds {
                let pair = try Pair(hasVoice: hasVoice)
                defer { pair.end() }
                try pair.waitUntilOrdered()
                counts.append(try lost(pair))
            }
            #expect(counts.last == 0, "frames lost in each round: \(counts)")
        }

        /// A microphone that picks up a tone, a speaker, and a program with an input and an output of one group.
        private final class Pair {
            let server: PrivatePipeWire
            let speaker: VirtualSink
            let microphone: VirtualSource
            let client: Client
            let heard = ToneWitness()
            let played: NumberedRenderer
            let input: any HostStream
            let output: any HostStream
            private let order: Order
            /// Gives back what it gets.
            private let voice = VoiceFeed(
                canceller: oav_canceller(
                    run: { _, captured, _, cleaned, frames in
                        cleaned.update(from: captured, count: Int(frames))
                        return 0
                    }, context: nil), sampleRate: 48_000, referenceRate: 48_000, maximumFrames: 8192)

            /// What the output's cycles have seen.
            private final class Order: Sendable {
                let cycles = Atomic<Int>(0)
                /// Cycles in a row for which the input's frames were there.
                let early = Atomic<Int>(0)
            }

            init(hasVoice: Bool = false) throws {
                voice.setGainControlled(false)
                server = try PrivatePipeWire.start()
                speaker = try server.makeSink(
                    name: "speaker", bus: "pci", capturing: .milliseconds(500))
                microphone = try server.makeSource(name: "microphone", bus: "pci")
                microphone.play(frames: nil)
                client = try Client(server)
                try client.wait(for: "both devices") {
                    $0.inventory?.port(uid: "speaker") != nil && $0.inventory?.port(uid: "microphone") != nil
                }
                let (order, heard) = (Order(), heard)
                played = NumberedRenderer { cycle in
                    order.cycles.add(1, ordering: .relaxed)
                    let isEarly = heard.endPosition == cycle.clock_position + UInt64(cycle.frames)
                    order.early.store(isEarly ? order.early.load(ordering: .relaxed) + 1 : 0, ordering: .relaxed)
                }
                self.order = order
                input = try client.host.openStream(
                    StreamConfiguration(
                        id: StreamID(number: 1), direction: .input, title: "test", sampleRate: 48_000, cycleGroup: 1,
                        ordersCycles: true,
                        renderer: hasVoice ? voice.cleaning(heard.renderer) : heard.renderer))
                output = try client.host.openStream(
                    StreamConfiguration(
                        id: StreamID(number: 2), title: "test", sampleRate: 48_000, role: "Music", cycleGroup: 1,
                        ordersCycles: true,
                        renderer: hasVoice ? voice.keeping(played.renderer) : played.renderer))
                input.start()
                output.start()
                try input.link(to: ["microphone"])
                try output.link(to: ["speaker"])
            }

            var cycleCount: Int { order.cycles.load(ordering: .relaxed) }

            func waitUntil(_ isTrue: () -> Bool) throws {
                try server.waitUntil("the streams' cycles") { _ in isTrue() }
            }

            func forgetOrder() { order.early.store(0, ordering: .relaxed) }

            func waitUntilOrdered() throws { try waitUntil { order.early.load(ordering: .relaxed) > 20 } }

            /// Where the captured frames of the output do not follow one another.
            func brokenSteps() -> Int {
                speaker.meter.capturedSamples().reduce(0) { sum, samples in
                    let numbers = samples.map { NumberedRenderer.number($0)?.frame }
                    return sum
                        + zip(numbers, numbers.dropFirst()).count {
                            guard let earlier = $0, let later = $1 else { return true }
                            return NumberedRenderer.distance(from: earlier, to: later) != 1
                        }
                }
            }

            /// The renderers must live until then.
            func end() {
                output.close()
                input.close()
                server.stop()
            }
        }
    }
}
