package import AudioFiles
package import AudioModel
import SessionCore

/// Which channel of a file each channel of the outputs plays.
package struct FileOutputs {
    package let file: AudioFileInfo
    /// What the stream was linked to last.
    package private(set) var ports: [AudioModel.Port] = []
    /// Set by hand, before all else; a map fits the ports.
    var routing: ChannelRouting?
    /// Under `multiRoute` the output that was chosen; nil is the default.
    private var target: ChannelTarget?

    init(_ file: AudioFileInfo) { self.file = file }

    /// For each channel of the ports a channel of the file, or -1; nil is the default.
    var map: [Int]? {
        if let routing { return routing.channelMap(on: ports) }
        // While the link is on its way, a target may be of a route that the stream does not have yet.
        guard let target, target.channelCount == ports.channelCount else { return nil }
        return target.channelMap(sourceChannels: file.channels.count)
    }

    /// - Returns: the map that was set by hand and does not fit these ports, so that the default is back.
    mutating func link(to ports: [AudioModel.Port]) -> ChannelMapReset? {
        self.ports = ports
        guard case .map(let map) = routing, map.count != ports.channelCount else { return nil }
        routing = nil
        return ChannelMapReset(map: map, outputChannels: ports.channelCount)
    }

    /// - Returns: whether it is another than before.
    mutating func choose(_ target: ChannelTarget?) -> Bool {
        defer { self.target = target }
        return self.target != target
    }
}
