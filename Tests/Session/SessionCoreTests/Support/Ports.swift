import AudioModel

/// The ports of the machines that the tests play.
enum Ports {
    static let speaker = output("speaker", .builtInSpeaker)
    static let receiver = output("receiver", .builtInReceiver, [.mono])
    static let headphones = output("headphones", .headphones)
    static let usb = output("usb", .usbAudio)
    static let hdmi = output("hdmi", .hdmi, ChannelLabel.standard(count: 8))
    static let lineOut = output("line", .lineOut)
    static let a2dp = output("a2dp", .bluetoothA2DP)
    static let airPlay = output("airplay", .airPlay)
    static let hfp = output("hfp", .bluetoothHFP, [.mono])

    static let mic = input("mic", .builtInMic)
    static let headsetMic = input("headset mic", .headsetMic)
    /// A Bluetooth headset: both directions share one uid, as on Apple's systems.
    static let hfpMic = input("hfp", .bluetoothHFP)
    static let usbMic = input("usb mic", .usbAudio)

    private static func output(_ uid: String, _ kind: PortKind, _ channels: [ChannelLabel] = [.left, .right]) -> Port {
        Port(uid: uid, name: uid.capitalized, kind: kind, direction: .output, channels: channels, sampleRate: 48_000)
    }

    private static func input(_ uid: String, _ kind: PortKind) -> Port {
        Port(uid: uid, name: uid.capitalized, kind: kind, direction: .input, channels: [.mono], sampleRate: 48_000)
    }
}

extension String {
    /// Without Foundation.
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}
