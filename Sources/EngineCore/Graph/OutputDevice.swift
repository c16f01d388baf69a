package import AudioModel

/// What an output node plays on: one port, or several as one.
package struct OutputDevice: Hashable, Sendable {
    /// Hertz, above 0.
    package var sampleRate: Double
    package var layout: RouteLayout

    package init(sampleRate: Double, ports: [[ChannelLabel]]) {
        self.sampleRate = sampleRate
        layout = RouteLayout(ports: ports)
    }

    /// One port of this format.
    package init(_ format: StreamFormat) { self.init(sampleRate: format.sampleRate, ports: [format.channels]) }

    package var format: StreamFormat { StreamFormat(sampleRate: sampleRate, channels: layout.labels) }
}
