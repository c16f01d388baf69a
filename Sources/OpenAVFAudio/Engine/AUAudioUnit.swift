internal import EngineCore
public import Foundation

/// A node as an audio unit, as far as engine code looks at one: its channel map above all.
///
/// Made by nodes only. Any thread. Source: SDK header AUAudioUnit.h.
open class AUAudioUnit: NSObject {
    let core: NodeCore

    init(core: NodeCore) {
        self.core = core
        super.init()
    }

    deinit { AudioUnitRegistry.forget(self) }

    /// Which channel of the unit's input sounds on each channel of its output.
    ///
    /// Index: output channel; value: the channel that feeds it, -1 for silence. A channel may feed several. On the output
    /// node there is one entry for each channel of `outputFormat(forBus: 0)`, all devices of the route in turn, and values
    /// name channels of what is connected to it; on a player both are the channels of its output. Nil, on mixers and source
    /// nodes: not supported.
    ///
    /// Until one is set, the output goes by the channels' places in the room and this is `[0, 1, ... -1]`. A map of another
    /// length or with a channel that is not there is not taken: the one before stays (`AudioUnitSetProperty` says so). To
    /// set nil goes back to the default. When the route's channel count changes, the map is the default again; the
    /// configuration change is the moment to set it anew.
    open var channelMap: [NSNumber]? {
        get { channelMapOfInts?.map { NSNumber(value: $0) } }
        set { _ = setChannelMap(newValue?.map(\.intValue)) }
    }

    var channelMapOfInts: [Int]? {
        guard isMappable, let place = core.place else { return nil }
        place.control.refreshDevice()
        return place.control.state.withLock { state in
            guard let node = try? state.graph.node(place.id) else { return nil }
            if core.kind == .output, state.device == nil { return [] }
            if let map = node.channelMap { return map.map { max($0, -1) } }
            let outputs = node.format.channels.count
            let inputs =
                core.kind == .output ? state.graph.inputFormat(NodeBus(node.id))?.channels.count ?? outputs : outputs
            return (0..<outputs).map { $0 < inputs ? $0 : -1 }
        }
    }

    /// Why the map was not taken; nil if it was.
    func setChannelMap(_ map: [Int]?) -> GraphError? {
        guard isMappable, let place = core.place else { return .notMappable(node: "the \(core.name) node") }
        do {
            try place.control.edit { state throws(GraphError) in
                if self.core.kind == .output, state.device == nil, let map {
                    throw .channelMapSize(node: "the output", received: map.count, allowed: 0)
                }
                try state.graph.setChannelMap(map, of: place.id)
                if self.core.kind == .output { state.steering = .none }
            }
            return nil
        } catch {
            return error
        }
    }

    private var isMappable: Bool { core.kind == .output || core.source is PlayerCore }

    // MARK: What else there is to know

    /// The node's name, for people.
    public var audioUnitName: String? { core.name }
    /// Seconds that the unit itself delays: none.
    public var latency: TimeInterval { 0 }
    /// Seconds that the unit sounds on without input: none.
    public var tailTime: TimeInterval { 0 }
    /// The most frames of one cycle.
    public var maximumFramesToRender: AUAudioFrameCount {
        let manual = core.place.flatMap { $0.control.state.withLock { $0.manual?.maximumFrames } }
        return manual ?? AUAudioFrameCount(EngineControl.maximumFrames)
    }
    /// Whether the node's engine runs.
    public var isRunning: Bool { core.place?.control.isRunning ?? false }
    public var canPerformInput: Bool { false }
    public var canPerformOutput: Bool { core.kind == .output }
    public var isInputEnabled: Bool { false }
    public var isOutputEnabled: Bool { core.kind == .output }

    /// As the node's.
    open func reset() { core.source?.reset() }
}

/// A number of frames.
///
/// Source: SDK header AUComponent.h.
public typealias AUAudioFrameCount = UInt32
