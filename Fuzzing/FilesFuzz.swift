import AudioModel
import Glibc

@testable import AudioFiles

/// A file with any bytes is refused or read; what is read are numbers.
enum FilesFuzz {
    /// Each input in its turn; in memory, for a file on a disk takes longer than what is tested.
    private static let file: (descriptor: Int32, path: String) = {
        let name = "/dev/shm/open-avfaudio-fuzz-\(getpid())"
        let descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        require(descriptor >= 0, "no file in /dev/shm")
        unlink(name)
        return (descriptor, "/proc/self/fd/\(descriptor)")
    }()

    static func run(_ bytes: [UInt8]) {
        guard let last = bytes.last else { return }
        require(ftruncate(file.descriptor, 0) == 0, "ftruncate")
        require(pwrite(file.descriptor, bytes, bytes.count, 0) == bytes.count, "pwrite")
        do {
            let reader = try AudioFileReader(path: file.path, outputSampleRate: last & 1 == 1 ? 44_100 : nil)
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
