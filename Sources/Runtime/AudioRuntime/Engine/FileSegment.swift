import AudioFiles
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

    package func frames(at rate: Double) -> Int64 { Int64(nearest: Double(count) * rate / sampleRate) }

    package func read(
        from frame: Int64, _ output: UnsafeMutableBufferPointer<Float>, _ frames: Int, as format: StreamFormat
    ) -> Int {
        // A file is converted to no other rates.
        guard !hasFailed, AudioFileReader.supportedSampleRates.contains(format.sampleRate) else { return 0 }
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
                got = try file.read(into: UnsafeMutableBufferPointer(rebasing: output[..<(frames * channels.count)]))
            } else {
                let samples = try [Float](unsafeUninitializedCapacity: frames * channels.count) { room, count in
                    got = try file.read(into: room)
                    count = got * channels.count
                }
                let mixed = samples.mixed(
                    by: MixMatrix.compile(from: channels, to: format.channels), outputs: format.channels.count)
                _ = output.update(fromContentsOf: mixed)
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
