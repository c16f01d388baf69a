internal import AudioRuntime
internal import CAudioTypes
internal import EffectCore
internal import EngineCore
internal import Foundation
internal import Synchronization

/// A kind of unit that can be made: a unit of this library, a plug-in, or the app's subclass.
struct UnitComponent: Sendable {
    enum Implementation: Sendable {
        /// Makes the unit, or throws the reason why it cannot be made.
        case unit(@Sendable () throws -> any ParameterizedUnit)
        /// A time effect, which is not a processor.
        case timeEffect(TimeEffectController.Kind)
        case subclass(AUAudioUnit.Type)
        /// A node of an engine, which has a class of its own.
        case node
    }

    var description: AudioComponentDescription
    /// The name without the manufacturer's, to show to users.
    var name: String
    var manufacturerName: String
    /// The version in the encoding of audio units: 16 bits for the major, 8 for the minor, 8 for the patch version.
    var version: UInt32
    /// Words that describe the unit's purpose.
    var tags: [String] = []
    var implementation: Implementation

    static let ownManufacturer = "open-avfaudio"
    /// The four letters "oavf".
    static let ownManufacturerCode: UInt32 = 0x6f61_7666
    /// 1.0.0.
    static let ownVersion: UInt32 = 0x0001_0000

    /// A unit of this library.
    init(type: UInt32, subType: UInt32, name: String, _ implementation: Implementation) {
        description = AudioComponentDescription(
            componentType: type, componentSubType: subType, componentManufacturer: Self.ownManufacturerCode,
            componentFlags: 0, componentFlagsMask: 0)
        (self.name, manufacturerName, version) = (name, Self.ownManufacturer, Self.ownVersion)
        self.implementation = implementation
    }

    init(
        _ description: AudioComponentDescription, name: String, manufacturerName: String, version: UInt32,
        tags: [String] = [], _ implementation: Implementation
    ) {
        (self.description, self.name, self.manufacturerName, self.version) =
            (description, name, manufacturerName, version)
        (self.tags, self.implementation) = (tags, implementation)
    }

    /// The unit of a node that is not an effect; no description makes one.
    init(_ node: NodeController) {
        let (type, subType): (UInt32, UInt32) =
            switch node.kind {
            case .output: (kAudioUnitType_Output, kAudioUnitSubType_RemoteIO)
            case .mixer: (kAudioUnitType_Mixer, kAudioUnitSubType_MultiChannelMixer)
            case .source where node.isInput: (kAudioUnitType_Output, kAudioUnitSubType_RemoteIO)
            case .source, .sink, .timeEffect, .processor:
                (kAudioUnitType_Generator, kAudioUnitSubType_ScheduledSoundPlayer)
            }
        self.init(type: type, subType: subType, name: node.name, .node)
    }

    /// Whether a caller's description names this unit.
    ///
    /// The units of this library also match Apple's manufacturer code and 0, because apps ask for Apple's effects with
    /// that code.
    func answers(to wanted: AudioComponentDescription) -> Bool {
        let isOwn = description.componentManufacturer == Self.ownManufacturerCode
        return wanted.componentType == description.componentType
            && wanted.componentSubType == description.componentSubType
            && (wanted.componentManufacturer == description.componentManufacturer
                || isOwn && [0, kAudioUnitManufacturer_Apple].contains(wanted.componentManufacturer))
    }
}

/// All units that can be made.
///
/// Any thread.
enum ComponentRegistry {
    private static let registered = Mutex<[UnitComponent]>([])

    static func register(
        _ cls: AUAudioUnit.Type, as description: AudioComponentDescription, name: String, version: UInt32
    ) {
        let parts = name.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        let component = UnitComponent(
            description, name: parts.last ?? name, manufacturerName: parts.count == 2 ? parts[0] : "", version: version,
            .subclass(cls))
        registered.withLock { components in
            components.removeAll { $0.answers(to: description) }
            components.append(component)
        }
    }

    /// The newest registered unit with that description, else a unit of this library, else a plug-in; nil if there is
    /// none.
    static func component(_ description: AudioComponentDescription) -> UnitComponent? {
        registered.withLock { $0.last { $0.answers(to: description) } }
            ?? builtIn.first { $0.answers(to: description) }
            ?? provided.first { $0.answers(to: description) }
    }

    /// The same, for callers who want to know why there is none.
    static func known(_ description: AudioComponentDescription) throws -> UnitComponent {
        guard let component = component(description) else { throw NSError.unknownComponent(description) }
        return component
    }

    /// The units of this library, then the registered ones, then plug-ins.
    static var all: [UnitComponent] { builtIn + registered.withLock { $0 } + provided }

    static func component(of kind: TimeEffectController.Kind) -> UnitComponent {
        UnitComponent(
            type: kAudioUnitType_FormatConverter, subType: kind.subType,
            name: kind == .timePitch ? "AUNewTimePitch" : "AUVarispeed", .timeEffect(kind))
    }

    /// The unit of an effect of this library.
    static func component(of kind: EffectKind) -> UnitComponent {
        UnitComponent(
            type: kAudioUnitType_Effect, subType: kind.subType, name: kind.componentName,
            // Apple's N-band equalizer has 16 bands by default.
            .unit { EffectUnit(kind, bands: kind == .equalizer ? 16 : 0) })
    }

    /// The units of this library.
    private static let builtIn =
        EffectKind.allCases.map(component) + [
            component(of: .timePitch), component(of: .varispeed),
            UnitComponent(
                type: kAudioUnitType_FormatConverter, subType: kAudioUnitSubType_TimePitch,
                name: "AUTimePitch", .timeEffect(.timePitch)),
            // Apple has it as an effect; here it is a node of its own.
            UnitComponent(
                type: kAudioUnitType_Effect, subType: kAudioUnitSubType_NewTimePitch, name: "AUNewPitch",
                .timeEffect(.timePitch)),
            UnitComponent(
                type: kAudioUnitType_Mixer, subType: kAudioUnitSubType_MatrixMixer, name: "AUMatrixMixer",
                .unit { MatrixMixerUnit() }),
        ]

    /// Plug-ins: the units of the providers that are registered now.
    private static var provided: [UnitComponent] { UnitProviders.all.flatMap(components) }

    /// The components of a provider.
    ///
    /// The subtype is a hash of the URI. It is the same on each machine, unless two plug-ins have the same hash.
    private static func components(of provider: any UnitProvider) -> [UnitComponent] {
        var taken: Set<UInt32> = []
        return provider.units.map { unit in
            var subType = unit.uri.utf8.reduce(0x811c_9dc5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
            while !taken.insert(subType).inserted { subType &+= 1 }
            return UnitComponent(
                AudioComponentDescription(
                    componentType: kAudioUnitType_Effect, componentSubType: subType,
                    componentManufacturer: provider.code, componentFlags: 0, componentFlagsMask: 0),
                name: unit.name, manufacturerName: unit.maker, version: UnitComponent.ownVersion,
                tags: unit.category.isEmpty ? [] : [unit.category], .unit(unit.make))
        }
    }
}

extension NSError {
    /// -3000, invalid component.
    static func unknownComponent(_ description: AudioComponentDescription) -> NSError {
        let plugins = "LV2 plug-ins are units of a program that calls LV2Plugins.register() of the product OpenLV2."
        return NSError(
            domain: NSOSStatusErrorDomain, code: -3000,
            userInfo: [
                NSLocalizedDescriptionKey:
                    "There is no audio unit for \(description). Use one that "
                    + "AVAudioUnitComponentManager.shared().components(matching:) lists, or register a subclass of AUAudioUnit."
                    + (UnitProviders.all.isEmpty ? " \(plugins)" : "")
            ])
    }
}
