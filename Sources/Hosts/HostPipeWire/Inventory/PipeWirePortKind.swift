package import AudioModel

/// The properties that decide a port's kind: the node's, its device's if the node lacks one, and the route's.
package struct PipeWirePortTraits: Hashable, Sendable {
    package var direction = PortDirection.output
    package var nodeName = ""
    package var isVirtual = false
    package var hasDevice = false
    package var api: String?
    package var bluetoothProfile: String?
    package var bus: String?
    package var formFactor: String?
    package var profileName: String?
    package var routeName: String?
    package var portType: String?

    package init() {}

    package init(node: PipeWireNode, device: PipeWireDevice?, route: PipeWireRoute?) {
        direction = node.direction
        nodeName = node.name
        isVirtual = node.isVirtual
        hasDevice = node.deviceID != nil
        api = node.api ?? device?.api
        bluetoothProfile = node.bluetoothProfile
        bus = node.bus ?? device?.bus
        formFactor = node.formFactor ?? device?.formFactor
        profileName = node.profileName
        routeName = route?.name
        portType = route?.portType
    }
}

extension PortKind {
    /// Converts PipeWire's properties into a port kind.
    ///
    /// The first rule with an answer wins, in this order:
    /// the radio (its profile says more than its shape), the network, the shape of the route or the device,
    /// the name of the profile, the bus, and finally "line".
    ///
    /// A jack's shape wins over the bus: headphones on a USB card are headphones. A speaker's shape does not: only a speaker on
    /// an internal bus is built in.
    package init(_ traits: PipeWirePortTraits) {
        self =
            Self.byRadio(traits) ?? Self.byNetwork(traits) ?? Self.byShape(traits.portType, traits)
            ?? Self.byShape(traits.formFactor, traits) ?? Self.byProfile(traits) ?? Self.byBus(traits)
            ?? (traits.isUnknownAndSoftware ? .virtual : Self.line(traits))
    }

    private static func byRadio(_ traits: PipeWirePortTraits) -> PortKind? {
        if let profile = traits.bluetoothProfile {
            if profile.hasPrefix("a2dp") { return .bluetoothA2DP }
            if profile.hasPrefix("bap") { return .bluetoothLE }
            return .bluetoothHFP
        }
        guard traits.api == "bluez5" || traits.bus == "bluetooth" else { return nil }
        return traits.direction == .output ? .bluetoothA2DP : .bluetoothHFP
    }

    private static func byNetwork(_ traits: PipeWirePortTraits) -> PortKind? {
        if traits.nodeName.hasPrefix("raop_sink.") || traits.api == "raop" { return .airPlay }
        if traits.nodeName.hasPrefix("avb.") || traits.api == "avb" { return .avb }
        return nil
    }

    /// `shape` is a route's `port.type` or a device's form factor; the result is nil if the shape decides nothing.
    private static func byShape(_ shape: String?, _ traits: PipeWirePortTraits) -> PortKind? {
        switch (shape, traits.direction) {
        case ("headphones", .output), ("headphone", .output), ("headset", .output), ("hands-free", .output):
            .headphones
        case ("headset", .input), ("hands-free", .input): .headsetMic
        case ("handset", .output), ("earpiece", .output): .builtInReceiver
        case ("hdmi", .output), ("tv", .output): .hdmi
        case ("displayport", .output): .displayPort
        case ("car", .output): .carAudio
        case ("speaker", .output), ("internal", .output): traits.isInternal ? .builtInSpeaker : nil
        case ("mic", .input), ("microphone", .input), ("webcam", .input), ("internal", .input), ("handset", .input):
            microphone(traits)
        case ("line", _), ("analog", _), ("aux", _), ("spdif", _): byBus(traits) ?? line(traits)
        default: nil
        }
    }

    private static func microphone(_ traits: PipeWirePortTraits) -> PortKind {
        if traits.routeName?.contains("headset") == true { return .headsetMic }
        return byBus(traits) ?? .builtInMic
    }

    /// Recognizes HDMI by name; ALSA also calls a DisplayPort output HDMI.
    private static func byProfile(_ traits: PipeWirePortTraits) -> PortKind? {
        guard traits.direction == .output else { return nil }
        let tells = traits.profileName?.contains("hdmi") == true || traits.nodeName.contains("hdmi")
        return tells ? .hdmi : nil
    }

    private static func byBus(_ traits: PipeWirePortTraits) -> PortKind? {
        switch traits.bus {
        case "usb": .usbAudio
        case "firewire": .fireWire
        case "thunderbolt": .thunderbolt
        default: nil
        }
    }

    private static func line(_ traits: PipeWirePortTraits) -> PortKind {
        traits.direction == .output ? .lineOut : .lineIn
    }
}

extension PipeWirePortTraits {
    fileprivate var isInternal: Bool {
        bus == "pci" || bus == "platform" || bus == "isa" || (bus == nil && formFactor == "internal")
    }

    fileprivate var isUnknownAndSoftware: Bool {
        isVirtual || (!hasDevice && bus == nil && formFactor == nil && api == nil)
    }
}
