package import AudioModel
package import HostSimulated

/// What a test can plug in, and what its machine may have besides the built-in devices of a phone.
extension SimulatedDevice {
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

    /// The uid of the first output port; nil for a microphone.
    package var outputUID: String? { outputs.first?.uid }
    /// The uid of the first input port; nil for a loudspeaker.
    package var inputUID: String? { inputs.first?.uid }
}

extension SimulatedMachine {
    /// Line out and microphone.
    package static let desktop = SimulatedMachine(builtIn: [.lineOut, .builtInMic])
    /// A card with loudspeaker and jack in one sink, and a microphone.
    package static let laptop = SimulatedMachine(builtIn: [.cardWithJack, .builtInMic])
    /// Nothing at all, as in a container.
    package static let bare = SimulatedMachine(builtIn: [])
}

extension SimulatedDevice {
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
