import AudioFiles
import AudioModel
import SessionCore

/// Which channel of a file each channel of the outputs plays.
struct FileOutputs {
    private let file: AudioFileInfo
    /// What the stream was linked to last.
    private(set) var ports: [AudioModel.Port] = []
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

    /// - Throws: `badParam` where a map does not fit the file and the ports.
    func check(_ map: [Int]) throws(SessionError) {
        if let fault = fault(of: map) { throw SessionError(.badParam, fault) }
    }

    private func fault(of map: [Int]) -> String? {
        let needed = ports.channelCount
        let received = map.map(String.init).joined(separator: ",")
        guard needed > 0 else {
            return
                "The channel map \(received) has nowhere to go: no output is connected. Connect one and set it again."
        }
        guard map.count == needed else {
            return "The channel map \(received) has \(Self.entries(map.count)), and the output needs \(needed), "
                + "one for each channel: \(ports.channelsInOrder). Give a channel of the file for each, or -1 for silence."
        }
        guard let outside = map.first(where: { !(-1..<file.channels.count).contains($0) }) else { return nil }
        return "The channel map \(received) asks for channel \(outside) of \"\(file.path.printable)\", which has "
            + "\(file.channels.count == 1 ? "channel 0 only" : "channels 0 to \(file.channels.count - 1)"). "
            + "Use these, or -1 for silence."
    }

    private static func entries(_ count: Int) -> String { count == 1 ? "1 entry" : "\(count) entries" }

    /// - Parameter levels: of each channel of the ports.
    /// - Returns: by the ports' uids.
    func byPort(_ levels: [Float]) -> [String: [Float]] {
        var (byPort, first) = ([String: [Float]](), 0)
        for port in ports {
            byPort[port.uid] = Array(levels[first..<first + port.channels.count])
            first += port.channels.count
        }
        return byPort
    }
}

extension [AudioModel.Port] {
    /// For messages: `"USB Headset" left, right; "HDMI" left, right, center`.
    fileprivate var channelsInOrder: String {
        map { port in "\"\(port.name.printable)\" " + port.channels.map { "\($0)" }.joined(separator: ", ") }
            .joined(separator: "; ")
    }
}
