internal import AudioRuntime
public import CAudioTypes
internal import EngineCore
internal import Foundation

/// A node that processes sound.
///
/// It may be anywhere in the graph: behind players, mixers, the input and other effects. What feeds a time pitch or a varispeed,
/// directly or through others, may feed nothing else: `connectNode` throws, and the other functions end the program. The
/// output of an effect may be connected to several nodes.
///
/// A time pitch and a varispeed get their sound ahead of the render thread:
/// - A changed setting is heard after about 0.1 s, 0.17 s at most, with cycles of 43 ms and less. Longer cycles are fed
///   one cycle ahead.
/// - Inserting or removing an effect while something is scheduled restarts the scheduled sound; use `bypass` instead.
/// - A tap in the chain, also one on the source, gets the output of the last effect.
/// - Buffered sound belongs to the source: `reset` of the effect does nothing, and `stop` of the player discards it. Behind
///   a mixer, what is buffered is played.
/// - Volume and pan of the source apply at the mixer input after the chain.
///
/// Source: SDK header AVAudioUnit.h.
open class AVAudioUnit: AVAudioNode {
    let effect: EffectController

    init(_ kind: EffectController.Kind) {
        effect = EffectController(kind)
        super.init(core: NodeController(.effect, name: kind.name, effect: effect))
    }

    /// The kind of the unit, with Apple's codes; the manufacturer is "oavf".
    public var audioComponentDescription: AudioComponentDescription {
        AudioComponentDescription(
            componentType: kAudioUnitType_FormatConverter, componentSubType: effect.kind.subType,
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

extension AVAudioUnit {
    /// Creates the unit of this description; does not wait.
    ///
    /// Only the units of this library exist: the time pitch and the varispeed.
    ///
    /// - Parameters:
    ///   - audioComponentDescription: of a time pitch or a varispeed.
    ///   - options: without effect.
    ///   - completionHandler: called once, on its own thread: with the unit, or with an `NSError` of
    ///     `NSOSStatusErrorDomain` with the code -3000 (invalid component).
    public class func instantiate(
        with audioComponentDescription: AudioComponentDescription, options: AudioComponentInstantiationOptions = [],
        completionHandler: @escaping @Sendable (AVAudioUnit?, (any Error)?) -> Void
    ) {
        Thread.detachNewThread {
            do { completionHandler(try make(audioComponentDescription), nil) } catch { completionHandler(nil, error) }
        }
    }

    /// Creates the unit of this description.
    ///
    /// - Throws: as `instantiate(with:options:completionHandler:)`.
    public class func instantiate(
        with audioComponentDescription: AudioComponentDescription, options: AudioComponentInstantiationOptions = []
    ) async throws -> sending AVAudioUnit {
        try make(audioComponentDescription)
    }

    private static func make(_ description: AudioComponentDescription) throws -> sending AVAudioUnit {
        switch EffectController.Kind(description) {
        case .timePitch: return AVAudioUnitTimePitch()
        case .varispeed: return AVAudioUnitVarispeed()
        case nil:
            throw NSError(
                domain: NSOSStatusErrorDomain, code: -3000,
                userInfo: [
                    NSLocalizedDescriptionKey:
                        "There is no audio unit for \(description). Use AVAudioUnitTimePitch or AVAudioUnitVarispeed."
                ])
        }
    }
}

/// How a unit is loaded; without effect, because every unit is part of this library.
///
/// Source: SDK header AudioComponent.h.
public struct AudioComponentInstantiationOptions: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Without effect: every unit is part of this library and runs in the app's process.
    public static let loadOutOfProcess = AudioComponentInstantiationOptions(rawValue: 1)
    /// Without effect: every unit is part of this library and runs in the app's process.
    public static let loadInProcess = AudioComponentInstantiationOptions(rawValue: 2)
}

// What an AudioComponentDescription names a unit by. Source: SDK header AUComponent.h.

/// "aufc": a unit whose input and output may have different numbers of frames.
public let kAudioUnitType_FormatConverter: UInt32 = 0x6175_6663
/// "nutp": speed and pitch, separately.
public let kAudioUnitSubType_NewTimePitch: UInt32 = 0x6e75_7470
/// "tmpt": like ``kAudioUnitSubType_NewTimePitch``.
public let kAudioUnitSubType_TimePitch: UInt32 = 0x746d_7074
/// "vari": speed and pitch together.
public let kAudioUnitSubType_Varispeed: UInt32 = 0x7661_7269
