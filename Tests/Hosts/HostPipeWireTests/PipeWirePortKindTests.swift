import AudioModel
import Testing

@testable import HostPipeWire

@Suite struct PipeWirePortKindTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let what: String
        let kind: PortKind
        let traits: PipeWirePortTraits
        var testDescription: String { what }

        init(
            _ what: String, _ kind: PortKind, _ direction: PortDirection = .output, name: String = "alsa.x",
            device: Bool = true, virtual: Bool = false, api: String? = nil, bluez: String? = nil, bus: String? = nil,
            form: String? = nil, profile: String? = nil, route: String? = nil, type: String? = nil
        ) {
            self.what = what
            self.kind = kind
            var traits = PipeWirePortTraits()
            traits.direction = direction
            traits.nodeName = name
            traits.isVirtual = virtual
            traits.hasDevice = device
            traits.api = api
            traits.bluetoothProfile = bluez
            traits.bus = bus
            traits.formFactor = form
            traits.profileName = profile
            traits.routeName = route
            traits.portType = type
            self.traits = traits
        }
    }

    static let rows: [Row] = [
        // The radio's profile says more than the shape.
        Row("A2DP headset", .bluetoothA2DP, api: "bluez5", bluez: "a2dp-sink", bus: "bluetooth", form: "headset"),
        Row("A2DP without an api", .bluetoothA2DP, device: false, bluez: "a2dp-sink"),
        Row("HFP headset", .bluetoothHFP, bluez: "headset-head-unit", form: "headset"),
        Row("HFP with mSBC", .bluetoothHFP, .input, bluez: "headset-head-unit-msbc"),
        Row("gateway", .bluetoothHFP, .input, bluez: "headset-audio-gateway"),
        Row("LE audio", .bluetoothLE, bluez: "bap-sink"),
        Row("Bluetooth of unknown profile", .bluetoothA2DP, bus: "bluetooth"),
        Row("Bluetooth source of unknown profile", .bluetoothHFP, .input, api: "bluez5"),
        Row("AirPlay", .airPlay, name: "raop_sink.kitchen.local", device: false),
        Row("AVB", .avb, name: "avb.sink", device: false),
        // Routes of cards.
        Row("headphone jack", .headphones, bus: "pci", form: "internal", type: "headphones"),
        Row("headset jack", .headphones, bus: "pci", type: "headset"),
        Row("headphones of a USB card", .headphones, bus: "usb", type: "headphones"),
        Row("laptop speaker", .builtInSpeaker, bus: "pci", form: "internal", type: "speaker"),
        Row("speaker of a board", .builtInSpeaker, bus: "platform", type: "speaker"),
        Row("speaker of a USB card", .usbAudio, bus: "usb", type: "speaker"),
        Row("earpiece", .builtInReceiver, bus: "platform", type: "earpiece"),
        Row("handset", .builtInReceiver, type: "handset"),
        Row("HDMI", .hdmi, bus: "pci", type: "hdmi"),
        Row("car", .carAudio, type: "car"),
        Row("line out", .lineOut, bus: "pci", type: "line"),
        Row("line out of a USB card", .usbAudio, bus: "usb", type: "line"),
        Row("optical", .lineOut, bus: "pci", type: "spdif"),
        Row("built-in microphone", .builtInMic, .input, bus: "pci", route: "analog-input-internal-mic", type: "mic"),
        Row("headset microphone", .headsetMic, .input, bus: "pci", route: "analog-input-headset-mic", type: "mic"),
        Row("headset jack in", .headsetMic, .input, bus: "pci", type: "headset"),
        Row("USB microphone", .usbAudio, .input, bus: "usb", route: "analog-input-mic", type: "mic"),
        Row("line in", .lineIn, .input, bus: "pci", type: "line"),
        // Nodes without routes.
        Row("USB headphones", .headphones, device: false, bus: "usb", form: "headphone"),
        Row("USB headset", .headphones, bus: "usb", form: "headset"),
        Row("USB headset's microphone", .headsetMic, .input, bus: "usb", form: "headset"),
        Row("USB interface", .usbAudio, bus: "usb"),
        Row("USB webcam", .usbAudio, .input, bus: "usb", form: "webcam"),
        Row("webcam", .builtInMic, .input, form: "webcam"),
        Row("speaker sink of a rig", .builtInSpeaker, device: false, bus: "pci", form: "speaker"),
        Row("speaker without a bus", .lineOut, device: false, form: "speaker"),
        Row("internal card", .builtInSpeaker, form: "internal"),
        Row("television", .hdmi, form: "tv"),
        Row("HDMI by its profile", .hdmi, bus: "pci", profile: "hdmi-stereo-extra1"),
        Row("FireWire interface", .fireWire, bus: "firewire"),
        Row("Thunderbolt interface", .thunderbolt, bus: "thunderbolt"),
        // What no rule knows.
        Row("unknown card", .lineOut, bus: "pci"),
        Row("unknown shape", .lineOut, bus: "pci", form: "hifi", type: "unknown"),
        Row("unknown source", .lineIn, .input, bus: "pci"),
        Row("null sink", .virtual, name: "null", device: false),
        Row("loopback", .virtual, name: "fx", device: false, virtual: true),
        Row("unknown source without a device", .virtual, .input, name: "null", device: false),
    ]

    @Test(arguments: rows) func kind_ofTraits_isTheTablesAnswer(_ row: Row) {
        #expect(PortKind(row.traits) == row.kind)
    }

    @Test func table_hasRowsForEveryKindItCanAnswer() {
        // Not in PipeWire's words: DisplayPort is HDMI to ALSA, and PCI cards without more are lines.
        let unreachable: Set<PortKind> = [.displayPort, .pci]
        #expect(Set(Self.rows.map(\.kind)) == Set(PortKind.allCases).subtracting(unreachable))
    }

    @Test func node_withoutOwnWords_takesItsDevices() {
        var device = PipeWireDevice(id: 1, name: "card")
        device.bus = "pci"
        device.formFactor = "internal"
        var node = PipeWireNode(id: 2, direction: .output, name: "sink")
        node.deviceID = 1
        var route = PipeWireRoute(index: 0, direction: .output, name: "analog-output-speaker", cardDevices: [0])
        route.portType = "speaker"
        #expect(PortKind(PipeWirePortTraits(node: node, device: device, route: route)) == .builtInSpeaker)
    }
}
