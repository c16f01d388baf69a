import AudioModel
import EngineCore
import SessionCore

/// Which channel of the file each channel of the output plays, and how loud it is there.
extension FilePlayerController {
    struct Outputs {
        /// What the stream was linked to last.
        var ports: [AudioModel.Port] = []
        /// Set by hand, before all else.
        var wish: ChannelRouting?
        /// Under `multiRoute` the output that was chosen; nil is the default.
        var aim: ChannelTarget?

        /// What is not left to the default.
        func mapInForce(sourceChannels: Int) -> [Int]? {
            if let wish { return wish.channelMap(on: ports) }
            // While the link is on its way, an aim may be of a route that the stream does not have yet.
            guard let aim, aim.channelCount == ports.channelCount else { return nil }
            return aim.channelMap(sourceChannels: sourceChannels)
        }
    }

    // MARK: Session thread

    func willLink(to ports: [AudioModel.Port]) {
        let reset = shared.withLock { shared -> ChannelMapReset? in
            shared.outputs.ports = ports
            let count = ports.channelCount
            guard case .map(let map) = shared.outputs.wish, map.count != count else { return nil }
            shared.outputs.wish = nil
            return ChannelMapReset(map: map, outputChannels: count)
        }
        updateChannelTarget()
        spread()
        if let reset { runtime.notices.enqueue { [onChannelMapReset] in onChannelMapReset(reset) } }
    }

    func eventApplied(isInventory: Bool) {
        if updateChannelTarget() { spread() }
    }

    /// The session's choice of an output moves the stream itself, except under `multiRoute`.
    ///
    /// - Returns: whether it is another now.
    @discardableResult
    private func updateChannelTarget() -> Bool {
        guard followsChoice else { return false }
        let state = runtime.state
        let aim = state.chosenOutput == nil ? nil : state.channelTarget
        return shared.withLock { shared in
            defer { shared.outputs.aim = aim }
            return shared.outputs.aim != aim
        }
    }

    /// - Parameter map: nil is the default.
    /// - Throws: `badParam` where it does not fit the file and what the stream is linked to; the map stays what it was.
    func setChannelMap(_ map: [Int]?) throws(SessionError) {
        if let map, let fault = fault(of: map, on: shared.withLock { $0.outputs.ports }) {
            throw SessionError(.badParam, fault)
        }
        setChannelRouting(map.map { .map($0) })
    }

    /// - Parameter wish: nil is the default; a map fits what the stream is linked to.
    func setChannelRouting(_ wish: ChannelRouting?) {
        shared.withLock { $0.outputs.wish = wish }
        spread()
    }

    private func spread() {
        let (ports, map) = shared.withLock {
            ($0.outputs.ports, $0.outputs.mapInForce(sourceChannels: info.channels.count))
        }
        playback.setOutputs(ports, map: map)
    }

    private func fault(of map: [Int], on ports: [AudioModel.Port]) -> String? {
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
        guard let outside = map.first(where: { !(-1..<info.channels.count).contains($0) }) else { return nil }
        return "The channel map \(received) asks for channel \(outside) of \"\(info.path.printable)\", which has "
            + "\(info.channels.count == 1 ? "channel 0 only" : "channels 0 to \(info.channels.count - 1)"). "
            + "Use these, or -1 for silence."
    }

    private static func entries(_ count: Int) -> String { count == 1 ? "1 entry" : "\(count) entries" }

    // MARK: Any thread

    /// The peak of each channel of each output since the last call, linear, by the output's uid.
    func takeLevels() -> [String: [Float]] {
        let ports = shared.withLock { $0.outputs.ports }
        let levels = playback.takeLevels(outputChannels: ports.channelCount)
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
