import AudioRuntime
import EngineCore
import SessionCore
import Synchronization

extension AVAudioEngine {
    /// The output's channel map points at the session's choice of an output from now on, until the app sets a map.
    package func followOutputChoice() {
        _ = outputNode
        control.followChoice()
    }
}

extension EngineController {
    /// Whether the session or the app makes the output's channel map.
    enum ChannelMapOwner: Sendable {
        /// The map is the app's, or the default.
        case none
        /// The map points at the session's choice of an output; nil outside `multiRoute`, where the default does.
        case byChoice(ChannelTarget?)
    }

    /// From now on, until the app sets a map.
    ///
    /// App threads.
    func followChoice() {
        state.withLock { if case .none = $0.channelMapOwner { $0.channelMapOwner = .byChoice(nil) } }
        refreshDevice()
    }

    /// The route or the choice may be another now.
    ///
    /// Session thread.
    func noteChoice() {
        let runtime = runtime
        state.withLock { if $0.aim(by: runtime) { $0.publish() } }
    }
}

extension EngineController.State {
    /// Takes the aim from the session as it is at this moment, so that no thread brings back an older one.
    ///
    /// - Returns: whether the map has changed.
    mutating func aim(by runtime: SessionRuntime) -> Bool {
        guard case .byChoice = channelMapOwner else { return false }
        channelMapOwner = .byChoice(runtime.state.channelTarget)
        return aim()
    }

    /// Points the map at the session's choice.
    ///
    /// Only where the output has the route's channels already; else the next refresh of the device brings both. What is
    /// rendered by hand is for no device, and has the default map.
    ///
    /// - Returns: whether the map has changed.
    @discardableResult
    mutating func aim() -> Bool {
        guard case .byChoice(let choice) = channelMapOwner, let output, let node = try? graph.node(output)
        else { return false }
        let aim = manual == nil ? choice : nil
        if let aim, aim.channelCount != node.format.channels.count { return false }
        let sourceChannels = graph.inputFormat(NodeBus(output))?.channels.count ?? node.format.channels.count
        let map = aim?.channelMap(sourceChannels: sourceChannels)
        guard map != node.channelMap else { return false }
        // Of the output's size, with values that the source has: it can not fail.
        try? graph.setChannelMap(map, of: output)
        return true
    }
}
