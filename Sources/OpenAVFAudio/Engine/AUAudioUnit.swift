internal import EngineCore
public import Foundation

/// A node as an audio unit, as far as engine code looks at one: its channel map above all.
///
/// Made by nodes only. Any thread. Source: SDK header AUAudioUnit.h.
open class AUAudioUnit: NSObject {
    let core: NodeController

    init(core: NodeController) {
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
    /// On the input node it is as long as the app wants channels (at least one), and they are what a tap there gets; values
    /// name channels of the device. Its default is the device's channels as they are.
    ///
    /// Until one is set, this is what sounds by default. On one device that goes by the channels' places in the room; where
    /// several sound on one, it names the loudest. On several devices it is `[0, 1, -1, ...]`: two channels on the first
    /// device, or only channel 0 if that is mono, and one channel on both of a pair. The main mixer counts as two channels,
    /// though it has all of the output's, until the app connects it in a format; more than two that the app has connected
    /// are for the route as a whole, `[0, 1, 2, ...]`.
    ///
    /// A map of another length or with a channel that is not there is not taken: the one before stays
    /// (`AudioUnitSetProperty` says so). To set nil goes back to the default. When the route's channel count changes, the
    /// map is the default again; the configuration change is the moment to set it anew.
    open var channelMap: [NSNumber]? {
        get { channelMapOfInts?.map { NSNumber(value: $0) } }
        set { _ = setChannelMap(newValue?.map(\.intValue)) }
    }

    var channelMapOfInts: [Int]? {
        guard isMappable, let place = core.place else { return nil }
        if isInput { return place.control.inputMap }
        place.control.refreshDevice()
        return place.control.state.withLock { state in
            if core.kind == .output, state.device == nil { return [] }
            return state.graph.soundingMap(of: place.id)
        }
    }

    /// Why the map was not taken; nil if it was.
    func setChannelMap(_ map: [Int]?) -> GraphError? {
        guard isMappable, let place = core.place else { return .notMappable(node: "the \(core.name) node") }
        do {
            try place.control.edit { state throws(GraphError) in
                if self.isInput { return try state.setInputMap(map) }
                if self.core.kind == .output, state.device == nil, map != nil {
                    throw .nothingToMap(node: "the output")
                }
                try state.graph.setChannelMap(map, of: place.id)
                if self.core.kind == .output { state.channelMapOwner = .none }
            }
            return nil
        } catch {
            return error
        }
    }

    private var isMappable: Bool { core.kind == .output || core.source is PlayerNodeController || isInput }

    var isInput: Bool { core.source is InputNodeController }

    // MARK: What else there is to know

    /// The node's name, for people.
    public var audioUnitName: String? { core.name }
    /// Seconds that the unit itself delays: none.
    public var latency: TimeInterval { 0 }
    /// Seconds that the unit sounds on without input: none.
    public var tailTime: TimeInterval { 0 }
    /// The most frames of one cycle.
    ///
    /// Setting changes nothing: cycles are as long as the sound server's, or as manual rendering was set up for.
    open var maximumFramesToRender: AUAudioFrameCount {
        get {
            let manual = core.place.flatMap { $0.control.state.withLock { $0.manual?.maximumFrames } }
            return manual ?? AUAudioFrameCount(EngineController.maximumFrames)
        }
        set {}
    }
    /// Whether the node's engine runs.
    public var isRunning: Bool { core.place?.control.isRunning ?? false }
    public var canPerformInput: Bool { isInput }
    public var canPerformOutput: Bool { core.kind == .output }
    public var isInputEnabled: Bool { isInput }
    public var isOutputEnabled: Bool { core.kind == .output }

    /// Whether an effect passes sound as it is; false for other nodes, and setting it then does nothing.
    open var shouldBypassEffect: Bool {
        get { core.effect?.settings.isBypassed ?? false }
        set { core.effect?.change { $0.isBypassed = newValue } }
    }

    /// As the node's.
    open func reset() { core.source?.reset() }
}

/// A number of frames.
///
/// Source: SDK header AUComponent.h.
public typealias AUAudioFrameCount = UInt32
