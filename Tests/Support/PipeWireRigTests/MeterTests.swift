import PipeWireRig
import Testing

extension RigTests {
    @Suite struct MeterTests {
        /// Whether the server's clock lost no frame, without which an exact count would prove nothing.
        private func expectGapless(_ reading: SinkMeter.Reading) {
            #expect(reading.missedFrames == 0)
        }

        @Test(arguments: [["FL", "FR"], ["MONO"], ["FL", "FR", "FC", "LFE", "SL", "SR"]])
        func loudFrames_whileALinkedToneOfKnownLengthPlays_areExactlyItsFrames(channels: [String]) throws {
            let rig = try PrivatePipeWire.start()
            let sink = try rig.makeSink(name: "speaker", channels: channels)
            let tone = try rig.makeTone(routing: .linked(to: "speaker"), channels: channels)
            try tone.waitUntilStreaming()
            var playedBefore = 0
            let reading = try undisturbed({
                $0.missedFrames == 0 && $0.loudFrames == 48_000 && $0.loudSpan?.count == 48_000
            }) {
                playedBefore = tone.playedFrames
                sink.meter.mark()
                tone.play(frames: 48_000)
                return try sink.meter.wait(loudFrames: 1, quietFrames: 8_192)
            }
            expectGapless(reading)
            #expect(reading.loudFrames == 48_000)
            #expect(reading.loudSpan?.count == 48_000)
            #expect(tone.playedFrames - playedBefore == 48_000)
            // The tone's amplitude, through nothing but copies.
            #expect(reading.peak == 0.5)
        }

        @Test func loudFrames_whileAnAutomaticToneOfOddLengthPlays_areExactlyItsFrames() throws {
            let rig = try PrivatePipeWire.start()
            let sink = try rig.makeSink(name: "speaker")
            try rig.waitUntilDefaultSink(is: "speaker")
            let tone = try rig.makeTone()
            try rig.waitUntil("tone", feeds: "speaker")
            try tone.waitUntilStreaming()
            let reading = try undisturbed({ $0.missedFrames == 0 && $0.loudFrames == 12_345 }) {
                sink.meter.mark()
                tone.play(frames: 12_345)
                return try sink.meter.wait(loudFrames: 1, quietFrames: 8_192)
            }
            expectGapless(reading)
            #expect(reading.loudFrames == 12_345)
        }

        @Test func loudFrames_whileTheToneIsSilent_areNone() throws {
            let rig = try PrivatePipeWire.start()
            let sink = try rig.makeSink(name: "speaker")
            let tone = try rig.makeTone(routing: .linked(to: "speaker"))
            try tone.waitUntilStreaming()
            let reading = try undisturbed({ $0.missedFrames == 0 }) {
                sink.meter.mark()
                return try sink.meter.wait(frames: 48_000)
            }
            expectGapless(reading)
            #expect(reading.loudFrames == 0)
            #expect(reading.loudSpan == nil)
            #expect(reading.peak == 0)
        }

        @Test func times_ofTheLoudFrames_lieBetweenMarkAndReading() throws {
            let rig = try PrivatePipeWire.start()
            let sink = try rig.makeSink(name: "speaker")
            let tone = try rig.makeTone(routing: .linked(to: "speaker"))
            try tone.waitUntilStreaming()
            // Half a second of sound, of which up to one quantum (21 ms) lies inside either end's cycle, and which is
            // hurried through after a moment in which the machine stood still; the upper bound only says that the
            // clock's unit is right, whatever the load.
            let length: ClosedRange<UInt64> = 450_000_000...5_000_000_000
            let measured = try undisturbed({ length.contains($0) }) {
                let marked = sink.meter.mark()
                tone.play(frames: 24_000)
                let reading = try sink.meter.wait(loudFrames: 1, quietFrames: 8_192)
                let first = try #require(reading.firstLoudAtNanoseconds)
                let last = try #require(reading.lastLoudAtNanoseconds)
                #expect(reading.markedAtNanoseconds == marked)
                #expect(marked < first)
                return last - first
            }
            #expect(length.contains(measured))
        }

        @Test func capturedSamples_ofATone_areItsSineAndCosine() throws {
            let rig = try PrivatePipeWire.start()
            let sink = try rig.makeSink(name: "speaker", capturing: .seconds(1))
            let tone = try rig.makeTone(routing: .linked(to: "speaker"))
            try tone.waitUntilStreaming()
            let reading = try undisturbed({ $0.missedFrames == 0 && $0.loudSpan?.count == 4_800 }) {
                sink.meter.mark()
                tone.play(frames: 4_800)
                return try sink.meter.wait(loudFrames: 1, quietFrames: 4_096)
            }
            try #require(reading.loudSpan?.count == 4_800, "\(reading)")
            let samples = sink.meter.capturedSamples()
            #expect(samples.count == 2)
            let start = try #require(reading.loudSpan?.lowerBound)
            let step = 2 * Double.pi * 1000 / 48_000
            let expected: [[Float]] = [
                (0..<4_800).map { 0.5 * Float(sine($0, step)) },
                (0..<4_800).map { 0.5 * Float(cosine($0, step)) },
            ]
            for channel in 0..<2 {
                let played = Array(samples[channel][start..<start + 4_800])
                // Copies of 32-bit floats, computed by the same function: no tolerance.
                #expect(played == expected[channel])
                #expect(samples[channel][(start + 4_800)...].allSatisfy { $0 == 0 })
            }
        }

        @Test func meter_whenASinkOfItsNameReturns_metersItAgain() throws {
            let rig = try PrivatePipeWire.start()
            let first = try rig.makeSink(name: "speaker")
            first.destroy()
            try rig.waitUntil("the sink goes") { $0.node(named: "speaker") == nil }
            _ = try rig.makeSink(name: "speaker")
            first.meter.mark()
            try first.meter.wait(frames: 4_800)
        }

        @Test func wait_whenNothingLoudComes_throwsWhatWasSeen() throws {
            let rig = try PrivatePipeWire.start()
            let sink = try rig.makeSink(name: "speaker")
            #expect {
                try sink.meter.wait(loudFrames: 1, timeout: .milliseconds(50))
            } throws: { error in
                "\(error)".contains("It had counted")
            }
        }
    }
}
