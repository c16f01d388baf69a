internal import AudioRuntime
internal import EngineCore
public import Foundation

/// A node as an audio unit, for engine code: mainly its channel map.
///
/// Created by nodes only. Any thread. Source: SDK header AUAudioUnit.h.
open class AUAudioUnit: NSObject {
    let core: NodeController

    init(core: NodeController) {
        self.core = core
        super.init()
    }

    deinit { AudioUnitRegistry.forget(self) }

    /// The input channel of the unit that feeds each output channel.
    ///
    /// Index: output channel; value: the channel that feeds it, -1 for silence. A channel may feed several output
    /// channels. On the output node there is one entry for each channel of `outputFormat(forBus: 0)`, for all devices
    /// of the route in order, and the values are channels of the connected node. On a player both are the channels of
    /// its output. Nil on mixers and source nodes, which do not support it.
    ///
    /// On the input node the app chooses the number of entries (at least one). It is the number of channels that a tap
    /// gets; the values are channels of the device. The default is the unchanged channels of the device.
    ///
    /// Before the app sets a map, this is the default map. On one device the positions of the channels in the room
    /// determine it; if several channels feed one output channel, it names the loudest. On several devices it is
    /// `[0, 1, -1, ...]`: two channels on the first device, or only channel 0 if that device is mono; a single channel
    /// feeds both channels of a pair. The main mixer counts as two channels, although it has all channels of the
    /// output, until the app connects it with a format. If the app has connected more than two channels, they address
    /// the whole route, `[0, 1, 2, ...]`.
    ///
    /// A map of another length, or with a channel that does not exist, is ignored; the old map stays
    /// (`AudioUnitSetProperty` returns an error). Nil restores the default. When the channel count of the route
    /// changes, the map becomes the default again; set it again after the configuration change.
    open var channelMap: [NSNumber]? {
        get { core.channelMap?.map { NSNumber(value: $0) } }
        set { try? core.setChannelMap(newValue?.map(\.intValue)) }
    }

    // MARK: What else there is to know

    /// The node's name, for people.
    public var audioUnitName: String? { core.name }
    /// The delay of the unit in seconds: 0.
    public var latency: TimeInterval { 0 }
    /// The seconds of sound after the end of the input: 0.
    public var tailTime: TimeInterval { 0 }
    /// The most frames of one cycle.
    ///
    /// Setting it has no effect: the sound server, or the configuration of manual rendering, determines the cycle.
    open var maximumFramesToRender: AUAudioFrameCount {
        get {
            AUAudioFrameCount(core.place?.control.manual?.maximumFrames ?? EngineController.maximumFrames)
        }
        set {}
    }
    /// Whether the engine of the node runs.
    public var isRunning: Bool { core.place?.control.isRunning ?? false }
    /// Whether the unit belongs to the engine's input node.
    public var canPerformInput: Bool { core.isInput }
    /// Whether the unit belongs to the engine's output node.
    public var canPerformOutput: Bool { core.kind == .output }
    /// The same as `canPerformInput`: the unit of an input node always captures.
    public var isInputEnabled: Bool { core.isInput }
    /// The same as `canPerformOutput`: the unit of an output node always plays.
    public var isOutputEnabled: Bool { core.kind == .output }

    /// Whether an effect passes the sound unchanged; false for other nodes, where setting it has no effect.
    open var shouldBypassEffect: Bool {
        get { core.effect?.settings.isBypassed ?? false }
        set { core.effect?.change { $0.isBypassed = newValue } }
    }

    /// The same as `reset` of the node.
    open func reset() { core.source?.reset() }
}

/// A number of frames.
///
/// Source: SDK header AUComponent.h.
public typealias AUAudioFrameCount = UInt32
