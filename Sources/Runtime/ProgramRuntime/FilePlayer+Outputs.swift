package import AudioModel
package import AudioRuntime
import QueueRuntime

extension FilePlayer {
    /// Gives each channel of the output a channel of the file, or silence; ramps over 5 ms.
    ///
    /// A map comes before the session's choice of an output, and holds while the output keeps its number of channels; then
    /// the default is back, and `onChannelMapReset` told.
    ///
    /// - Parameter map: for each channel of the outputs in their order, a channel of the file from 0, or -1; nil is the
    ///   default.
    /// - Throws: `badParam` where the size is not that of the output or the file has no such channel; the map stays what
    ///   it was. `mediaServicesFailed` after the session has ended.
    package func setChannelMap(_ map: [Int]?) throws(SessionError) {
        try setChannelRouting { (outputs) throws(SessionError) in
            if let map, let fault = outputs.fault(of: map) { throw SessionError(.badParam, fault) }
            return map.map { .map($0) }
        }
    }

    /// The peak of each channel of each output since the last call, linear, by the output's uid: what this player sends
    /// there, silence included.
    ///
    /// One caller hears each peak.
    package func takeLevels() -> [String: [Float]] {
        let (ports, peaks) = takePeaks()
        var (byPort, first) = ([String: [Float]](), 0)
        for port in ports {
            byPort[port.uid] = Array(peaks[first..<first + port.channels.count])
            first += port.channels.count
        }
        return byPort
    }
}

extension FileOutputs {
    fileprivate func fault(of map: [Int]) -> String? {
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
}

extension [AudioModel.Port] {
    /// For messages: `"USB Headset" left, right; "HDMI" left, right, center`.
    fileprivate var channelsInOrder: String {
        map { port in "\"\(port.name.printable)\" " + port.channels.map { "\($0)" }.joined(separator: ", ") }
            .joined(separator: "; ")
    }
}
