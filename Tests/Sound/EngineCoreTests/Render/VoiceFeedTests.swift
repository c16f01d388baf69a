import CRealtime
import EngineCore
import RenderBench
import TestSupport
import Testing

/// Voice processing around a canceller that a test controls: what it is given, and what becomes of what it gives.
@Suite struct VoiceFeedTests {
    /// Blocks of 10 ms as the canceller gets them.
    private final class Canceller {
        var captured: [Float] = []
        var played: [Float] = []
        var answer: Int32 = 0

        /// Gives the captured sound back as it is.
        var function: oav_canceller {
            oav_canceller(
                run: { context, captured, played, cleaned, frames in
                    guard let context else { return -1 }
                    let canceller = Unmanaged<Canceller>.fromOpaque(context).takeUnretainedValue()
                    canceller.captured += UnsafeBufferPointer(start: captured, count: Int(frames))
                    canceller.played += UnsafeBufferPointer(start: played, count: Int(frames))
                    for frame in 0..<Int(frames) { cleaned[frame] = captured[frame] }
                    return canceller.answer
                }, context: Unmanaged.passUnretained(self).toOpaque())
        }
    }

    private let canceller = Canceller()

    private func feed(roundTrip: Double = 0, rate: Double = 48_000) -> VoiceFeed {
        let feed = VoiceFeed(
            canceller: canceller.function, sampleRate: rate, referenceRate: rate, maximumFrames: 2048)
        feed.setRoundTrip(seconds: roundTrip)
        feed.setGainControlled(false)
        return feed
    }

    private func run(
        _ feed: VoiceFeed, _ bench: DuplexBench, played: [Float] = [], captured: [[Float]], flags: UInt32 = 0
    ) {
        bench.run(
            output: feed.keeping(bench.player), input: feed.cleaning(bench.recorder), played: played,
            captured: captured, flags: flags)
    }

    /// Every frame another value, exact in Float32.
    @Test(arguments: [64, 480, 1000])
    func input_comesOneBlockLater_onEveryChannel(_ quantum: Int) {
        let feed = feed()
        let bench = DuplexBench(quantum: quantum)
        let first = ramp(0, 12_000)
        run(feed, bench, captured: [first, first])
        let count = bench.heard[0].count
        #expect(count == 12_000 / quantum * quantum)
        #expect(bench.heard[0] == [Float](repeating: 0, count: 480) + first.prefix(count - 480))
        #expect(bench.heard[1] == bench.heard[0])
    }

    @Test func channels_becomeTheirMean_andSamplesThatAreNotFinite_zero() {
        let feed = feed()
        let bench = DuplexBench(quantum: 480)
        run(feed, bench, captured: [[Float](repeating: 1, count: 960), [Float](repeating: 0.5, count: 960)])
        #expect(canceller.captured == [Float](repeating: 0.75, count: 960))
        canceller.captured = []
        run(feed, bench, captured: [[Float](repeating: .nan, count: 480)])
        #expect(canceller.captured == [Float](repeating: 0, count: 480))
    }

    /// 30 ms less than the host says, so that the echo is later than what it is an echo of.
    ///
    /// Both channels are added.
    @Test(arguments: [0.03, 0.1, 0.2])
    func played_isReadAsFarBackAsTheHostSays(_ roundTrip: Double) throws {
        let bench = DuplexBench(quantum: 480)
        run(feed(roundTrip: roundTrip), bench, played: ramp(0, 24_000), captured: [silence(24_000)])
        // The curve between frames needs 4 that come later.
        let delay = max(4, Int(((roundTrip - 0.03) * 48_000).rounded()))
        let expected = ramp(0, 24_000).map { 2 * $0 }
        #expect(Array(canceller.played[(delay + 10)...]) == Array(expected[10..<(24_000 - delay)]))
    }

    private func silence(_ frames: Int) -> [Float] { [Float](repeating: 0, count: frames) }

    /// A microphone whose clock is off captures more or fewer frames of the same time.
    ///
    /// What is played follows to within 1 ms.
    @Test(arguments: [-200.0, 100, 200])
    func played_followsTheMicrophonesClock(_ drift: Double) throws {
        let bench = DuplexBench(quantum: 480)
        bench.drift = drift
        let frames = 48_000 * 10
        run(feed(roundTrip: 0.1), bench, played: ramp(0, frames + 4800), captured: [silence(frames)])
        for frame in stride(from: 48_000, to: frames, by: 4800) {
            let index = Double(canceller.played[frame]) / 2 * 65536
            let wanted = Double(frame) / (1 + drift * 1e-6) - 0.07 * 48_000
            #expect(abs(index - wanted) < 48, "frame \(frame)")
        }
    }

    /// An echo where the host does not say it is: after a second, what is played is 15 to 35 ms before its echo.
    @Test(arguments: [0.0, 0.15])
    func played_isMovedToWhereTheEchoIs(_ told: Double) throws {
        let feed = feed(roundTrip: told)
        let bench = DuplexBench(quantum: 480)
        let speech = EchoRoom.speech(seconds: 4, seed: 11)
        let delay = 3840
        run(feed, bench, played: speech, captured: [silence(delay) + speech.dropLast(delay)])
        let measured = try #require(feed.measuredDelaySeconds)
        #expect(abs(measured - 0.08) <= 0.01)
        #expect(try (720...1680).contains(#require(lead)))
    }

    enum Order: CaseIterable { case outputFirst, inputFirst, changing }

    /// An input that is heard in its own cycle is called before the output: what is played is known up to the cycle before.
    ///
    /// The library finds an echo 5 to 50 ms after its sound.
    @Test(arguments: Order.allCases, [256, 1024, 2048])
    func played_isBeforeItsEcho_inAnyOrderOfTheStreams(_ order: Order, quantum: Int) throws {
        let feed = feed()
        let bench = DuplexBench(quantum: quantum)
        var random = Seeded(seed: 38)
        bench.isInputFirst = {
            switch order {
            case .outputFirst: false
            case .inputFirst: true
            case .changing: Bool.random(using: &random)
            }
        }
        let speech = EchoRoom.speech(seconds: 4, seed: 11)
        let delay = 4800
        run(feed, bench, played: speech, captured: [silence(delay) + speech.dropLast(delay)])
        let measured = try #require(feed.measuredDelaySeconds)
        // A block, and less than 1 ms that is not said.
        #expect(abs(measured - 0.1) <= 0.012)
        #expect(try (240...2400).contains(#require(lead)))
    }

    /// How many frames what is played is before its echo, in the last half second; nil where that is not one number.
    ///
    /// Each is the same sound, so one lag of the two agrees but for the sum of two channels, and what a position beside a frame changes.
    private var lead: Int? {
        let window = canceller.played.suffix(24_000)
        let captured = canceller.captured
        return (0..<4800).first { lead in
            window.indices.allSatisfy {
                $0 + lead >= captured.count || abs(window[$0] - 2 * captured[$0 + lead]) < 0.01
            }
        }
    }

    @Test func muted_inputSlidesToSilence_andTheCancellerGoesOn() throws {
        let feed = feed()
        let bench = DuplexBench(quantum: 480)
        feed.setMuted(true)
        run(feed, bench, captured: [[Float](repeating: 0.5, count: 4800)])
        // The first block was silent, the second is the slide.
        #expect(bench.heard[0][960...].allSatisfy { $0 == 0 })
        #expect(zip(bench.heard[0], bench.heard[0].dropFirst()).allSatisfy { abs($0 - $1) < 0.51 })
        #expect(canceller.captured == [Float](repeating: 0.5, count: 4800))
        feed.setMuted(false)
        run(feed, bench, captured: [[Float](repeating: 0.5, count: 4800)])
        #expect(bench.heard[0].last == 0.5)
        let steps = zip(bench.heard[0], bench.heard[0].dropFirst()).map { abs($0 - $1) }
        #expect((steps.max() ?? 1) < 0.51 / 100)
    }

    @Test func cancellerThatFails_leavesTheSoundAsItIs() {
        canceller.answer = -5
        let bench = DuplexBench(quantum: 480)
        run(feed(), bench, captured: [ramp(0, 4800)])
        #expect(bench.heard[0].suffix(480) == ramp(0, 4320).suffix(480))
    }

    @Test func gatedCycle_passesAsItIs() {
        let bench = DuplexBench(quantum: 480)
        run(feed(), bench, captured: [ramp(0, 480)], flags: UInt32(OAV_CYCLE_GATED))
        #expect(bench.heard[0] == ramp(0, 480))
        #expect(canceller.captured.isEmpty)
    }

    @Test func speech_isNoticed_alsoWhileMuted_andItsEnd() {
        let feed = feed()
        let bench = DuplexBench(quantum: 480)
        feed.setMuted(true)
        run(feed, bench, captured: [noise(24_000, level: 1e-4)])
        #expect(!feed.isSpeaking)
        run(feed, bench, captured: [EchoRoom.speech(seconds: 1, seed: 5)])
        #expect(feed.isSpeaking)
        run(feed, bench, captured: [noise(48_000, level: 1e-4)])
        #expect(!feed.isSpeaking)
    }

    private func noise(_ frames: Int, level: Float) -> [Float] {
        var random = Seeded(seed: 3)
        return (0..<frames).map { _ in Float.random(in: -level...level, using: &random) }
    }

    /// A whisper of -43 dBFS comes up by 12 dB at most, within 6 s at 2 dB a second, and a pause does not come up.
    @Test func quietSpeech_isRaised_andLoudSpeechLowered() {
        for (level, gain) in [(0.007 as Float, 12.0), (0.3, -6.0)] {
            let feed = feed()
            feed.setGainControlled(true)
            let bench = DuplexBench(quantum: 480)
            let speech = EchoRoom.speech(seconds: 20, seed: 9, level: level)
            run(feed, bench, captured: [speech])
            let last = 48_000 * 4
            let raised =
                EchoRoom.decibels(bench.heard[0].suffix(last)) - EchoRoom.decibels(speech.dropLast(480).suffix(last))
            #expect(abs(raised - gain) < 1.5, "\(level)")
        }
    }
}
