import CoreMedia
import Foundation
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFoundation

/// Random scripts of volumes and ramps: what a reader gives, and what the parameters tell, against a list of frames.
@Suite struct VolumeRampScriptTests {
    private let directory: TemporaryDirectory
    private let asset: AVURLAsset
    private static let frames = 4800

    init() throws {
        directory = try TemporaryDirectory()
        asset = AVURLAsset(
            url: URL(filePath: try TestFile.write(.noise, seconds: 0.1, format: .wavFloat, in: directory)))
    }

    /// The rules that `AVAudioMixInputParameters` states, frame by frame.
    private struct Model {
        var volumes = [Double](repeating: 1, count: frames)
        /// Where volumes and ramps begin that are still there.
        var starts: Set<Int> = []

        mutating func set(_ start: Int, _ end: Int, from: Double, to: Double) {
            // What was set within it goes.
            starts = starts.filter { $0 < start || $0 >= end && $0 != start }
            let next = starts.filter { $0 >= end }.min() ?? volumes.count
            for frame in start..<max(min(next, volumes.count), start) where frame < volumes.count {
                let share = end > start ? min(Double(frame - start) / Double(end - start), 1) : 1
                volumes[frame] = frame < end ? from + (to - from) * share : to
            }
            starts.insert(start)
        }
    }

    private func time(_ frame: Int) -> CMTime { CMTime(value: Int64(frame), timescale: 48_000) }

    private func read(_ mix: AVAudioMix?, from start: Int = 0) throws -> [Float] {
        let reader = try AVAssetReader(asset: asset)
        let output = AVAssetReaderAudioMixOutput(audioTracks: asset.tracks, audioSettings: SampleReading.float)
        output.audioMix = mix
        reader.add(output)
        reader.timeRange = CMTimeRange(start: time(start), duration: .positiveInfinity)
        #expect(reader.startReading())
        return try SampleReading.frames(output).samples
    }

    @Test func scriptsOfRamps_areHeardAndTold_asTheirRulesSay() throws {
        var random = Seeded(seed: 94)
        let plain = try read(nil)
        #expect(plain.count == Self.frames && plain.contains { abs($0) > 0.1 })
        for round in 0..<60 {
            let parameters = AVMutableAudioMixInputParameters(track: asset.tracks.first)
            var model = Model()
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                // Few places, so that many ramps meet.
                let start = Int.random(in: 0..<16, using: &random) * 300
                let (from, to) = (Float.random(in: 0...1, using: &random), Float.random(in: 0...1, using: &random))
                if Bool.random(using: &random) {
                    parameters.setVolume(to, at: time(start))
                    model.set(start, start, from: Double(to), to: Double(to))
                } else {
                    let end = start + Int.random(in: 0..<8, using: &random) * 300
                    let range = CMTimeRange(start: time(start), end: time(end))
                    parameters.setVolumeRamp(fromStartVolume: from, toEndVolume: to, timeRange: range)
                    model.set(start, end, from: Double(from), to: Double(to))
                }
            }
            let mix = AVMutableAudioMix()
            mix.inputParameters = [parameters]
            let first = round.isMultiple(of: 3) ? 1111 : 0
            let heard = try read(mix, from: first)
            let expected = zip(plain, model.volumes).dropFirst(first).map { Double($0) * $1 }
            let worst = zip(heard, expected).map { abs(Double($0) - $1) }.max() ?? 1
            // A ramp that was cut twice is computed three times in floats.
            #expect(heard.count == expected.count && worst < 1e-5, "round \(round)")
            try check(parameters, model)
        }
    }

    /// From the beginning on, ramp after ramp: each begins where the model has one, with the volume that is heard there.
    private func check(_ parameters: AVAudioMixInputParameters, _ model: Model) throws {
        var told: [Int] = []
        var at = CMTime.zero
        var (from, to, range): (Float, Float, CMTimeRange) = (0, 0, .invalid)
        while parameters.getVolumeRamp(for: at, startVolume: &from, endVolume: &to, timeRange: &range) {
            let start = Int((range.start.seconds * 48_000).rounded())
            try #require(told.last.map { $0 < start } ?? true, "they come in order")
            told.append(start)
            #expect(range.start >= at || range.containsTime(at))
            // One without a duration has its last volume from its time on.
            #expect(abs(Double(range.duration == .zero ? to : from) - model.volumes[start]) < 1e-5)
            // To the nanosecond.
            at = max(range.end, range.start + CMTime(value: 1, timescale: 1_000_000_000))
        }
        #expect(told == model.starts.sorted())
    }

    @Test func volumesThatAreNone_areTheNearerEnd_andTimesThatAreNone_changeNothing() throws {
        let plain = try read(nil)
        func heard(_ set: (AVMutableAudioMixInputParameters) -> Void) throws -> [Float] {
            let parameters = AVMutableAudioMixInputParameters(track: asset.tracks.first)
            set(parameters)
            let mix = AVMutableAudioMix()
            mix.inputParameters = [parameters]
            return try read(mix)
        }
        for (volume, expected) in [(-1, 0), (7, 1), (.nan, 0), (.infinity, 1), (-.infinity, 0)] as [(Float, Float)] {
            #expect(try heard { $0.setVolume(volume, at: .zero) } == plain.map { $0 * expected })
            #expect(
                try heard {
                    $0.setVolumeRamp(
                        fromStartVolume: volume, toEndVolume: volume,
                        timeRange: CMTimeRange(start: .zero, duration: CMTime(value: 1, timescale: 10)))
                } == plain.map { $0 * expected })
        }
        let none: [CMTime] = [.invalid, .indefinite, .positiveInfinity, .negativeInfinity]
        #expect(try heard { for time in none { $0.setVolume(0, at: time) } } == plain)
        #expect(
            try heard {
                for time in none {
                    $0.setVolumeRamp(
                        fromStartVolume: 0, toEndVolume: 0, timeRange: CMTimeRange(start: .zero, duration: time))
                }
                // It ends before it begins.
                let negative = CMTime(value: -1, timescale: 100)
                $0.setVolumeRamp(
                    fromStartVolume: 0, toEndVolume: 0, timeRange: CMTimeRange(start: time(960), duration: negative))
            } == plain)
        // Long before the sound, and long after it.
        let (early, late) = (CMTime(value: .min, timescale: 1), CMTime(value: .max, timescale: 1))
        #expect(try heard { $0.setVolume(0.5, at: early) } == plain.map { $0 * 0.5 })
        #expect(try heard { $0.setVolume(0, at: late) } == plain)
    }
}
