package import AudioModel

/// Something that can be plugged into a simulated machine: one or more ports that come and go together.
package struct SimulatedDevice: Hashable, Sendable {
    /// Names the device; the same device has the same uid whenever it is plugged.
    package var uid: String
    package var name: String
    package var ports: [Port]
    /// Set for what goes into a jack of a sink or source that is there already: the uid of that sink's own output port, or
    /// of that source's own input port.
    ///
    /// The device's ports are then further routes of it. For outputs: further routes of that sink. A sink sounds at one route at a time, and a stream
    /// that is linked to any of them follows the sink, as with a sound card whose jack switches its loudspeaker off.
    /// All routes of one sink need the same channel count.
    package var jackOnPortUID: String?

    package init(uid: String, name: String, ports: [Port], jackOnPortUID: String? = nil) {
        self.uid = uid
        self.name = name
        self.ports = ports
        self.jackOnPortUID = jackOnPortUID
    }

    /// A device with one output port, whose uid is the device's.
    package static func output(
        uid: String, name: String, kind: PortKind, channels: Int = 2, sampleRate: Double? = 48000
    ) -> SimulatedDevice {
        SimulatedDevice(onlyPort: .output, uid, name, kind, channels, sampleRate)
    }

    /// A device with one input port, whose uid is the device's.
    package static func input(
        uid: String, name: String, kind: PortKind, channels: Int = 1, sampleRate: Double? = 48000
    ) -> SimulatedDevice {
        SimulatedDevice(onlyPort: .input, uid, name, kind, channels, sampleRate)
    }

    private init(
        onlyPort direction: PortDirection, _ uid: String, _ name: String, _ kind: PortKind, _ channels: Int,
        _ sampleRate: Double?
    ) {
        let labels = ChannelLabel.standard(count: channels)
        let port = Port(
            uid: uid, name: name, kind: kind, direction: direction, channels: labels, sampleRate: sampleRate)
        self.init(uid: uid, name: name, ports: [port])
    }

    /// For a Bluetooth headset with both profiles; nil for any other device.
    package func headset(in profile: Headset.Profile) -> Headset? {
        guard let music = outputs.first(where: { $0.kind == .bluetoothA2DP })?.uid,
            let output = outputs.first(where: { $0.kind == .bluetoothHFP })?.uid,
            let input = inputs.first(where: { $0.kind == .bluetoothHFP })?.uid
        else { return nil }
        return Headset(profile: profile, a2dpOutputUID: music, hfpOutputUID: output, hfpInputUID: input)
    }

    package var outputs: [Port] { ports.filter { $0.direction == .output } }
    package var inputs: [Port] { ports.filter { $0.direction == .input } }
}

/// What a machine has built in.
package struct SimulatedMachine: Hashable, Sendable {
    /// Best first: the first output and the first input are the defaults while nothing is plugged in.
    package var builtIn: [SimulatedDevice]

    package init(builtIn: [SimulatedDevice]) { self.builtIn = builtIn }

    /// Speaker, receiver and microphone.
    package static let phone = SimulatedMachine(builtIn: [.builtInSpeaker, .builtInReceiver, .builtInMic])
    /// A speaker alone.
    package static let speaker = SimulatedMachine(builtIn: [.builtInSpeaker])
}

/// What the machines of this file have; SimulatedControls has what can be plugged in.
extension SimulatedDevice {
    package static let builtInSpeaker = output(uid: "simulated.speaker", name: "Speaker", kind: .builtInSpeaker)
    package static let builtInReceiver = output(
        uid: "simulated.receiver", name: "Receiver", kind: .builtInReceiver, channels: 1)
    package static let builtInMic = input(uid: "simulated.microphone", name: "Microphone", kind: .builtInMic)
}
