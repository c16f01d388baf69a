import Foundation
import PipeWireRig
import Testing

/// What a lowered program sounds like, frame by frame.
@Suite("the wave of a lowered program", .ownThread, .serialized)
struct LoweredWaveTests {
    /// The tone's frames in a turn.
    private static let period = 48.0
    private static let windowFrames = 9_600

    private let machine: TestMachine

    init() throws { machine = try TestMachine(capturing: .seconds(1)) }

    /// The length of the longest piece in which each frame follows from the one before, at one level.
    ///
    /// The tone is a sine and a cosine: from one frame to the next, their point turns by the same angle. A repeated or a missing cycle
    /// turns it by another one, because no power of two is a multiple of the period.
    private func longestPiece(of samples: [[Float]], at level: ClosedRange<Float>) -> Int {
        let step = 2 * Double.pi / Self.period
        let (turnX, turnY) = (Float(cos(step)), Float(sin(step)))
        var (longest, length) = (0, 0)
        for index in samples[0].indices.dropFirst() {
            let (sine, cosine) = (samples[0][index - 1], samples[1][index - 1])
            let (nextSine, nextCosine) = (samples[0][index], samples[1][index])
            // 1 % of the level: a gain that still fades changes less from one frame to the next.
            let tolerance = 0.01 * level.upperBound
            let follows =
                abs(nextSine - (sine * turnX + cosine * turnY)) < tolerance
                && abs(nextCosine - (cosine * turnX - sine * turnY)) < tolerance
                && level.contains((nextSine * nextSine + nextCosine * nextCosine).squareRoot())
            length = follows ? length + 1 : 0
            longest = max(longest, length)
        }
        return longest
    }

    /// Whether a fifth of a second plays whole within some seconds: a busy machine misses cycles now and then.
    private func playsWhole(at level: ClosedRange<Float>) throws -> (isWhole: Bool, longest: Int) {
        var best = 0
        for _ in 0..<40 {
            machine.headset.meter.mark()
            _ = try machine.headset.meter.wait(frames: 24_000)
            best = max(best, longestPiece(of: machine.headset.meter.capturedSamples(), at: level))
            if best >= Self.windowFrames { return (true, best) }
        }
        return (false, best)
    }

    /// PipeWire 1.4 plays each cycle twice and leaves every other one out where the ducking sink has one buffer alone.
    @Test(arguments: [1024, 256])
    func loweredTone_isOneWave(quantum: Int) throws {
        let tone = try machine.server.makeTone(
            name: "Music",
            properties: [
                "application.name": "Music", "application.process.id": "11", "node.latency": "\(quantum)/48000",
            ])
        try machine.server.waitUntil("Music", feeds: machine.headset.name)
        tone.play(frames: nil)
        try machine.headset.meter.wait(loudFrames: 4_800)
        let full = try playsWhole(at: 0.49...0.51)
        #expect(full.isWhole, "the tone itself is broken after \(full.longest) frames")
        let run = try ToolRun(["focus", "--duck=14", "--", "sleep", "60"], environment: machine.environment)
        try machine.server.waitUntil("the tone is lowered") { graph in
            graph.targets(of: "Music").contains { $0.hasPrefix("audiosession.guard.duck") }
        }
        // 14 dB below 0.5.
        let lowered = try playsWhole(at: 0.095...0.105)
        #expect(lowered.isWhole, "the lowered tone is broken after \(lowered.longest) frames at most")
        run.send(SIGTERM)
        _ = try run.waitForEnd()
        let raised = try playsWhole(at: 0.49...0.51)
        #expect(raised.isWhole, "the tone is broken afterwards, after \(raised.longest) frames")
        withExtendedLifetime(tone) {}
    }

    /// The check itself can fail.
    @Test func repeatedCycles_andAMissingFrame_areFound() {
        func tone(_ frames: [Int]) -> [[Float]] {
            let step = 2 * Double.pi / Self.period
            return [
                frames.map { 0.1 * Float(sin(Double($0) * step)) }, frames.map { 0.1 * Float(cos(Double($0) * step)) },
            ]
        }
        let level: ClosedRange<Float> = 0.095...0.105
        let whole = Array(0..<10_000)
        #expect(longestPiece(of: tone(whole), at: level) == 9_999)
        for quantum in [256, 1024] {
            let repeated = whole.map { $0 / (2 * quantum) * 2 * quantum + $0 % quantum }
            #expect(longestPiece(of: tone(repeated), at: level) < 2 * quantum)
        }
        #expect(longestPiece(of: tone(whole.filter { $0 % 1000 != 0 }), at: level) < 1000)
        #expect(longestPiece(of: tone(whole), at: 0.2...0.3) == 0)
    }
}
