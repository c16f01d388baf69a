internal import Foundation
internal import SceneCore

/// Writes what each output plays to a WAV file of its own, 32-bit floating point; silence before the first sound too.
///
/// The command thread.
package final class SceneRecording {
    private struct File {
        let handle: FileHandle
        let channels: Int
        var frames = 0
    }

    private static let headerBytes: UInt64 = 44
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
        guard FileManager.default.createFile(atPath: path, contents: Data(count: Int(Self.headerBytes))),
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
            var header = Data("RIFF".utf8)
            func add<T: FixedWidthInteger>(_ value: T) {
                withUnsafeBytes(of: value.littleEndian) { header.append(contentsOf: $0) }
            }
            let bytes = UInt32(clamping: file.frames * file.channels * 4)
            add(UInt32(clamping: UInt64(bytes) + Self.headerBytes - 8))
            header.append(Data("WAVEfmt ".utf8))
            add(UInt32(16))
            add(UInt16(3))
            add(UInt16(clamping: file.channels))
            add(UInt32(48000))
            add(UInt32(clamping: 48000 * file.channels * 4))
            add(UInt16(clamping: file.channels * 4))
            add(UInt16(32))
            header.append(Data("data".utf8))
            add(bytes)
            file.handle.seek(toFileOffset: 0)
            file.handle.write(header)
            file.handle.closeFile()
        }
        files = [:]
    }
}
