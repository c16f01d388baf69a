import AudioFiles
import Foundation

extension FileRecorder {
    /// Records into the kind of file that the path's extension names, at the host's rate.
    ///
    /// - Throws: `NSError` of the domain `com.apple.coreaudio.avfaudio` for a kind of file that is not written here; else
    ///   as the other initializer.
    package convenience init(
        path: String, channelCount: Int, process: SessionRuntime, onChange: @escaping @Sendable (Status) -> Void
    ) throws {
        let target = try AudioFileTarget(
            url: URL(fileURLWithPath: path),
            settings: AudioSettings([
                AVSampleRateKey: process.host.sampleRate, AVNumberOfChannelsKey: channelCount,
            ]))
        try self.init(
            path: path, type: target.type, sampleRate: target.sampleRate, channels: target.places, process: process,
            onChange: onChange)
    }
}
