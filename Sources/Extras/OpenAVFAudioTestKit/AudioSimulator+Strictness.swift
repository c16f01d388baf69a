internal import SimulatedControls

extension AudioSimulator {
    /// What iOS punishes and this library tolerates: a strict test fails for it, with a sentence for each mistake.
    ///
    /// As in `.simulated(.phone, strict: true)`, which is all of it, or `.scene("…", strict: [.taps, .releases])`. After a mistake everything goes on as in other tests. Source: decision 102.
    public struct Strictness: OptionSet, ExpressibleByBooleanLiteral, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }
        public init(booleanLiteral value: Bool) { rawValue = value ? 31 : 0 }

        /// A tap on an input node in another format than the microphone's.
        ///
        /// As on iOS, its `outputFormat(forBus:)` stays what it was before a route change until `reset()`, `prepare()` or, on a
        /// ``Machine/phone``, `stop()`, and its `inputFormat(forBus:)` does not.
        public static let taps = Strictness(rawValue: 1)
        /// An engine whose last reference goes while its `AVAudioEngineConfigurationChange` is posted, where iOS can hang.
        public static let releases = Strictness(rawValue: 2)
        /// `AVAudioPlayerNode.play()` in an engine that does not run, where iOS ends the app; `AVAudioPlayer.play()` in a call.
        public static let starts = Strictness(rawValue: 4)
        /// `AVAudioSession.setActive` on the main thread, of which iOS 27 warns.
        public static let mainThread = Strictness(rawValue: 8)
        /// A call that keeps the main thread for more than 1 s of virtual time, until the session is activated or deactivated.
        ///
        /// The watchdog of iOS may end the app for it; see ``AudioSimulator/setActivation(seconds:)``.
        public static let hangs = Strictness(rawValue: 16)
    }

    /// Which mistakes of the apps are kept from now on; none in a new simulator.
    public var strictness: Strictness {
        get { Strictness(rawValue: host.punished) }
        set { host.punished = newValue.rawValue }
    }

    /// The mistakes so far, each once: what the app did, what iOS does, and what to do instead.
    public var mistakes: [String] { host.mistakes.map { $0.text } }
}
