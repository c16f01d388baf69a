package import AudioModel

/// The channels of a route's ports as one output, one port after the other.
///
/// On several ports, Apple's default channel map `[0, 1, -1, ...]` applies: the first two channels of the source play
/// on the first two channels of the route. So the labels of the ports do not apply to the whole: the first two channels
/// are a stereo pair, and the others have no position. A single port keeps its labels, which decide the mixing.
package struct RouteLayout: Hashable, Sendable {
    /// The number of channels of each port, in order.
    package let portChannels: [Int]
    /// The labels of all channels, one port after the other.
    package let labels: [ChannelLabel]

    package init(ports: [[ChannelLabel]]) {
        portChannels = ports.map(\.count)
        let sum = portChannels.reduce(0, +)
        labels =
            ports.count > 1 && sum > 1
            ? [.left, .right] + (2..<sum).map { .discrete($0) } : ports.flatMap { $0 }
    }

    /// Whether the default map decides instead of the labels.
    package var hasDefaultMap: Bool { portChannels.count > 1 }

    /// The default map: the index is the channel of the route, the value is the source's channel there, or -1 for
    /// silence.
    ///
    /// - Two channels play on the first port. If that port has one channel, it plays the first channel, and the second
    ///   one plays nowhere: a pair is never split over two devices. A single channel goes to both channels of a pair,
    ///   as in a mixer.
    /// - More than two channels address the whole route, channel by channel, as far as both sides have channels.
    package func defaultMap(sources: Int) -> [Int] {
        let first = portChannels.first { $0 > 0 } ?? 0
        let last = sources > 2 ? sources : min(first, 2)
        return labels.indices.map { $0 < last ? min($0, sources - 1) : -1 }
    }
}
