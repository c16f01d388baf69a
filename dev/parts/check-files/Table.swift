import AudioFiles
import Foundation
import ProgramRuntime

/// What a file of another program is worth here.
struct Verdict {
    /// The sound is the source's.
    var plays = "no"
    var seeks = "no"
    /// Frames that `AudioFileInfo` has too many or too few.
    var length = "no"
    /// Frames before and behind the sound that are not the source's.
    var gapless = "no"
    var isRecorded = false

    init(_ encoder: Encoder, _ source: SourceSound, _ path: String) {
        isRecorded = Self.isRecorded(ending: encoder.ending, path: path)
        guard let reader = try? AudioFileReader(path: path, outputSampleRate: nil),
            let heard = try? reader.readLeft()
        else { return }
        let delay = Self.delay(of: heard, behind: source.samples)
        let (ours, theirs) = (heard.dropFirst(max(0, delay)), source.samples.dropFirst(max(0, -delay)))
        plays = Self.isSame(ours, theirs, encoder.loss) ? "yes" : "no"
        seeks = Self.seeks(reader, heard) ? "yes" : "no"
        length = Self.words(Int(reader.info.frameCount) - source.samples.count)
        let behind = heard.count - source.samples.count - delay
        gapless = delay == 0 && behind == 0 ? "yes" : "no: \(delay) before, \(behind) behind"
    }

    private static func words(_ frames: Int) -> String {
        frames == 0 ? "yes" : "\(frames > 0 ? "+" : "")\(frames) frames"
    }

    /// Without the first and the last moments, where encoders begin and end.
    private static func isSame(_ heard: ArraySlice<Float>, _ source: ArraySlice<Float>, _ loss: Encoder.Loss) -> Bool {
        let pairs = zip(heard, source).dropFirst(4096).dropLast(8192)
        switch loss {
        case .none: return pairs.allSatisfy { abs($0 - $1) < 1e-6 }
        case .some:
            let (error, power) = pairs.reduce((Float(0), Float(0))) { sum, pair in
                (sum.0 + (pair.0 - pair.1) * (pair.0 - pair.1), sum.1 + pair.1 * pair.1)
            }
            // -26 dB.
            return error < power / 400
        }
    }

    /// Frames that `heard` begins before the source.
    private static func delay(of heard: [Float], behind source: [Float]) -> Int {
        let start = min(source.count, heard.count) / 2
        func error(_ delay: Int) -> Float {
            guard start + delay + 2000 <= heard.count else { return .infinity }
            // The tone is slow: some of the frames tell enough.
            return stride(from: 0, to: 2000, by: 16).reduce(0) {
                $0 + abs(heard[start + delay + $1] - source[start + $1])
            }
        }
        return (-4500...4500).min { error($0) < error($1) } ?? 0
    }

    private static func seeks(_ reader: AudioFileReader, _ all: [Float]) -> Bool {
        [all.count / 2, 0, 1, 9000, all.count - 6000, all.count / 3].allSatisfy { frame in
            guard (try? reader.seek(toFrame: Int64(frame))) != nil, reader.position == Int64(frame),
                let heard = try? reader.readLeft(6000), heard.count == 6000
            else { return false }
            // Decoders settle in their first packets: 3000 frames are 63 ms.
            return zip(heard, all[frame...]).dropFirst(3000).allSatisfy { abs($0 - $1) < 0.01 }
        }
    }

    /// Whether a file of that ending can be written here and read again.
    private static func isRecorded(ending: String, path: String) -> Bool {
        let copy = path + ".recorded." + ending
        guard let read = try? AudioFileReader(path: path, outputSampleRate: nil).type,
            let type = try? AudioFileType(path: copy, sampleRate: 48_000, channelCount: 2)
        else { return false }
        // Apple Lossless and others share an ending.
        let written =
            read.container == type.container ? AudioFileType(container: read.container, coding: read.coding) : type
        guard written.container == read.container, written.coding == read.coding,
            written.isWritable(sampleRate: 48_000, channelCount: 2),
            let writer = try? AudioFileWriter(
                path: copy, type: written, sampleRate: 48_000, channels: [.left, .right]),
            (try? writer.write([Float](repeating: 0.1, count: 96_000))) != nil, (try? writer.close()) != nil
        else { return false }
        let again = try? AudioFileReader(path: copy, outputSampleRate: nil).type
        return again?.container == read.container && again?.coding == read.coding
    }
}

extension AudioFileReader {
    /// The next frames of the left channel.
    fileprivate func readLeft(_ frames: Int = .max) throws -> [Float] {
        let channels = info.channels.count
        var block = [Float](repeating: 0, count: 4096 * channels)
        var left: [Float] = []
        while left.count < frames {
            let room = min(4096, frames - left.count) * channels
            let got = try block.withUnsafeMutableBufferPointer {
                try read(into: UnsafeMutableBufferPointer(rebasing: $0[..<room]))
            }
            if got == 0 { break }
            left += stride(from: 0, to: got * channels, by: channels).map { block[$0] }
        }
        return left
    }
}
