import CRealtime
import EffectCore
import EngineCore
import Foundation
import TestSupport
import Testing

/// A block at another rate than the cycle's.
@Suite struct CycleConverterTests {
    /// What a block that makes `signal` of its own frames is heard as, in cycles of these lengths.
    ///
    /// - Parameter calls: called with each call's first frame and its frames.
    private func heard(
        _ rate: Double, _ outputRate: Double, cycles: [Int], from start: Int64 = 0,
        calls: (Int64, Int) -> Void = { _, _ in }, _ signal: @escaping (Int64) -> Float
    ) throws -> [Float] {
        try withoutActuallyEscaping(calls) { calls in
            let converter = try #require(
                CycleConverter(
                    { pointer in
                        let process = pointer.pointee
                        #expect(process.sample_rate == rate)
                        calls(process.sample_time, Int(process.frames))
                        for frame in 0..<Int(process.frames) {
                            let value = signal(process.sample_time + Int64(frame))
                            process.output.channels[0][frame] = value
                            process.output.channels[1][frame] = -value
                        }
                    }, from: rate, to: outputRate, channels: 2, maximumFrames: 1024))
            var output: [Float] = []
            var time = start
            let memory = RenderMemory()
            let rows = [memory.silence(1024), memory.silence(1024)]
            let bus = memory.block(of: oav_bus(channels: memory.copy(rows), channel_count: 2, flags: 0))
            for frames in cycles {
                for row in rows { row.update(repeating: 9, count: frames) }
                var process = oav_process(
                    inputs: bus, input_count: 0, frames: UInt32(frames), output: bus.pointee, sample_rate: outputRate,
                    sample_time: time, host_time_ns: 0)
                converter.process(&process)
                let (left, right) = (0..<frames).reduce(into: ([Float](), [Float]())) {
                    $0.0.append(rows[0][$1])
                    $0.1.append(rows[1][$1])
                }
                #expect(right == left.map { -$0 })
                output += left
                time += Int64(frames)
            }
            return output
        }
    }

    /// The greatest difference to a sine of the same frequency, from the filter's length on, in dB.
    private func error(_ rate: Double, _ outputRate: Double, hertz: Double, isHeard: Bool = true) throws -> Double {
        let cycles = Array(repeating: 512, count: 20)
        let output = try heard(rate, outputRate, cycles: cycles) {
            Float(sin(2 * .pi * hertz * Double($0) / rate))
        }
        let errors = output.enumerated().dropFirst(512).map { frame, value in
            abs(Double(value) - (isHeard ? sin(2 * .pi * hertz * Double(frame) / outputRate) : 0))
        }
        return 20 * log10(errors.reduce(0, max))
    }

    @Test(arguments: [
        (44_100.0, 48_000.0), (48_000, 44_100), (22_050, 48_000), (8_000, 48_000), (96_000, 48_000), (11_025, 192_000),
        (192_000, 44_100), (24_000, 44_100),
    ])
    func sine_isHeardAtItsTime_andItsImagesAreNot(_ rates: (Double, Double)) throws {
        let half = min(rates.0, rates.1) / 2
        for share in [0.01, 0.3, 0.7] { #expect(try error(rates.0, rates.1, hertz: half * share) < -80) }
        #expect(try error(rates.0, rates.1, hertz: half * 0.85) < -38)
        guard rates.0 > rates.1 else { return }
        #expect(try error(rates.0, rates.1, hertz: half * 1.1, isHeard: false) < -80)
    }

    @Test func constant_staysOne() throws {
        let output = try heard(44_100, 48_000, cycles: [512, 512]) { _ in 0.25 }
        #expect(output.dropFirst(64).allSatisfy { abs($0 - 0.25) < 1e-6 })
    }

    @Test func lengthsOfCycles_changeNothing_andEveryFrameIsAskedForOnce() throws {
        var random = Seeded(seed: 7)
        var cycles: [Int] = []
        while cycles.reduce(0, +) < 9000 { cycles.append(Int.random(in: 0...700, using: &random)) }
        let signal: (Int64) -> Float = { Float(($0 * 7919) % 1000) / 1000 }
        var next: Int64 = 0
        let output = try heard(
            44_100, 48_000, cycles: cycles,
            calls: { first, frames in
                #expect(first == next)
                next = first + Int64(frames)
            }, signal)
        let frames = cycles.reduce(0, +)
        #expect(next == Int64(Double(frames - 1) * 0.91875) + 33)
        let whole = try heard(
            44_100, 48_000, cycles: Array(repeating: 1000, count: frames / 1000) + [frames % 1000], signal)
        #expect(output == whole)
    }

    @Test func cycleThatDoesNotFollow_begins() throws {
        var first: [Int64] = []
        _ = try heard(44_100, 48_000, cycles: [480], from: 48_000, calls: { time, _ in first.append(time) }) { _ in 0 }
        #expect(first == [44_100])
    }

    @Test func sampleThatIsNotFinite_isSilent() throws {
        let output = try heard(44_100, 48_000, cycles: [480]) { $0 == 100 ? .nan : 0 }
        #expect(output == [Float](repeating: 0, count: 480))
    }

    @Test(arguments: [(44_100.5, 48_000.0), (0, 48_000), (48_000, -1), (48_000, .infinity), (96_001, 100)])
    func ratesWithoutACommonMeasure_areNotConvertedHere(_ rates: (Double, Double)) {
        #expect(!CycleConverter.isPossible(from: rates.0, to: rates.1))
        #expect(
            CycleConverter({ _ in }, from: rates.0, to: rates.1, channels: 1, maximumFrames: 512) == nil)
    }
}
