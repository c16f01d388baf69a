import AudioModel

@testable import AudioFiles

/// A file with any bytes is refused or read; what is read are numbers.
enum FilesFuzz {
    static func run(_ bytes: [UInt8]) {
        guard let last = bytes.last else { return }
        do {
            let reader = try AudioFileReader(
                contents: bytes, name: "fuzz", outputSampleRate: last & 1 == 1 ? 44_100 : nil)
            let channels = reader.info.channels.count
            require(channels > 0 && reader.info.sampleRate > 0, "no channels or no rate")
            var block = [Float](repeating: 0, count: 1024 * channels)
            var left = 64
            while left > 0 {
                let frames = try block.withUnsafeMutableBufferPointer { try reader.read(into: $0) }
                require(frames * channels <= block.count, "more frames than asked for")
                if frames == 0 { break }
                left -= 1
                if left == 40 { try reader.seek(toFrame: Int64(last) * 100) }
            }
        } catch {
            let message = (error as? AudioFileError)?.message ?? ""
            require(!message.isEmpty, "an error without a message: \(error)")
        }
    }
}
