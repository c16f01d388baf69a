package import AudioModel

/// What runs over a connection.
package struct StreamFormat: Hashable, Sendable, CustomStringConvertible {
    /// Hertz, above 0.
    package var sampleRate: Double
    /// At least one.
    package var channels: [ChannelLabel]

    package init(sampleRate: Double, channels: [ChannelLabel]) {
        self.sampleRate = sampleRate
        self.channels = channels
    }

    package var isValid: Bool { sampleRate > 0 && sampleRate.isFinite && !channels.isEmpty }

    package var description: String {
        "\(channels.count) channel\(channels.count == 1 ? "" : "s") at \(sampleRate) Hz"
    }
}
