package import AudioFiles

extension AudioFileReader {
    /// Up to `frames` frames, in blocks of an odd size so that no buffer boundary is the same twice.
    package func readFrames(_ frames: Int = .max, blockFrames: Int = 1009) throws -> [Float] {
        let channels = info.channels.count
        var all: [Float] = []
        var block = [Float](repeating: .nan, count: blockFrames * channels)
        while all.count / channels < frames {
            let wanted = min(blockFrames, frames - all.count / channels)
            let got = try block.withUnsafeMutableBufferPointer { buffer in
                try read(into: UnsafeMutableBufferPointer(rebasing: buffer[..<(wanted * channels)]))
            }
            if got == 0 { break }
            all += block[..<(got * channels)]
        }
        return all
    }

    /// All that there is, and the error at its end, if that is how it ends.
    package func readToEnd() -> (samples: [Float], error: AudioFileError?) {
        let channels = info.channels.count
        var all: [Float] = []
        var block = [Float](repeating: .nan, count: 1009 * channels)
        do throws(AudioFileError) {
            while true {
                let outcome = block.withUnsafeMutableBufferPointer { buffer in
                    Result { () throws(AudioFileError) in try read(into: buffer) }
                }
                let got = try outcome.get()
                if got == 0 { return (all, nil) }
                all += block[..<(got * channels)]
            }
        } catch {
            return (all, error)
        }
    }
}

/// The error that opening this path gives.
package func openError(_ path: String) -> AudioFileError? {
    do {
        _ = try AudioFileReader(path: path, outputSampleRate: nil)
        return nil
    } catch {
        return error
    }
}

extension [Float] {
    package func channel(_ index: Int, of count: Int) -> [Float] {
        stride(from: index, to: self.count, by: count).map { self[$0] }
    }

    package var peak: Float { reduce(0) { Swift.max($0, $1.magnitude) } }
}

/// The largest difference between two signals, over the shorter one.
package func largestDifference(_ a: some Sequence<Float>, _ b: some Sequence<Float>) -> Float {
    zip(a, b).reduce(0) { Swift.max($0, ($1.0 - $1.1).magnitude) }
}
