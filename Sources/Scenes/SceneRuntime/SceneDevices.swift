internal import AudioModel
internal import HostSimulated
internal import SceneCore
internal import SimulatedControls

/// The devices of a scene on the simulated machine.
struct SceneDevices: Sendable {
    private var devices: [String: SimulatedDevice] = [:]
    /// The port that a name stands for where a port is needed.
    private var outputs: [String: String] = [:]
    private var inputs: [String: String] = [:]
    private var ownPorts: [String] = []

    static let builtIn: [(name: String, device: SimulatedDevice)] = [
        ("speaker", .builtInSpeaker), ("receiver", .builtInReceiver), ("microphone", .builtInMic),
        ("line-out", .lineOut), ("headphones", .wiredHeadphones), ("headset", .wiredHeadset),
        ("bluetooth-headphones", .bluetoothA2DP), ("hands-free", .bluetoothHFP),
        ("bluetooth-headset", .bluetoothHeadset), ("usb-interface", .usbAudio), ("usb-headphones", .usbHeadphones),
        ("hdmi", .hdmi), ("internal-speaker", .cardWithJack), ("jack-headphones", .headphonesInJack),
        ("front-microphone", .frontMicrophone), ("rear-microphone", .rearMicrophone),
    ]

    init(_ scene: AudioScene) {
        for (name, device) in Self.builtIn { add(device, named: name) }
        ownPorts = scene.ports.map(\.name)
        let grouped = Dictionary(grouping: scene.ports) { $0.device ?? $0.name }
        for (name, ports) in grouped {
            let socket = ports.compactMap(\.jackOf).first
            let device = SimulatedDevice(
                uid: name, name: ports.first?.label ?? name, ports: ports.map(Self.port),
                jackOnPortUID: socket.map { outputs[$0] ?? inputs[$0] ?? $0 })
            add(device, named: name)
            for port in ports {
                devices[port.name] = device
                if port.isInput { inputs[port.name] = port.name } else { outputs[port.name] = port.name }
            }
        }
    }

    private mutating func add(_ device: SimulatedDevice, named name: String) {
        devices[name] = device
        outputs[name] = device.outputUID
        inputs[name] = device.inputUID
    }

    private static func port(_ port: AudioScene.Port) -> Port {
        Port(
            uid: port.name, name: port.label ?? port.name,
            kind: PortKind(word: port.kind) ?? .lineOut,
            direction: port.isInput ? .input : .output, channels: ChannelLabel.standard(count: port.channels),
            sampleRate: port.hertz ?? 48000)
    }

    /// An objection of the machine in the words of a scene.
    static func words(_ objection: String) -> String {
        builtIn.reduce(String(objection.trimmingPrefix("script: "))) { $0.replacing($1.device.uid, with: $1.name) }
    }

    /// Nil for a name that no scene can have.
    func device(_ name: String) -> SimulatedDevice? { devices[name] }
    /// The uid of the device's output, or of its input where it has none.
    func port(_ name: String) -> String { outputs[name] ?? inputs[name] ?? name }
    func input(_ name: String) -> String { inputs[name] ?? name }

    /// What the scene calls each port, by uid; a second output or input has its own part of the uid behind the device's name.
    var names: [String: String] {
        var names: [String: String] = [:]
        for (name, device) in devices.sorted(by: { $0.key > $1.key }) {
            for port in device.ports {
                let isFirst = port.uid == device.outputUID || port.uid == device.inputUID
                names[port.uid] =
                    isFirst ? name : "\(name)/\(port.uid.split(separator: "/").last.map(String.init) ?? port.uid)"
            }
        }
        // The scene's own ports have names of their own.
        for name in ownPorts { names[name] = name }
        return names
    }
}
