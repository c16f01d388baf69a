import EngineCore

/// What an engine's input stream captures into.
final class EngineCapture: Sendable {
    /// How long nobody may look for captured frames before some are lost.
    private static let ringSeconds = 2.0

    let feed: CaptureFeed
    /// Of the device that the stream was opened for.
    let format: StreamFormat

    init(format: StreamFormat) {
        self.format = format
        feed = CaptureFeed(
            channels: format.channels.count, maximumFrames: EngineController.maximumFrames,
            sampleRate: format.sampleRate, seconds: Self.ringSeconds)
    }

    func isFor(_ other: StreamFormat?) -> Bool {
        other.map { format.hasShape(of: $0) } ?? false
    }
}
