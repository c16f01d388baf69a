internal import AudioFiles
internal import AudioModel

extension FileRecorder {
    /// Records into the kind of file that the path's extension names, at the host's rate.
    ///
    /// - Throws: `AudioFileWriteError` for a kind of file that is not written here; else as the other initializer.
    package convenience init(
        path: String, channelCount: Int, runtime: SessionRuntime, onChange: @escaping @Sendable (Status) -> Void
    ) throws {
        let rate = Int(runtime.host.sampleRate)
        try self.init(
            path: path, type: AudioFileType(path: path, sampleRate: rate, channelCount: channelCount), sampleRate: rate,
            channels: ChannelLabel.standard(count: channelCount), runtime: runtime, onChange: onChange)
    }
}
