package import AudioModel

/// The channels of a route's ports as those of one output, one port after the other.
///
/// On several ports Apple's default channel map holds, `[0, 1, -1, ...]`: the first two channels of the source sound on
/// the first two of the route. So labels say nothing over the sum: its first two channels are a stereo pair and the others
/// have no place. One port has its own labels, and what sounds on it goes by them.
package struct RouteLayout: Hashable, Sendable {
    /// Of each port in turn.
    package let portChannels: [Int]
    /// Of all ports in a row.
    package let labels: [ChannelLabel]

    package init(ports: [[ChannelLabel]]) {
        portChannels = ports.map(\.count)
        let sum = portChannels.reduce(0, +)
        labels =
            ports.count > 1 && sum > 1
            ? [.left, .right] + (2..<sum).map { .discrete($0) } : ports.flatMap { $0 }
    }

    /// Whether the default map holds, not the labels.
    package var hasDefaultMap: Bool { portChannels.count > 1 }

    /// Index: channel of the route; value: the source's channel that sounds there, -1 for silence.
    ///
    /// - Two channels sound on the first port; a port of one channel gets the first of them, and the other one sounds
    ///   nowhere: no device has half of a pair. One channel goes to both of a pair, as in a mixer.
    /// - More are for the route as a whole: channel by channel, as far as both sides go.
    package func defaultMap(sources: Int) -> [Int] {
        let first = portChannels.first { $0 > 0 } ?? 0
        let last = sources > 2 ? sources : min(first, 2)
        return labels.indices.map { $0 < last ? min($0, sources - 1) : -1 }
    }
}
