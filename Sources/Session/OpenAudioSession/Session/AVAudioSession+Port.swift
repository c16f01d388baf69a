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
        /// A line input of a sound card.
        public static let lineIn = Port(rawValue: "LineIn")
        /// A microphone of the machine, or one whose card does not say more.
        public static let builtInMic = Port(rawValue: "MicrophoneBuiltIn")
        /// The microphone of a wired headset.
        public static let headsetMic = Port(rawValue: "MicrophoneWired")
        /// A phone used as a microphone; never reported on Linux.
        public static let continuityMicrophone = Port(rawValue: "ContinuityMicrophone")

        // Output
        /// A line output of a sound card, also a digital one (S/PDIF).
        public static let lineOut = Port(rawValue: "LineOut")
        /// Wired headphones or a wired headset, also on a USB card.
        public static let headphones = Port(rawValue: "Headphones")
        /// Bluetooth headphones or speakers in stereo (profile A2DP).
        public static let bluetoothA2DP = Port(rawValue: "BluetoothA2DPOutput")
        /// The speaker that a telephone holds to the ear; only in the category `playAndRecord`.
        public static let builtInReceiver = Port(rawValue: "Receiver")
        /// The speaker of the machine, on an internal bus.
        public static let builtInSpeaker = Port(rawValue: "Speaker")
        /// A television or monitor; ALSA reports most DisplayPort outputs as HDMI too.
        public static let HDMI = Port(rawValue: "HDMIOutput")
        /// An AirPlay receiver in the network (PipeWire's RAOP sinks).
        public static let airPlay = Port(rawValue: "AirPlay")

        /// Never reported on Linux; Apple's raw value is not known.
        public static let mediaDeviceExtension = Port(rawValue: "MediaDeviceExtension")

        // Either or both
        /// A Bluetooth LE Audio device (profile BAP).
        public static let bluetoothLE = Port(rawValue: "BluetoothLE")
        /// A Bluetooth headset as a telephone: mono output and microphone (profiles HFP and HSP).
        public static let bluetoothHFP = Port(rawValue: "BluetoothHFP")
        /// A USB sound card whose ports do not say more.
        public static let usbAudio = Port(rawValue: "USBAudio")
        /// An output whose device says that it is a car's.
        public static let carAudio = Port(rawValue: "CarAudio")
        /// A sink or source without hardware: an effect, a loopback, a null sink.
        public static let virtual = Port(rawValue: "Virtual")
        /// A PCI sound card; never reported here, where the ports of such a card say more.
        public static let PCI = Port(rawValue: "PCI")
        /// A FireWire sound card.
        public static let fireWire = Port(rawValue: "FireWire")
        /// A monitor at a DisplayPort outlet whose card says so.
        public static let displayPort = Port(rawValue: "DisplayPort")
        /// An audio device in the network over AVB.
        public static let AVB = Port(rawValue: "AVB")
        /// A Thunderbolt sound card.
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

extension AVAudioSession {
    /// An override of the output, independent of the connected devices.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    @nonexhaustive public enum PortOverride: UInt, Sendable {
        /// Removes the override; the category and the devices decide.
        case none = 0
        /// The four characters 'spkr'.
        case speaker = 1_936_747_378
    }
}
