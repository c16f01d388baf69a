public import CAudioTypes
public import Foundation

/// Lists the audio units that can be made: those of this library, those that the app has registered, and plug-ins.
///
/// LV2 plug-ins are listed after `LV2Plugins.register()` of the product `OpenLV2`, if `liblilv-0-0` is installed. The first use
/// reads their descriptions and runs none of their code.
///
/// Any thread. Source: SDK header AVAudioUnitComponent.h.
open class AVAudioUnitComponentManager: NSObject, @unchecked Sendable {
    private static let only = AVAudioUnitComponentManager()

    /// A manager of the same units as `shared()`.
    public override init() { super.init() }

    /// The shared manager.
    open class func shared() -> AVAudioUnitComponentManager { only }

    /// The tags of all units.
    open var tagNames: [String] { Set(ComponentRegistry.all.flatMap(\.tags)).sorted() }

    /// The same as `tagNames`: tags are not translated.
    open var standardLocalizedTagNames: [String] { tagNames }

    /// The units that match a description, in which 0 stands for any value.
    open func components(matching desc: AudioComponentDescription) -> [AVAudioUnitComponent] {
        let isManufacturer = { (component: UnitComponent) in
            desc.componentManufacturer == 0 || component.answers(to: component.with(manufacturer: desc))
        }
        return listed { component in
            (desc.componentType == 0 || desc.componentType == component.description.componentType)
                && (desc.componentSubType == 0 || desc.componentSubType == component.description.componentSubType)
                && isManufacturer(component)
        }
    }

    /// The units for which the test returns true; setting its second argument ends the search.
    open func components(
        passingTest testHandler: (AVAudioUnitComponent, UnsafeMutablePointer<ObjCBool>) -> Bool
    ) -> [AVAudioUnitComponent] {
        var isAtEnd = ObjCBool(false)
        var found: [AVAudioUnitComponent] = []
        for component in listed({ _ in true }) {
            if testHandler(component, &isAtEnd) { found.append(component) }
            if isAtEnd.boolValue { break }
        }
        return found
    }

    /// The units for which a predicate is true.
    open func components(matching predicate: NSPredicate) -> [AVAudioUnitComponent] {
        listed { _ in true }.filter { predicate.evaluate(with: $0) }
    }

    private func listed(_ isWanted: (UnitComponent) -> Bool) -> [AVAudioUnitComponent] {
        ComponentRegistry.all.filter(isWanted).map { AVAudioUnitComponent($0) }
    }
}

extension UnitComponent {
    /// The unit's own description with the manufacturer of another one.
    fileprivate func with(manufacturer other: AudioComponentDescription) -> AudioComponentDescription {
        var changed = description
        changed.componentManufacturer = other.componentManufacturer
        return changed
    }
}

/// An audio unit that can be made.
///
/// Any thread. Source: SDK header AVAudioUnitComponent.h.
open class AVAudioUnitComponent: NSObject, @unchecked Sendable {
    private let component: UnitComponent

    init(_ component: UnitComponent) {
        self.component = component
        super.init()
    }

    /// The name to show to users.
    open var name: String { component.name }
    /// One of the names of types, such as ``AVAudioUnitTypeEffect``; the four letters of others.
    open var typeName: String {
        switch component.description.componentType {
        case kAudioUnitType_Output: AVAudioUnitTypeOutput
        case kAudioUnitType_MusicDevice: AVAudioUnitTypeMusicDevice
        case kAudioUnitType_MusicEffect: AVAudioUnitTypeMusicEffect
        case kAudioUnitType_FormatConverter: AVAudioUnitTypeFormatConverter
        case kAudioUnitType_Effect: AVAudioUnitTypeEffect
        case kAudioUnitType_Mixer: AVAudioUnitTypeMixer
        case kAudioUnitType_Generator: AVAudioUnitTypeGenerator
        default: "\(component.description.componentType)"
        }
    }
    /// The same as `typeName`: names of types are not translated.
    open var localizedTypeName: String { typeName }
    /// The manufacturer's name, to show to users; empty if it is not known.
    open var manufacturerName: String { component.manufacturerName }
    /// The version in the encoding of audio units.
    open var version: Int { Int(component.version) }
    /// The version with dots: "1.0.0".
    open var versionString: String {
        "\(component.version >> 16).\(component.version >> 8 & 0xff).\(component.version & 0xff)"
    }
    /// The description that makes the unit.
    open var audioComponentDescription: AudioComponentDescription { component.description }
    /// Tags of the unit: the category of an LV2 plug-in.
    open var allTagNames: [String] { component.tags }
    /// False: no unit runs in a sandbox.
    open var isSandboxSafe: Bool { false }
    /// Whether the unit takes MIDI: true for a registered instrument or music effect.
    open var hasMIDIInput: Bool {
        [kAudioUnitType_MusicDevice, kAudioUnitType_MusicEffect].contains(component.description.componentType)
    }
    /// False: no unit here sends MIDI.
    open var hasMIDIOutput: Bool { false }
    /// False: no unit here has a view.
    open var hasCustomView: Bool { false }
}

/// The type name of a device.
public let AVAudioUnitTypeOutput = "Output"
/// The type name of an instrument.
public let AVAudioUnitTypeMusicDevice = "Music Device"
/// The type name of an effect that MIDI controls.
public let AVAudioUnitTypeMusicEffect = "Music Effect"
/// The type name of a unit that changes the number of frames.
public let AVAudioUnitTypeFormatConverter = "Format Converter"
/// The type name of an effect.
public let AVAudioUnitTypeEffect = "Effect"
/// The type name of a mixer.
public let AVAudioUnitTypeMixer = "Mixer"
/// The type name of a generator of sound.
public let AVAudioUnitTypeGenerator = "Generator"
