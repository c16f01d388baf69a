package import AudioFiles
internal import AudioModel
package import AudioRuntime
internal import HostInterface
package import SessionRuntime

extension FileRecorder {
    /// Records into the kind of file that an extension names.
    ///
    /// - Parameters:
    ///   - format: an extension; nil for the path's own.
    ///   - sampleRate: in hertz; nil for the host's.
    /// - Throws: `AudioFileWriteError` for a kind of file that is not written here; else as the other initializer.
    package convenience init(
        path: String, format: String? = nil, sampleRate: Int? = nil, channelCount: Int,
        naming: AudioFileWriter.Naming = .atOnce, runtime: SessionRuntime,
        onChange: @escaping @Sendable (Status) -> Void
    ) throws {
        let rate = sampleRate ?? Int(runtime.host.sampleRate)
        let type = try AudioFileType(
            path: path, fileExtension: format, sampleRate: rate, channelCount: channelCount)
        try self.init(
            path: path, type: type, sampleRate: rate, channels: ChannelLabel.standard(count: channelCount),
            naming: naming, runtime: runtime, onChange: onChange)
    }
}
