internal import AudioFiles
internal import Foundation

/// Writes what each output plays to a WAV file of its own, 32-bit floating point; silence before the first sound too.
///
/// The command thread.
package final class SceneRecording {
    private struct File {
        let handle: FileHandle
        let channels: Int
        var frames = 0
    }

    private let directory: String
    private var files: [String: File] = [:]

    /// - Throws: why the directory cannot be used.
    package init(directory: String) throws {
        self.directory = directory
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    /// See `SceneStage.SoundReader`.
    package func add(_ output: String, _ firstFrame: Int, _ channels: [[Float]], _ offset: Int) {
        guard let count = channels.first?.count, count > offset, var file = file(output, channels.count) else { return }
        let silence = max(0, firstFrame - file.frames)
        var bytes = Data(count: silence * channels.count * 4)
        for frame in offset..<count {
            for channel in channels {
                withUnsafeBytes(of: channel[frame].bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
            }
        }
        file.handle.write(bytes)
        file.frames += silence + count - offset
        files[output] = file
    }

    /// The file of an output; an output that returns with other channels keeps its first file only.
    private func file(_ output: String, _ channels: Int) -> File? {
        if let file = files[output] { return file.channels == channels ? file : nil }
        let name = String(output.map { $0.isLetter || $0.isNumber || "-_.".contains($0) ? $0 : "_" }.prefix(80))
        let path = "\(directory)/\(name).wav"
        guard FileManager.default.createFile(atPath: path, contents: Data(count: WaveHeader.byteCount)),
            let handle = FileHandle(forWritingAtPath: path)
        else { return nil }
        handle.seekToEndOfFile()
        let file = File(handle: handle, channels: channels)
        files[output] = file
        return file
    }

    /// Writes the headers.
    package func close() {
        for file in files.values {
            let header = WaveHeader.bytes(
                dataBytes: file.frames * file.channels * 4, channels: file.channels, sampleRate: 48_000, isFloat: true)
            file.handle.seek(toFileOffset: 0)
            file.handle.write(Data(header))
            file.handle.closeFile()
        }
        files = [:]
    }
}
