import EngineCore
import Foundation
import HostPipeWire
import RenderBench
import TestSupport

/// How far voice processing lowers the echo of a room, and the voice near the microphone: the table of Benchmarks/ECHO.md.
///
/// Prints Markdown, or exits with 1 where a limit of issue 22 is missed.
@main struct EchoLoss {
    /// Seconds, of 48 000 frames.
    private static let length = 10
    private static let rate = 48_000.0

    static func main() throws {
        var isWithinLimits = true
        print("| room, and what the host says | quantum | echo lowered in each second from the third on | limit |")
        print("| --- | --- | --- | --- |")
        for (told, delay) in [(0.01, 0.01), (0.02, 0.02), (0.05, 0.05), (0.1, 0.1), (0.2, 0.2), (0.06, 0.02), (0, 0.2)]
        {
            for quantum in [64, 256, 1024, 4096] {
                let loss = try run(told: told, delay: delay, quantum: quantum).loss
                isWithinLimits =
                    row("\(milliseconds(delay)), told \(milliseconds(told))", quantum, loss, 40) && isWithinLimits
            }
        }
        for drift in [-100.0, 50, 100] {
            let loss = try run(told: 0.05, delay: 0.05, quantum: 1024, drift: drift).loss
            isWithinLimits = row("50 ms, clocks \(Int(drift)) ppm apart", 1024, loss, 30) && isWithinLimits
        }
        for (before, after) in [(0.02, 0.1), (0.1, 0.02), (0.03, 0.2)] {
            let loss = try run(told: before, delay: before, quantum: 1024, change: after).loss
            // The change is after 4 s.
            isWithinLimits =
                row(
                    "\(milliseconds(before)), from second 5 on \(milliseconds(after))", 1024, Array(loss[6...]), 30,
                    from: 0)
                && isWithinLimits
        }
        print("\n| near the microphone, beside an echo as loud | its level after |")
        print("| --- | --- |")
        for seed in 1...4 {
            let near =
                [Float](repeating: 0, count: 4 * 48_000)
                + EchoRoom.speech(seconds: Double(length - 4), seed: UInt64(seed) + 30, level: 0.1, pitch: 210)
            let alone = try run(told: 0.05, delay: 0.05, quantum: 1024, gain: 0, near: near).heard
            let both = try run(told: 0.05, delay: 0.05, quantum: 1024, near: near).heard
            print("| voice \(seed) | \(lowered(alone, from: near)) alone, \(lowered(both, from: near)) at once |")
        }
        let times = try run(told: 0.05, delay: 0.05, quantum: 480).seconds
        let each = times * 10 / Double(length)
        print(String(format: "\n10 ms of sound take %.2f ms, with all that is around the library.", each))
        if !isWithinLimits { exit(1) }
    }

    private static func milliseconds(_ seconds: Double) -> String { "\(Int((seconds * 1000).rounded())) ms" }

    private static func row(
        _ name: String, _ quantum: Int, _ loss: [Double], _ limit: Double, from first: Int = 2
    ) -> Bool {
        let counted = loss[first...]
        let isWithin = counted.allSatisfy { $0 >= limit }
        print(
            "| \(name) | \(quantum) | \(counted.map { String(Int($0.rounded())) }.joined(separator: " ")) dB | "
                + "\(isWithin ? "at least" : "**missed**:") \(Int(limit)) dB |")
        return isWithin
    }

    /// The least squares share of `near` in what is heard, at the best lag.
    private static func lowered(_ heard: [Float], from near: [Float]) -> String {
        let first = 5 * 48_000
        let best =
            stride(from: 240, to: 2400, by: 4).map { lag in
                var (both, own) = (0.0, 0.0)
                for frame in stride(from: first, to: min(near.count, heard.count) - lag, by: 3) {
                    both += Double(near[frame]) * Double(heard[frame + lag])
                    own += Double(near[frame]) * Double(near[frame])
                }
                return abs(both / own)
            }.max() ?? 0
        return String(format: "%.0f dB", 20 * log10(max(best, 1e-6)))
    }

    private static func run(
        told: Double, delay: Double, quantum: Int, drift: Double = 0, change: Double? = nil, gain: Float = 0.5,
        near: [Float] = []
    ) throws -> (loss: [Double], heard: [Float], seconds: Double) {
        let canceller = try PipeWireEchoCanceller(sampleRate: rate)
        let feed = VoiceFeed(
            canceller: canceller.function, sampleRate: rate, referenceRate: rate, maximumFrames: 4096)
        feed.setRoundTrip(seconds: told)
        // The canceller by itself.
        feed.setGainControlled(false)
        var room = EchoRoom()
        (room.delaySeconds, room.gain) = (delay, gain)
        let far = EchoRoom.speech(seconds: Double(length), seed: 7)
        var captured = room.echo(of: far)
        if let change {
            (room.delaySeconds, room.seed) = (change, 99)
            captured.replaceSubrange((4 * 48_000)..., with: room.echo(of: far)[(4 * 48_000)...])
        }
        for (frame, sample) in near.enumerated() where frame < captured.count { captured[frame] += sample }
        if drift != 0 {
            captured = captured.indices.map { frame in
                let place = Double(frame) / (1 + drift * 1e-6)
                let (first, share) = (Int(place), Float(place - place.rounded(.down)))
                return first + 1 < captured.count ? captured[first] * (1 - share) + captured[first + 1] * share : 0
            }
        }
        let bench = DuplexBench(quantum: quantum)
        bench.drift = drift
        let start = ContinuousClock.now
        // Two channels play it, and both count.
        bench.run(
            output: feed.keeping(bench.player), input: feed.cleaning(bench.recorder), played: far.map { $0 / 2 },
            captured: [captured])
        let took = ContinuousClock.now - start
        let heard = bench.heard[0]
        let loss = (0..<length).map { second in
            let range = second * 48_000..<min((second + 1) * 48_000, heard.count)
            return EchoRoom.decibels(captured[range]) - EchoRoom.decibels(heard[range])
        }
        return (loss, heard, Double(took.components.attoseconds) / 1e18 + Double(took.components.seconds))
    }
}
