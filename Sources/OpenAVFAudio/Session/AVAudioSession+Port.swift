package import AudioModel

extension AVAudioSession {
    /// The physical type of a port.
    ///
    /// The raw values are short names, not the Objective-C symbols.
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0); raw values from the binary and from device logs.
    public struct Port: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        // Input
        public static let lineIn = Port(rawValue: "LineIn")
        public static let builtInMic = Port(rawValue: "MicrophoneBuiltIn")
        public static let headsetMic = Port(rawValue: "MicrophoneWired")
        /// A phone used as a microphone; never reported on Linux.
        public static let continuityMicrophone = Port(rawValue: "ContinuityMicrophone")

        // Output
        public static let lineOut = Port(rawValue: "LineOut")
        public static let headphones = Port(rawValue: "Headphones")
        public static let bluetoothA2DP = Port(rawValue: "BluetoothA2DPOutput")
        public static let builtInReceiver = Port(rawValue: "Receiver")
        public static let builtInSpeaker = Port(rawValue: "Speaker")
        public static let HDMI = Port(rawValue: "HDMIOutput")
        public static let airPlay = Port(rawValue: "AirPlay")

        /// Never reported on Linux; Apple's raw value is not known.
        public static let mediaDeviceExtension = Port(rawValue: "MediaDeviceExtension")

        // Either or both
        public static let bluetoothLE = Port(rawValue: "BluetoothLE")
        public static let bluetoothHFP = Port(rawValue: "BluetoothHFP")
        public static let usbAudio = Port(rawValue: "USBAudio")
        public static let carAudio = Port(rawValue: "CarAudio")
        public static let virtual = Port(rawValue: "Virtual")
        public static let PCI = Port(rawValue: "PCI")
        public static let fireWire = Port(rawValue: "FireWire")
        public static let displayPort = Port(rawValue: "DisplayPort")
        public static let AVB = Port(rawValue: "AVB")
        public static let thunderbolt = Port(rawValue: "Thunderbolt")
    }
}

extension AVAudioSession.Port {
    package init(_ kind: PortKind) {
        switch kind {
        case .lineIn: self = .lineIn
        case .builtInMic: self = .builtInMic
        case .headsetMic: self = .headsetMic
        case .lineOut: self = .lineOut
        case .headphones: self = .headphones
        case .bluetoothA2DP: self = .bluetoothA2DP
        case .builtInReceiver: self = .builtInReceiver
        case .builtInSpeaker: self = .builtInSpeaker
        case .hdmi: self = .HDMI
        case .airPlay: self = .airPlay
        case .bluetoothLE: self = .bluetoothLE
        case .bluetoothHFP: self = .bluetoothHFP
        case .usbAudio: self = .usbAudio
        case .carAudio: self = .carAudio
        case .virtual: self = .virtual
        case .pci: self = .PCI
        case .fireWire: self = .fireWire
        case .displayPort: self = .displayPort
        case .avb: self = .AVB
        case .thunderbolt: self = .thunderbolt
        }
    }
}
