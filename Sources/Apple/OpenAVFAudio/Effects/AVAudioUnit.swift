import AudioModel
internal import AudioRuntime
public import CAudioTypes
internal import EngineCore
internal import Foundation

/// A node that processes sound: an effect of this library, a plug-in, or an audio unit of the app's.
///
/// It may be anywhere in the graph: behind players, mixers, the input and other effects. An ``AVAudioUnitEffect`` runs in the
/// render cycle; an ``AVAudioUnitTimeEffect`` changes the number of frames. What feeds a time pitch or a varispeed,
/// directly or through others, may feed nothing else: `start` throws. While the engine plays, `connectNode` throws, and
/// `connect` ends the program. The output of an effect may be connected to several nodes.
///
/// A time pitch and a varispeed get their sound ahead of the render thread:
/// - A changed setting is heard after about 0.1 s, 0.17 s at most, with cycles of 43 ms and less. Longer cycles are fed
///   one cycle ahead.
/// - Inserting or removing an effect while something is scheduled restarts the scheduled sound; use `bypass` instead.
/// - A tap in the chain, also one on the source, gets the output of the last effect.
/// - `reset` leaves out the sound that the effect has taken and not played; `stop` of the player discards it too. Behind a
///   mixer, what is buffered is played.
/// - Volume and pan of the source apply at the mixer input after the chain.
///
/// Source: SDK header AVAudioUnit.h.
open class AVAudioUnit: AVAudioNode {
    let component: UnitComponent
    /// The app's unit, where it is one.
    private let hosted: AUAudioUnit?

    /// A unit without a component, which passes the sound on: what an app has until it instantiates another one.
    public init() {
        component = UnitComponent(AudioComponentDescription(), name: "", manufacturerName: "", version: 0, .node)
        hosted = nil
        super.init(core: NodeController(.effect(EffectUnit(.equalizer, bands: 0)), name: "unit"))
    }

    /// A time effect.
    init(_ component: UnitComponent, core: NodeController) {
        (self.component, hosted) = (component, nil)
        super.init(core: core)
    }

    /// An effect of this library or a plug-in.
    init(_ component: UnitComponent, unit: any ParameterizedUnit) {
        (self.component, hosted) = (component, nil)
        super.init(core: NodeController(.effect(unit), name: component.name))
    }

    /// What the component makes in the render cycle.
    ///
    /// - Throws: what its unit throws; -3000 for a time effect, which has a class of its own.
    init(_ component: UnitComponent) throws {
        let (hosted, core) = try component.make()
        (self.component, self.hosted) = (component, hosted)
        super.init(core: core)
    }

    /// What the description makes in the render cycle, for initialisers that do not throw.
    ///
    /// Ends the program where nothing has the description, or its unit throws.
    init(making description: AudioComponentDescription) {
        do {
            component = try ComponentRegistry.known(description)
            let core: NodeController
            (hosted, core) = try component.make()
            super.init(core: core)
        } catch {
            programmerError("The audio unit cannot be made: \(error.localizedDescription)")
        }
    }

    override func makeAudioUnit() -> AUAudioUnit {
        hosted ?? AUAudioUnit(core: core, component, unit: core.role.effect)
    }

    /// Forgets all sound: tails, delays; of a time effect, the sound belongs to its source.
    open override func reset() { if let hosted { hosted.reset() } else { super.reset() } }

    /// The kind of the unit, with Apple's codes; the manufacturer of units of this library is "oavf".
    open var audioComponentDescription: AudioComponentDescription { component.description }

    /// The node's unit for the C functions: its parameters.
    ///
    /// Valid while the node exists.
    open var audioUnit: AudioUnit { AudioUnitRegistry.handle(of: auAudioUnit) }

    /// Of the component; units of this library have Apple's names, as "AUDelay".
    open var name: String { component.name }
    /// `open-avfaudio` for units of this library.
    open var manufacturerName: String { component.manufacturerName }
    /// In the encoding of audio units; 1.0 for units of this library.
    open var version: Int { Int(component.version) }
}

extension UnitComponent {
    /// The app's unit where it is one, and what renders in the cycle.
    ///
    /// - Throws: what its unit throws; -3000 for a time effect, which has a class of its own.
    fileprivate func make() throws -> (hosted: AUAudioUnit?, core: NodeController) {
        switch implementation {
        case .timeEffect, .node: throw NSError.unknownComponent(description)
        case .unit(let make): return (nil, NodeController(.effect(try make()), name: name))
        case .subclass(let unitClass):
            let hosted = try unitClass.init(_registered: description)
            let core = NodeController(.hosted(HostedUnit(hosted)), name: name)
            hosted.setCarrier(core)
            return (hosted, core)
        }
    }
}

extension AVAudioUnit {
    /// Creates the unit of this description; does not wait.
    ///
    /// - Parameters:
    ///   - audioComponentDescription: of a unit of this library, a plug-in or a registered subclass of `AUAudioUnit`.
    ///   - options: without effect.
    ///   - completionHandler: called once, on its own thread: with the unit, or with an `NSError` of
    ///     `NSOSStatusErrorDomain` with the code -3000 (invalid component), or with what the subclass throws.
    @preconcurrency
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
        let component = try ComponentRegistry.known(description)
        switch component.implementation {
        case .timeEffect(.timePitch): return AVAudioUnitTimePitch()
        case .timeEffect(.varispeed): return AVAudioUnitVarispeed()
        case .unit, .subclass, .node: break
        }
        switch description.componentType {
        case kAudioUnitType_MusicDevice: return try AVAudioUnitMIDIInstrument(component)
        case kAudioUnitType_Generator: return try AVAudioUnitGenerator(component)
        case kAudioUnitType_Mixer: return try AVAudioUnit(component)
        default: return try AVAudioUnitEffect(component)
        }
    }
}

/// How a unit is loaded; without effect, because every unit runs in the app's process.
///
/// Source: SDK header AudioComponent.h.
public struct AudioComponentInstantiationOptions: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Without effect: every unit runs in the app's process.
    public static let loadOutOfProcess = AudioComponentInstantiationOptions(rawValue: 1)
    /// Without effect: every unit runs in the app's process.
    public static let loadInProcess = AudioComponentInstantiationOptions(rawValue: 2)
}
