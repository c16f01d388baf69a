import Foundation
import TestSupport
import Testing

@testable import SceneCore

/// What is measured of an output, compared with its frames.
@Suite struct OutputSoundTests {
    private static let rate = 8000

    /// Sounds, and silences of more than a column of 10 ms: a silence within a column is a part of the sound.
    private func frames(_ random: inout Seeded) -> [Float] {
        var frames: [Float] = []
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            frames += [Float](repeating: 0, count: Int.random(in: 81...900, using: &random))
            let level = Float.random(in: 0.01...1, using: &random)
            frames += (0..<Int.random(in: 1...900, using: &random)).map { $0 % 2 == 0 ? level : -level }
        }
        return frames + [Float](repeating: 0, count: 100)
    }

    private func sound(_ channels: [[Float]], pieces random: inout Seeded) -> OutputSound {
        var sound = OutputSound(name: "speaker", rate: Self.rate, channelCount: channels.count)
        var start = 0
        while start < channels[0].count {
            let end = min(channels[0].count, start + Int.random(in: 1...700, using: &random))
            // What was looked at before is in front of the offset.
            let offset = min(start, Int.random(in: 0...50, using: &random))
            sound.add(channels.map { Array($0[(start - offset)..<end]) }, offset: offset, from: start)
            start = end
        }
        return sound
    }

    @Test(arguments: 0..<60) func questions_haveTheAnswersOfTheFrames(_ seed: UInt64) {
        var random = Seeded(seed: seed)
        let left = frames(&random)
        let right = Array((frames(&random) + [Float](repeating: 0, count: left.count)).prefix(left.count))
        let sound = sound([left, right], pieces: &random)
        #expect(sound.endFrame == left.count)
        for _ in 0..<15 {
            let bounds = (0..<2).map { _ in Int.random(in: 0...left.count, using: &random) }.sorted()
            let (start, end) = (sound.time(ofFrame: bounds[0]), sound.time(ofFrame: bounds[1]))
            guard bounds[0] < bounds[1] else { continue }
            let window = bounds[0]..<bounds[1]
            let expected = [left, right].map { channel in window.first { channel[$0] != 0 } }
            for channel in 0..<2 {
                let heard = sound.firstSound(from: start, to: end, channel: channel + 1)
                #expect(heard == expected[channel].map(sound.time(ofFrame:)))
            }
            #expect(
                sound.firstSound(from: start, to: end) == expected.compactMap { $0 }.min().map(sound.time(ofFrame:)))
        }
    }

    @Test(arguments: 0..<30) func measures_areTheSame_howeverTheFramesCome(_ seed: UInt64) {
        var random = Seeded(seed: seed)
        let frames = frames(&random)
        let (pieces, whole) = (sound([frames], pieces: &random), sound([frames], all: true))
        #expect(pieces.channels[0].ranges == whole.channels[0].ranges)
        #expect(pieces.clicks == whole.clicks)
        let end = whole.time(ofFrame: frames.count)
        #expect(pieces.peak(from: .zero, to: end) == whole.peak(from: .zero, to: end))
        #expect(whole.peak(from: .zero, to: end) == frames.map(abs).max())
        // The sums of floats are in another order.
        #expect(abs(pieces.decibels(from: .zero, to: end) - whole.decibels(from: .zero, to: end)) < 1e-3)
    }

    private func sound(_ channels: [[Float]], all: Bool) -> OutputSound {
        var sound = OutputSound(name: "speaker", rate: Self.rate, channelCount: channels.count)
        sound.add(channels, offset: 0, from: 0)
        return sound
    }

    @Test(arguments: 0..<30) func level_isTheRootMeanSquareOfWholeColumns(_ seed: UInt64) {
        var random = Seeded(seed: seed)
        let frames = (0..<8000).map { _ in Float.random(in: -1...1, using: &random) }
        let sound = sound([frames], all: true)
        // Columns have 10 ms.
        let columns = (0..<2).map { _ in Int.random(in: 0...100, using: &random) }.sorted()
        guard columns[0] < columns[1] else { return }
        let part = frames[(columns[0] * 80)..<(columns[1] * 80)]
        let power = part.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(part.count)
        let level = sound.decibels(
            from: .init(seconds: Double(columns[0]) / 100), to: .init(seconds: Double(columns[1]) / 100))
        #expect(abs(level - 10 * log10(power)) < 1e-3)
    }

    @Test func logarithm_isThatOfFoundation() {
        var random = Seeded(seed: 1)
        for _ in 0..<5000 {
            let value = Double(
                sign: .plus, exponent: .random(in: -1000...1000, using: &random),
                significand: .random(in: 1..<2, using: &random))
            #expect(abs(Decibels.log10(value) - log10(value)) < 1e-12 * max(1, abs(log10(value))))
        }
        #expect(Decibels.log10(1) == 0)
        for value in [0, -1, Double.nan, .infinity] { #expect(Decibels.log10(value) == -.infinity) }
    }

    @Test func silenceOf2MillisecondsOrWithinAColumn_isAPartOfTheSound() {
        let tone = [Float](repeating: 0.1, count: 100)
        for (gap, count) in [(1, 1), (16, 1), (17, 1), (81, 2), (160, 2)] {
            let sound = sound([tone + [Float](repeating: 0, count: gap) + tone], all: true)
            #expect(sound.channels[0].ranges.count == count, "\(gap) frames")
        }
    }

    @Test func strip_hasACharacterForEachColumn() {
        let sound = sound([[Float](repeating: 0.4, count: 4000) + [Float](repeating: 0, count: 4000)], all: true)
        let strip = sound.strip(columns: 10, of: .init(seconds: 1), level: OutputSound.glyph(ofLevel:))
        #expect(strip == "=====     ")
        #expect([0, 0.001, 0.13, 0.5, 1, 9].map(OutputSound.glyph(ofLevel:)) == [" ", ".", ":", "+", "@", "@"])
    }

    @Test func manyClicks_areCountedUpTo1000() {
        var sound = OutputSound(name: "speaker", rate: Self.rate, channelCount: 1)
        let click = [0, 0.9, 0] + [Float](repeating: 0, count: 77)
        for index in 0..<2000 { sound.add([click], offset: 0, from: index * 80) }
        #expect((1000...1001).contains(sound.clicks.count))
        #expect(sound.clicks.prefix(4) == [1, 1, 81, 81])
    }
}
