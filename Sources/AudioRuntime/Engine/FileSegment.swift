import AudioFiles
package import AudioModel
package import EngineCore

/// A part of a file in the queue of a player node.
///
/// `@unchecked Sendable`: constants, but for `reader` and `hasFailed`, which only the thread that feeds uses, under the
/// player's lock.
package final class FileSegment: ItemContent, @unchecked Sendable {
    private let path: String
    private let sampleRate: Double
    private let first: Int64
    private let count: Int64
    private var reader: (file: AudioFileReader, next: Int64)?
    private var hasFailed = false

    /// The segment opens the file itself, so that the app's own position in it does not change.
    ///
    /// - Parameters:
    ///   - first: at the file's rate, as `count`.
    package init(path: String, sampleRate: Double, first: Int64, count: Int64) {
        self.path = path
        self.sampleRate = sampleRate
        self.first = first
        self.count = count
    }

    package func frames(at rate: Double) -> Int64 { Int64((Double(count) * rate / sampleRate).rounded()) }

    package func read(
        from frame: Int64, _ output: UnsafeMutableBufferPointer<Float>, _ frames: Int, as format: StreamFormat
    ) -> Int {
        guard !hasFailed else { return 0 }
        do {
            let file: AudioFileReader
            if let reader, reader.next == frame, reader.file.outputSampleRate == format.sampleRate {
                file = reader.file
            } else {
                file = try AudioFileReader(path: path, outputSampleRate: format.sampleRate)
                let start = (Double(first) * format.sampleRate / file.info.sampleRate).rounded()
                try file.seek(toFrame: Int64(start) + frame)
            }
            let channels = file.info.channels
            var got = 0
            if channels == format.channels {
                got = try file.read(frames, into: output)
            } else {
                var scratch = [Float](repeating: 0, count: frames * channels.count)
                got = try scratch.withUnsafeMutableBufferPointer { try file.read(frames, into: $0) }
                scratch.prefix(got * channels.count).mix(from: channels, to: format.channels, into: output)
            }
            reader = (file, frame + Int64(got))
            return got
        } catch {
            // The rest of the item is silent and its completion comes early, as where a file is shorter than it said.
            hasFailed = true
            return 0
        }
    }
}

extension AudioFileReader {
    /// Reads interleaved frames until there are as many, or the file ends.
    fileprivate func read(_ frames: Int, into output: UnsafeMutableBufferPointer<Float>) throws -> Int {
        let channels = info.channels.count
        var got = 0
        while got < frames {
            let rest = UnsafeMutableBufferPointer(rebasing: output[(got * channels)..<(frames * channels)])
            let more = try read(into: rest)
            if more == 0 { break }
            got += more
        }
        return got
    }
}

extension Collection<Float> where Index == Int {
    /// Spreads interleaved frames over other channels.
    package func mix(
        from inputs: [ChannelLabel], to outputs: [ChannelLabel], into output: UnsafeMutableBufferPointer<Float>
    ) {
        let matrix = MixMatrix.compile(from: inputs, to: outputs)
        for frame in 0..<(count / inputs.count) {
            for row in outputs.indices {
                var sum: Float = 0
                for column in inputs.indices {
                    sum += matrix[row * inputs.count + column] * self[startIndex + frame * inputs.count + column]
                }
                output[frame * outputs.count + row] = sum
            }
        }
    }
}
