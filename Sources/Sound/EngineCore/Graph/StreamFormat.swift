package import AudioModel

/// The sample rate and the channels of a connection.
package struct StreamFormat: Hashable, Sendable, CustomStringConvertible {
    /// Hertz, above 0.
    package var sampleRate: Double
    /// The labels of the channels, at least one.
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

/// The device of an output node: one port, or several ports as one.
package struct OutputDevice: Hashable, Sendable {
    /// Hertz, above 0.
    package var sampleRate: Double
    package var layout: RouteLayout

    package init(sampleRate: Double, ports: [[ChannelLabel]]) {
        self.sampleRate = sampleRate
        layout = RouteLayout(ports: ports)
    }

    /// A device with one port of this format.
    package init(_ format: StreamFormat) { self.init(sampleRate: format.sampleRate, ports: [format.channels]) }

    package var format: StreamFormat { StreamFormat(sampleRate: sampleRate, channels: layout.labels) }
}
