package import SessionCore

extension ChannelTarget {
    /// For each channel of the route the source's channel that sounds there, or -1.
    ///
    /// The first two channels of the source go to the first two of the device, as on Apple's systems; the second has no
    /// place on a device of one channel. A source of one channel sounds on both.
    package func channelMap(sourceChannels: Int) -> [Int] {
        let used = device.prefix(2)
        return (0..<channelCount).map { channel in
            guard used.contains(channel), sourceChannels > 0 else { return -1 }
            return min(channel - device.lowerBound, sourceChannels - 1)
        }
    }
}
