import Foundation

/// A file that lives as long as this value is held.
final class TemporaryFile {
    let path: String

    /// - Throws: `StudioError` when the file cannot be written.
    init(name: String, bytes: [UInt8]) throws(StudioError) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("audiosession-\(UUID().uuidString)")
        path = folder.appendingPathComponent(name).path
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(bytes).write(to: URL(fileURLWithPath: path))
        } catch {
            throw StudioError(
                code: "notWritable",
                message: "the sample could not be written to \(path) (\(error.localizedDescription)); "
                    + "set TMPDIR to a folder that can be written, or name a FILE.")
        }
    }

    deinit {
        // Best effort: what stays behind is in the folder for such things.
        try? FileManager.default.removeItem(at: URL(fileURLWithPath: path).deletingLastPathComponent())
    }
}
