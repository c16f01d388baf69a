extension AudioScene.Action {
    /// The volume of a port, 0...1 as the slider of a mixer shows it, to a hundredth of a percent.
    package static func volume(_ port: String, level: Float, isMuted: Bool) -> AudioScene.Action {
        .volume(port, percent: (Double(level) * 10_000).rounded() / 100, isMuted: isMuted)
    }
}

extension AudioScene {
    /// What happens in a scene.
    ///
    /// Devices, programs and other apps are named as in the scene's file.
    public enum Action: Hashable, Sendable {
        // MARK: Devices

        /// The device is plugged in, or connected by radio; its ports become the defaults.
        case plug(String)
        /// The device leaves.
        case unplug(String)
        /// The device is plugged in or out so many times, at equal distances, and ends as it began.
        case flap(String, times: Int, in: Time)
        /// The jack of a port says whether something is in it.
        case jack(String, Jack)
        /// The user makes this output the machine's default.
        case defaultOutput(String)
        /// The user makes this input the machine's default.
        case defaultInput(String)
        /// The machine has no default output and input any more.
        case noDefault
        /// The user moves the app's sound to this output in a mixer; nil takes that choice back.
        case choose(String?)
        /// The volume of a port for all programs.
        case volume(String, percent: Double, isMuted: Bool)
        /// The hardware runs at another rate, in hertz.
        case rate(String, hertz: Double)
        /// A Bluetooth headset changes its profile.
        case profile(String, isCall: Bool)

        // MARK: Other programs

        /// A call comes in and is taken.
        case callBegins
        /// The call ends; whether the interrupted apps are told that they may resume.
        case callEnds(mayResume: Bool)
        /// The machine's alarm clock rings for a time.
        case alarm(Time)
        /// A notification sound of this length.
        case notification(Time)
        /// A program without a session begins to play; its role is PipeWire's `media.role`.
        case programPlays(String, role: String?)
        /// The program's sound ends.
        case programStops(String)
        /// A guard holds the sound of the program.
        case programHeld(String)
        /// The guard lets the program go on.
        case programReleased(String)
        /// Another app activates a session of this category, mode and options.
        case appTakes(String, Claim)
        /// The other app's session is interrupted and waits.
        case appWaits(String)
        /// The other app deactivates its session; whether it notifies the others.
        case appLeaves(String, mayResume: Bool)
        /// The other app dies, as with kill -9.
        case appKilled(String)

        // MARK: The machine

        /// The machine falls asleep when the apps are silent.
        case sleep
        /// The machine wakes up.
        case wake
        /// The sound server dies.
        case serverCrashes
        /// A new sound server is there.
        case serverReturns
        /// The server runs no cycle for a time.
        case stall(Time)
        /// From now on the server takes so long for an activation or a deactivation of a session; 0 ends that.
        ///
        /// While a call of the app waits for it, only the machine goes on: the app's own actions come when it has returned.
        case activationTakes(Time)
        /// A session manager keeps the app's streams from playing.
        case streamsHeld
        /// The session manager lets the app's streams play.
        case streamsReleased
        /// Another program cuts the links of the app's streams.
        case linksCut
        /// The app's streams fail for good.
        case streamsFail

        // MARK: Slow servers of songs

        /// From now on an item that a queue player opens comes so much later; 0 ends that.
        ///
        /// A local file too. Of an app with `AVPlayer`; `AVAudioPlayer` opens its file in its initialiser.
        case itemsOpen(in: Time)
        /// Nothing more of any player's file comes for a time; what was read ahead plays on.
        case itemsStall(Time)

        // MARK: Faults of the delivery

        /// From now on the app hears each event so much later; 0 ends that.
        case eventsLate(Time)
        /// From now on the app hears each event twice, or once again.
        case eventsTwice(Bool)
        /// The app hears the events of the next times in the reverse order, those of each instant by themselves.
        case eventsReversed(Bool)
        /// Observers of the app's notifications take so long, in real time.
        case slowObservers(Time)

        // MARK: The app itself

        /// The app's user presses play.
        case play
        /// The app's user presses pause.
        case pause
        /// The app's user moves to a place in the sound.
        case seek(Time)
        /// The app starts to record.
        case record
        /// The app ends its recording.
        case stopRecording
        /// The app sets its session's category, mode and options.
        case configure(Claim)
        /// The app activates its session.
        case activate
        /// The app deactivates its session; whether it notifies the others.
        case deactivate(notifiesOthers: Bool)
        /// The app overrides the output with the speaker, or ends that.
        case overrideOutput(speaker: Bool)
        /// The test has a turn: it waits for queues and timers of the app, for which the scene's time stands, or it looks at the app.
        case testLooks

        /// The scene ends here.
        case end
    }

    /// What a jack says about itself.
    public enum Jack: String, Hashable, Sendable, CaseIterable {
        /// Something is in it.
        case full
        /// Nothing is in it.
        case empty
        /// It cannot tell, which is no change.
        case unknown
    }

    /// What a session claims, in the library's words: category "playback", mode "voiceChat", options "mixWithOthers".
    public struct Claim: Hashable, Sendable {
        /// The category.
        public var category: String
        /// The mode; nil is "default".
        public var mode: String?
        /// The options.
        public var options: [String]

        /// Creates a claim.
        public init(_ category: String = "playback", mode: String? = nil, options: [String] = []) {
            self.category = category
            self.mode = mode
            self.options = options
        }
    }
}
