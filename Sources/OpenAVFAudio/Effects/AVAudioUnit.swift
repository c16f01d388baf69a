internal import AudioRuntime
public import CAudioTypes
internal import EngineCore
internal import Foundation

/// A node that changes sound.
///
/// It takes the sound of one player or source node, in front of the first mixer, through other effects or by itself:
/// player → time pitch → varispeed → mixer. Its work is done where that source is fed, ahead of the render thread. The
/// source may feed nothing beside it; what leaves the last effect may go to several nodes. To connect a mixer or the input
/// to it is an error that `connectNode` throws, and that ends the program in the other forms.
///
/// - A change of a setting while it plays is heard about 0.1 s later; 0.17 s at most, with cycles of 43 ms and less;
///   longer cycles are fed a cycle ahead.
/// - To put an effect into a chain, or take it out, while something is scheduled begins that anew; set `bypass` instead.
/// - A tap in the chain hears what leaves its last effect, also one on the source.
/// - What an effect holds is its source's: `reset` here does nothing, and `stop` of the player drops it.
/// - Volume and pan of the source hold where the mixer takes the chain's end.
///
/// Source: SDK header AVAudioUnit.h.
open class AVAudioUnit: AVAudioNode {
    private let subType: UInt32

    init(_ effect: EffectController, name: String, subType: UInt32) {
        self.subType = subType
        super.init(core: NodeController(.effect, name: name, effect: effect))
    }

    /// What kind of unit it is, with Apple's names for the kinds; the manufacturer is "oavf".
    public var audioComponentDescription: AudioComponentDescription {
        AudioComponentDescription(
            componentType: kAudioUnitType_FormatConverter, componentSubType: subType,
            componentManufacturer: Self.manufacturer, componentFlags: 0, componentFlagsMask: 0)
    }

    /// The four letters "oavf".
    private static let manufacturer: UInt32 = 0x6f61_7666

    /// The node's unit for the C functions, which find no property on it; valid while the node is.
    public var audioUnit: AudioUnit { AudioUnitRegistry.handle(of: auAudioUnit) }

    /// For people.
    public var name: String { core.name }
    public var manufacturerName: String { "open-avfaudio" }
    /// 1.0, as units write it.
    public var version: Int { 0x0001_0000 }
}
