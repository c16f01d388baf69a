import Foundation
import TestAudio
import TestSupport
import Testing

@testable import AudioFiles

/// The short filter: what it lets pass, what it holds back, and that pieces change nothing.
struct PolyphaseConverterTests {
    private static let rates: [(Double, Double)] = [
        (48_000, 16_000), (44_100, 16_000), (44_100, 48_000), (48_000, 44_100), (8000, 48_000), (16_000, 44_100),
        (96_000, 44_100), (192_000, 8000), (11_025, 48_000), (22_050, 16_000),
    ]

    private func sine(_ hertz: Double, at rate: Double, frames: Int) -> [Double] {
        (0..<frames).map { sin(2 * .pi * hertz * Double($0) / rate) }
    }

    /// All of a stream, in pieces and rooms of these lengths.
    private func convert(
        _ input: [Double], _ converter: PolyphaseConverter, channels: Int = 1, piece: () -> Int, room: () -> Int
    ) -> [Double] {
        var (output, done) = ([Double](), 0)
        while true {
            var memory = [Double](repeating: 0, count: room() * channels)
            let end = min(done + piece() * channels, input.count)
            let isOver = done == input.count
            let progress = memory.withUnsafeMutableBufferPointer { memory in
                input[done..<end].withUnsafeBufferPointer { converter.convert(isOver ? nil : $0, into: memory) }
            }
            done += progress.consumedFrames * channels
            output += memory[..<(progress.producedFrames * channels)]
            // Without room, no frame is not the end of the tail.
            if isOver, memory.count > 0, progress.producedFrames == 0 { return output }
        }
    }

    private func convert(_ input: [Double], _ converter: PolyphaseConverter) -> [Double] {
        convert(input, converter, piece: { 4096 }, room: { 4096 })
    }

    @Test(arguments: rates) func tone_keepsPhaseAndLevel_andTheLengthIsExact(from: Double, to: Double) throws {
        let converter = try #require(PolyphaseConverter(from: from, to: to, channels: 1))
        let lower = min(from, to)
        let frames = Int(from / 5) + 7
        for part in [0.02, 0.3, 0.7, 0.87] {
            let hertz = part * lower / 2
            let output = convert(sine(hertz, at: from, frames: frames), converter)
            #expect(output.count == Int((Double(frames) * to / from).rounded()))
            let ideal = sine(hertz, at: to, frames: output.count)
            let edge = Int(40 * to / lower)
            let error = zip(output, ideal).dropFirst(edge).dropLast(edge).map { abs($0 - $1) }.max() ?? 1
            // -110 dB: 120 dB of the filter, whose errors add up.
            #expect(error < 3e-6, "\(part): \(error)")
        }
    }

    @Test(arguments: rates.filter { $0.0 > $0.1 }) func toneAboveTheBand_isGone(from: Double, to: Double) throws {
        let converter = try #require(PolyphaseConverter(from: from, to: to, channels: 1))
        for part in [1.13, 1.5, 1.9] where part * to / 2 < from / 2 {
            let output = convert(sine(part * to / 2, at: from, frames: Int(from / 5)), converter)
            let loudest = output.dropFirst(100).dropLast(100).map(abs).max() ?? 1
            #expect(loudest < 3e-6, "\(part): \(loudest)")
        }
    }

    @Test(arguments: rates) func pieces_changeNoBit(from: Double, to: Double) throws {
        var random = Seeded(seed: UInt64(from + to))
        let input = (0..<6000).map { _ in Double.random(in: -1...1, using: &random) }
        let converter = try #require(PolyphaseConverter(from: from, to: to, channels: 2))
        let whole = convert(input, converter, channels: 2, piece: { 6000 }, room: { 100_000 })
        #expect(whole.count == 2 * Int((3000 * to / from).rounded()))
        for _ in 0..<5 {
            // The same converter again: a stream begins after the end of another.
            let pieces = convert(
                input, converter, channels: 2, piece: { .random(in: 0...700, using: &random) },
                room: { .random(in: 0...300, using: &random) })
            #expect(pieces == whole)
        }
    }

    @Test(arguments: rates) func frame_comesOutWhenTheInputIsSoFarAhead(from: Double, to: Double) throws {
        let converter = try #require(PolyphaseConverter(from: from, to: to, channels: 1))
        let held = converter.heldBackFrames
        #expect(Double(held) < 32 * max(1, from / to) + 1)
        var memory = [Double](repeating: 0, count: 100_000)
        let input = [Double](repeating: 0.5, count: held + 1)
        let progress = memory.withUnsafeMutableBufferPointer { memory in
            input.withUnsafeBufferPointer { converter.convert($0, into: memory) }
        }
        #expect(progress.producedFrames == Int((to / from).rounded(.up)), "the first frame's own time")
    }

    @Test func reset_forgetsTheSignal() throws {
        let converter = try #require(PolyphaseConverter(from: 44_100, to: 48_000, channels: 1))
        let input = sine(1000, at: 44_100, frames: 3000)
        let whole = convert(input, converter)
        var memory = [Double](repeating: 0, count: 1000)
        _ = memory.withUnsafeMutableBufferPointer { memory in
            input.withUnsafeBufferPointer { converter.convert($0, into: memory) }
        }
        converter.reset()
        #expect(convert(input, converter) == whole)
    }

    @Test(arguments: [(44_100.5, 48_000.0), (44_100, 48_001), (0, 48_000), (1_000_000, 999_983)])
    func ratesWithoutASimpleRatio_haveNone(from: Double, to: Double) {
        #expect(PolyphaseConverter(from: from, to: to, channels: 1) == nil)
    }
}
