internal import HostSimulated
internal import SimulatedControls

extension AudioSimulator {
    /// A device that can be connected, by a plug or by radio.
    public struct Device: Hashable, Sendable {
        let simulated: SimulatedDevice

        /// The identifier of the device's output port, or of its input port if it has no output.
        public var uid: String { simulated.outputUID ?? simulated.inputUID ?? simulated.uid }
        /// The name that `portName` returns for the device's ports.
        public var name: String { simulated.name }

        /// The speaker of a phone, stereo; plugged in already on ``Machine/phone``.
        public static let builtInSpeaker = Device(simulated: .builtInSpeaker)
        /// The speaker at the ear of a phone; plugged in already on ``Machine/phone``.
        public static let builtInReceiver = Device(simulated: .builtInReceiver)
        /// The microphone of a phone, a laptop or a desktop; plugged in already on these.
        public static let builtInMic = Device(simulated: .builtInMic)
        /// A stereo line output; plugged in already on ``Machine/desktop``.
        public static let lineOut = Device(simulated: .lineOut)
        /// Headphones with their own sink, which disappears when they are unplugged.
        public static let wiredHeadphones = Device(simulated: .wiredHeadphones)
        /// Headphones with a microphone.
        public static let wiredHeadset = Device(simulated: .wiredHeadset)
        /// Bluetooth headphones: stereo output, no microphone.
        public static let bluetoothA2DP = Device(simulated: .bluetoothA2DP)
        /// Mono at 16 kHz, input and output.
        public static let bluetoothHFP = Device(simulated: .bluetoothHFP)
        /// A headset with both profiles: A2DP, and HFP while something plays or records on a port of that.
        public static let bluetoothHeadset = Device(simulated: .bluetoothHeadset)
        /// An audio interface: stereo, input and output.
        public static let usbAudio = Device(simulated: .usbAudio)
        /// Headphones with their own USB card, whose port type is `usbAudio`.
        public static let usbHeadphones = Device(simulated: .usbHeadphones)
        /// Eight channels.
        public static let hdmi = Device(simulated: .hdmi)
        /// Headphones in the jack of a ``Machine/laptop``: its sink stays, only the active route changes.
        public static let headphonesInJack = Device(simulated: .headphonesInJack)
        /// A card with one sink: a speaker and a jack.
        public static let cardWithJack = Device(simulated: .cardWithJack)
        /// A card with one source: its front microphone, and the rear one of ``rearMicrophone``.
        public static let frontMicrophone = Device(simulated: .frontMicrophone)
        /// The other microphone of the card of ``frontMicrophone``.
        public static let rearMicrophone = Device(simulated: .rearMicrophone)
    }
}
