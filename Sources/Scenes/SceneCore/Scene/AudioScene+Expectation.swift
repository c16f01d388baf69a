extension AudioScene {
    /// What a scene expects of the app and of the machine.
    public struct Expectation: Hashable, Sendable {
        /// What is expected.
        public var fact: Fact
        /// When.
        public var window: Window

        /// Creates an expectation.
        public init(_ fact: Fact, _ window: Window = .scene) {
            self.fact = fact
            self.window = window
        }
    }

    /// When an expectation must hold.
    public enum Window: Hashable, Sendable {
        /// At some time between the event above the line and so much later.
        case within(Time)
        /// All the time between these times of the scene.
        case during(Time, Time)
        /// At some time between the event above the line and the end of the scene.
        case scene

        /// The last time that the window names, after an event.
        func end(after anchor: Time) -> Time {
            switch self {
            case .within(let length): anchor + length
            case .during(_, let end): end
            case .scene: anchor
            }
        }
    }

    /// What can be expected.
    public enum Fact: Hashable, Sendable {
        /// A player of the app plays, or all of them are silent.
        case player(PlayerState)
        /// A recorder of the app, or the input of an engine, records (`playing`), or all of them are silent.
        case recorder(PlayerState)
        /// An output plays nothing, not one frame that differs from zero; nil stands for all outputs together.
        case silent(String?, channel: Int?)
        /// An output plays something above -60 dBFS.
        case heard(String?, channel: Int?)
        /// The root mean square of an output is above or below this level, in dBFS.
        case level(String, isAbove: Bool, decibels: Int)
        /// No sample of the output jumps by more than 1/2 of full scale to the next.
        case noClick(String?)
        /// Whenever an output begins to sound, it goes on in what the app plays where the sound before ended, to 50 ms; nil stands
        /// for all outputs together.
        case positionContinues(String?)
        /// The session is told that it is interrupted.
        case interruptionBegins
        /// The session is told that the interruption is over; `mayResume` nil: whether it may resume does not matter.
        case interruptionEnds(mayResume: Bool?)
        /// The route changes, for this reason in the library's words; nil: for any.
        case routeChange(String?)
        /// Sound goes to this output.
        case route(String)
        /// The session is in this state.
        case session(SessionState)
        /// The session is told that the sound server is gone.
        case mediaServicesLost
        /// The session is told that there is a new sound server.
        case mediaServicesReset
        /// No interruption begins.
        case noInterruption
        /// The session is not told that an interruption is over.
        case noInterruptionEnd
        /// The route does not change, for this reason; nil: for none.
        case noRouteChange(String?)
        /// The session is not told of a new sound server.
        case noMediaServicesReset
    }

    /// What a player does.
    public enum PlayerState: String, Hashable, Sendable, CaseIterable {
        /// One of the app's streams runs and is linked.
        case playing
        /// None of the app's streams runs, and none was made to by the app.
        case paused
        /// Silent, and goes on by itself when it may.
        case waiting
    }

    /// What a session is.
    public enum SessionState: String, Hashable, Sendable, CaseIterable {
        /// It holds the sound.
        case active
        /// It does not ask for sound.
        case inactive
        /// The system has made it inactive.
        case interrupted
        /// It plays at a lower volume.
        case ducked
    }
}
