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
        let port = Port(
            uid: uid, name: name, kind: kind, direction: .output, channels: ChannelLabel.standard(count: channels),
            sampleRate: sampleRate)
        return SimulatedDevice(uid: uid, name: name, ports: [port])
    }

    /// A device with one input port, whose uid is the device's.
    package static func input(
        uid: String, name: String, kind: PortKind, channels: Int = 1, sampleRate: Double? = 48000
    ) -> SimulatedDevice {
        let port = Port(
            uid: uid, name: name, kind: kind, direction: .input, channels: ChannelLabel.standard(count: channels),
            sampleRate: sampleRate)
        return SimulatedDevice(uid: uid, name: name, ports: [port])
    }

    /// A device with one output and one input port, whose uids are the device's with "/output" and "/input" behind it.
    package static func duplex(
        uid: String, name: String, output: PortKind, input: PortKind, outputChannels: Int = 2, inputChannels: Int = 1,
        sampleRate: Double? = 48000
    ) -> SimulatedDevice {
        SimulatedDevice(
            uid: uid, name: name,
            ports: [
                Port(
                    uid: uid + "/output", name: name, kind: output, direction: .output,
                    channels: ChannelLabel.standard(count: outputChannels), sampleRate: sampleRate),
                Port(
                    uid: uid + "/input", name: name + " Microphone", kind: input, direction: .input,
                    channels: ChannelLabel.standard(count: inputChannels), sampleRate: sampleRate),
            ])
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

    /// The uid of the first output port; nil for a microphone.
    package var outputUID: String? { outputs.first?.uid }
    /// The uid of the first input port; nil for a loudspeaker.
    package var inputUID: String? { inputs.first?.uid }
}

/// What a machine has built in.
package struct SimulatedMachine: Hashable, Sendable {
    /// Best first: the first output and the first input are the defaults while nothing is plugged in.
    package var builtIn: [SimulatedDevice]

    package init(builtIn: [SimulatedDevice]) { self.builtIn = builtIn }

    /// Speaker, receiver and microphone.
    package static let phone = SimulatedMachine(builtIn: [.builtInSpeaker, .builtInReceiver, .builtInMic])
    /// Line out and microphone.
    package static let desktop = SimulatedMachine(builtIn: [.lineOut, .builtInMic])
    /// A card with loudspeaker and jack in one sink, and a microphone.
    package static let laptop = SimulatedMachine(builtIn: [.cardWithJack, .builtInMic])
    /// A speaker alone.
    package static let speaker = SimulatedMachine(builtIn: [.builtInSpeaker])
    /// Nothing at all, as in a container.
    package static let bare = SimulatedMachine(builtIn: [])
}

extension SimulatedDevice {
    package static let builtInSpeaker = output(uid: "simulated.speaker", name: "Speaker", kind: .builtInSpeaker)
    package static let builtInReceiver = output(
        uid: "simulated.receiver", name: "Receiver", kind: .builtInReceiver, channels: 1)
    package static let builtInMic = input(uid: "simulated.microphone", name: "Microphone", kind: .builtInMic)
    package static let lineOut = output(uid: "simulated.line-out", name: "Line Out", kind: .lineOut)

    /// Headphones that are a sink of their own, so that they vanish whole; see `headphonesInJack` for the other kind.
    package static let wiredHeadphones = output(
        uid: "simulated.headphones", name: "Headphones", kind: .headphones)
    package static let wiredHeadset = duplex(
        uid: "simulated.headset", name: "Headset", output: .headphones, input: .headsetMic)
    package static let bluetoothA2DP = output(
        uid: "simulated.bluetooth-a2dp", name: "Bluetooth Headphones", kind: .bluetoothA2DP)
    /// Mono at 16 kHz both ways, as the hands-free profile with wide-band speech is.
    package static let bluetoothHFP = duplex(
        uid: "simulated.bluetooth-hfp", name: "Bluetooth Headset", output: .bluetoothHFP, input: .bluetoothHFP,
        outputChannels: 1, inputChannels: 1, sampleRate: 16000)
    /// A headset with A2DP and HFP, in A2DP as long as no stream runs on a port of HFP.
    package static let bluetoothHeadset = SimulatedDevice(
        uid: "simulated.bluetooth-headset", name: "Bluetooth Headset",
        ports: [
            Port(
                uid: "simulated.bluetooth-headset/a2dp", name: "Bluetooth Headset", kind: .bluetoothA2DP,
                direction: .output, channels: [.left, .right], sampleRate: 48000),
            Port(
                uid: "simulated.bluetooth-headset/hfp-output", name: "Bluetooth Headset", kind: .bluetoothHFP,
                direction: .output, channels: [.mono], sampleRate: 16000),
            Port(
                uid: "simulated.bluetooth-headset/hfp-input", name: "Bluetooth Headset", kind: .bluetoothHFP,
                direction: .input, channels: [.mono], sampleRate: 16000),
        ])
    /// An audio interface, stereo both ways.
    package static let usbAudio = duplex(
        uid: "simulated.usb-audio", name: "USB Audio Interface", output: .usbAudio, input: .usbAudio,
        inputChannels: 2)
    package static let usbHeadphones = output(
        uid: "simulated.usb-headphones", name: "USB Headphones", kind: .usbAudio)
    /// A television or receiver with 7.1 channels.
    package static let hdmi = output(uid: "simulated.hdmi", name: "HDMI", kind: .hdmi, channels: 8)

    /// A sound card whose one sink plays through its loudspeaker, and has a jack for `headphonesInJack`.
    package static let cardWithJack = output(
        uid: "simulated.card/speaker", name: "Internal Speaker", kind: .builtInSpeaker)
    /// A sound card whose one source records from its front or its rear microphone; see `rearMicrophone`.
    package static let frontMicrophone = input(
        uid: "simulated.card/front-microphone", name: "Front Microphone", kind: .builtInMic)
    /// The other microphone of the card of `frontMicrophone`.
    package static let rearMicrophone = SimulatedDevice(
        uid: "simulated.card/rear-microphone", name: "Rear Microphone",
        ports: [
            Port(
                uid: "simulated.card/rear-microphone", name: "Rear Microphone", kind: .builtInMic, direction: .input,
                channels: [.mono], sampleRate: 48000)
        ],
        jackOnPortUID: "simulated.card/front-microphone")
    /// Headphones in the jack of `cardWithJack`: its sink switches over to them, and back when they are pulled out.
    ///
    /// The sink, and the default if it is the default, stay what they are; only the active route changes. The
    /// loudspeaker stays in the inventory behind them, as on a card that reports both routes as available.
    package static let headphonesInJack = SimulatedDevice(
        uid: "simulated.card/headphones", name: "Headphones",
        ports: [
            Port(
                uid: "simulated.card/headphones", name: "Headphones", kind: .headphones, direction: .output,
                channels: [.left, .right], sampleRate: 48000)
        ],
        jackOnPortUID: "simulated.card/speaker")
}
