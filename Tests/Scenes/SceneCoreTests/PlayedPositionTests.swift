import Foundation
import TestSupport
import Testing

@testable import SceneCore

/// Where in its sound an app was, found again in what an output played.
@Suite struct PlayedPositionTests {
    private static let rate = 48_000
    /// Of a fade at each end: shorter than what positions are searched after.
    private static let fade = 480

    /// Noise, so that each of its places is unlike the others.
    private static let original: [Float] = {
        var random = Seeded(seed: 7)
        return (0..<60_000).map { _ in Float.random(in: -0.5...0.5, using: &random) }
    }()

    /// A stretch of sound: what is played from a frame of the machine on.
    private struct Stretch {
        var start: Int
        var place: Int
        var count: Int
    }

    /// The machine's frames, with a fade at both ends of each stretch.
    private func played(_ stretches: [Stretch], gain: Float = 1) -> [Float] {
        var frames = [Float](repeating: 0, count: (stretches.last.map { $0.start + $0.count } ?? 0) + 4800)
        for stretch in stretches {
            for index in 0..<stretch.count {
                let edge = Float(min(index + 1, stretch.count - index, Self.fade)) / Float(Self.fade)
                frames[stretch.start + index] =
                    Self.original[(stretch.place + index) % Self.original.count] * gain * edge
            }
        }
        return frames
    }

    /// What an output heard of these frames, which come in pieces of any length.
    private func sound(_ frames: [Float], pieces random: inout Seeded) -> OutputSound {
        var sound = OutputSound(
            name: "speaker", rate: Self.rate, channelCount: 1, original: OriginalSound(Self.original))
        var start = 0
        while start < frames.count {
            let end = min(frames.count, start + Int.random(in: 1...9000, using: &random))
            sound.add([Array(frames[start..<end])], offset: 0, from: start)
            start = end
        }
        return sound
    }

    private func fault(_ sound: OutputSound, _ expectation: String = "position continues") throws -> String? {
        let scene = try AudioScene(text: "scene 1\nexpect \(expectation)")
        let history = SceneHistory(
            scene: scene, duration: .init(seconds: 100), entries: [], sounds: [sound], objections: [])
        return history.failures.first?.message
    }

    /// Stretches of any length and place, with pauses between them.
    @Test(arguments: 0..<24) func stretches_areFoundWhereTheyWere_howeverTheyCome(_ seed: UInt64) {
        var random = Seeded(seed: seed)
        var (stretches, start): ([Stretch], Int) = ([], Int.random(in: 0...5000, using: &random))
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let count = Int.random(in: 2400...12_000, using: &random)
            stretches.append(
                Stretch(start: start, place: Int.random(in: 0..<Self.original.count, using: &random), count: count))
            start += count + Int.random(in: 480...9600, using: &random)
        }
        let gain = Float.random(in: 0.01...2, using: &random)
        let found = sound(played(stretches, gain: gain), pieces: &random).positions?.stretches ?? []
        #expect(found.map(\.frames) == stretches.map { $0.start..<$0.start + $0.count })
        let length = Self.original.count
        #expect(found.map { (($0.begin ?? -1) + length) % length } == stretches.map(\.place))
        #expect(found.map { ($0.end ?? -1) % length } == stretches.map { ($0.place + $0.count) % length })
    }

    /// A pause at each of some places, after which the sound goes on there.
    @Test(arguments: 0..<12) func position_continuesAfterEachPause(_ seed: UInt64) throws {
        var random = Seeded(seed: seed)
        var (stretches, start): ([Stretch], Int) = ([], 0)
        // Near the end, where the original begins again.
        var place = Int.random(in: 40_000..<Self.original.count, using: &random)
        for _ in 0..<4 {
            let count = Int.random(in: 2400...9000, using: &random)
            stretches.append(Stretch(start: start, place: place, count: count))
            // A fade out and in plays up to 50 ms of the sound twice, or not at all.
            place = (place + count + Int.random(in: -2300...2300, using: &random)) % Self.original.count
            start += count + Int.random(in: 9600...48_000, using: &random)
        }
        #expect(try fault(sound(played(stretches), pieces: &random)) == nil)
    }

    @Test(arguments: 0..<12) func position_thatJumps_isNamedWithBothPlaces(_ seed: UInt64) throws {
        var random = Seeded(seed: seed)
        let first = Stretch(start: 480, place: 1000, count: Int.random(in: 4800...9000, using: &random))
        let jump = Int.random(in: 2500...9000, using: &random) * (Bool.random(using: &random) ? 1 : -1)
        let next = first.place + first.count
        let again = 480 + first.count + 24_000
        let place = max(0, next + jump)
        let sound = sound(
            played([first, Stretch(start: again, place: place, count: 6000)]), pieces: &random)
        let message = try fault(sound)
        let time = { (frame: Int) in sound.time(ofFrame: frame).spelling }
        #expect(
            message == "speaker went on at \(time(place)) of the sound, and \(time(next)) was next, at \(time(again))")
        // Only a sound that begins within the window is judged.
        #expect(try fault(sound, "position continues from 0s to \(time(again - 4800))") == nil)
        #expect(try fault(sound, "position continues on headphones") == "it was silent")
    }

    /// As where a stream runs on while its output is away.
    @Test func silenceThatTakesItsTime_continues() throws {
        var random = Seeded(seed: 1)
        let stretches = [Stretch(start: 0, place: 0, count: 9600), Stretch(start: 24_000, place: 24_000, count: 9600)]
        #expect(try fault(sound(played(stretches), pieces: &random)) == nil)
    }

    @Test func anotherSound_isNamed_andAShortOneIsLeftOut() throws {
        var random = Seeded(seed: 2)
        var frames = played([Stretch(start: 0, place: 0, count: 9600)]) + [Float](repeating: 0, count: 9600)
        let other = frames.count
        frames += tone(1000, frames: 9600) + [Float](repeating: 0, count: 4800)
        #expect(
            try fault(sound(frames, pieces: &random))
                == "speaker played something else at \(AudioScene.Time(seconds: Double(other + 1) / 48_000).spelling)")
        var short = played([Stretch(start: 0, place: 0, count: 9600)])
        short += tone(1000, frames: 1000) + [Float](repeating: 0, count: 4800)
        let sound = sound(short, pieces: &random)
        #expect(sound.positions?.stretches.count == 1)
        #expect(try fault(sound) == nil)
    }

    @Test func soundWithoutAnOriginal_cannotBeJudged() throws {
        var sound = OutputSound(name: "speaker", rate: Self.rate, channelCount: 1)
        sound.add([tone(1000, frames: 4800)], offset: 0, from: 0)
        #expect(try fault(sound)?.hasPrefix("what the app plays is not known") == true)
        #expect(try fault(OutputSound(name: "speaker", rate: Self.rate, channelCount: 1)) == "it was silent")
    }

    @Test func distance_isTheShortWayRound() {
        let original = OriginalSound([Float](repeating: 0.1, count: 100))
        for (from, to, distance) in [(0, 10, 10), (10, 0, -10), (95, 5, 10), (5, 95, -10), (0, 50, 50), (0, 51, -49)] {
            #expect(original.distance(from: from, to: to) == distance)
            #expect(original.distance(from: from - 300, to: to + 700) == distance)
        }
    }

    @Test func place_isFoundAtAnyGain_andNowhereInSilenceOrOtherSound() {
        let original = OriginalSound(Self.original)
        for gain in [0.001, 0.5, 1, 15] as [Float] {
            #expect(original.place(of: Self.original[1234..<1490].map { $0 * gain }[...]) == 1234)
        }
        #expect(original.place(of: Self.original[1234..<1490].map { $0 * 20 }[...]) == nil)
        #expect(original.place(of: Self.original[1234..<1490].map { -$0 }[...]) == nil)
        #expect(original.place(of: [Float](repeating: 0, count: 256)[...]) == nil)
        #expect(original.place(of: tone(440, frames: 256)[...]) == nil)
        // Its end is followed by its begin.
        let seam = Self.original.suffix(100) + Self.original.prefix(156)
        #expect(original.place(of: Array(seam)[...]) == Self.original.count - 100)
        #expect(OriginalSound([0.5]).place(of: [0.5, 0.5]) == nil)
    }
}
