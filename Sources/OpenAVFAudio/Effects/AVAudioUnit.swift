internal import AudioRuntime
public import CAudioTypes
internal import EngineCore
internal import Foundation

/// A node that processes sound.
///
/// Its input is one player or source node, directly or through other effects, before the first mixer: player → time
/// pitch → varispeed → mixer. It runs where that source is fed, ahead of the render thread. The source may be connected
/// only to the effect; the output of the last effect may be connected to several nodes. Connecting a mixer or the input
/// to an effect is an error: `connectNode` throws, and the other functions end the program.
///
/// - A changed setting is heard after about 0.1 s, 0.17 s at most, with cycles of 43 ms and less. Longer cycles are fed
///   one cycle ahead.
/// - Inserting or removing an effect while something is scheduled restarts the scheduled sound; use `bypass` instead.
/// - A tap in the chain, also one on the source, gets the output of the last effect.
/// - Buffered sound belongs to the source: `reset` of the effect does nothing, and `stop` of the player discards it.
/// - Volume and pan of the source apply at the mixer input after the chain.
///
/// Source: SDK header AVAudioUnit.h.
open class AVAudioUnit: AVAudioNode {
    private let subType: UInt32

    init(_ effect: EffectController, name: String, subType: UInt32) {
        self.subType = subType
        super.init(core: NodeController(.effect, name: name, effect: effect))
    }

    /// The kind of the unit, with Apple's codes; the manufacturer is "oavf".
    public var audioComponentDescription: AudioComponentDescription {
        AudioComponentDescription(
            componentType: kAudioUnitType_FormatConverter, componentSubType: subType,
            componentManufacturer: Self.manufacturer, componentFlags: 0, componentFlagsMask: 0)
    }

    /// The four letters "oavf".
    private static let manufacturer: UInt32 = 0x6f61_7666

    /// The node's unit for the C functions; it has no properties.
    ///
    /// Valid while the node exists.
    public var audioUnit: AudioUnit { AudioUnitRegistry.handle(of: auAudioUnit) }

    /// For people.
    public var name: String { core.name }
    /// Always `open-avfaudio`.
    public var manufacturerName: String { "open-avfaudio" }
    /// 1.0, in the encoding of audio units.
    public var version: Int { 0x0001_0000 }
}
