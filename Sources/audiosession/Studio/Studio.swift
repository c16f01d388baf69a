import AudioModel
import AudioRuntime
import OpenAVFAudio
import SessionCore

/// What the verbs need of the library: one session on one host.
///
/// Every verb speaks to this and to nothing below it; tests put a fake in its place. Called from the verb's thread.
protocol Studio: AnyObject, Sendable {
    /// "pipewire" or "simulated".
    var hostName: String { get }

    var currentRoute: RouteFacts { get }
    var ports: PortInventory { get }
    var outputs: OutputFacts { get }

    /// The hand on the plug, nil on a real host.
    ///
    /// Headphones are plugged in when the studio opens.
    var phone: (any SimulatedPhone)? { get }

    /// Why the system has made the session inactive; nil while it is active, and once that reason is gone.
    var interruption: InterruptionReason? { get }
    /// False from the loss of the sound server to its return; players from before are dead then.
    var isServerThere: Bool { get }

    /// - Throws: an error whose `description` is one sentence for the user.
    func configure(_ configuration: SessionConfiguration) throws(StudioError)

    /// Sends the sound to that output from now on, whenever it is there.
    ///
    /// - Throws: where it is not there now, or the category cannot use it.
    func choose(_ choice: OutputChoice) throws(StudioError)

    /// Takes the sound, from whoever has it.
    ///
    /// - Throws: an error whose `description` is one sentence for the user; "insufficientPriority" while a call is on.
    func activate() throws(StudioError)

    /// Gives the sound back to whom it was taken from.
    ///
    /// Idempotent. Where the server is gone there is nobody to give it to.
    func deactivate()

    /// Reports every notification of the session from now on, on the poster thread or on the main thread as the session
    /// posts them; in order within each.
    func observe(_ deliver: @escaping @Sendable (StudioEvent) -> Void)

    /// Opens a file to be played. `onNews` comes on the poster thread, in order.
    ///
    /// - Parameter role: PipeWire's `media.role`.
    func makePlayer(
        path: String, policy: StreamPolicy, role: String, volume: Float,
        onNews: @escaping @Sendable (PlayerNews) -> Void
    ) throws(StudioError) -> any Player

    /// Makes a file to record into, of the kind that its ending names, with the channels of the route's input. `onChange`
    /// comes on the poster thread, in order.
    func makeRecorder(
        path: String, onChange: @escaping @Sendable (FileRecorder.Status) -> Void
    ) throws(StudioError) -> any Recorder

    /// Ends the session. No event is reported after it has returned. Idempotent.
    func close()
}

/// The simulated host's controls.
protocol SimulatedPhone: AnyObject, Sendable {
    func plugHeadphones()
    func unplugHeadphones()

    /// The telephone rings, until `endCall`. Idempotent, as all of these.
    func receiveCall()
    func endCall()
    /// Another app takes the sound, until it dies without a word.
    func startOtherApp()
    func killOtherApp()
    func crashServer()
    func restartServer()

    /// From now on virtual time follows the wall clock until the studio closes.
    func runInRealTime()

    /// Moves virtual time by hand and returns when every notification of it has been delivered.
    func advance(bySeconds seconds: Double)

    /// Virtual seconds.
    var now: Double { get }

    /// What each port has played since virtual time 0.
    var recordings: [PortRecording] { get }
}

/// The samples of one port.
struct PortRecording: Hashable, Sendable {
    var port: PortFacts
    /// Hertz.
    var sampleRate: Double
    /// `[channel][frame]`, nominal ±1; frame 0 is virtual time 0.
    var channels: [[Float]]
}

/// Why the library said no.
struct StudioError: Error, Hashable, CustomStringConvertible {
    /// A word for programs: "notFound", "badParam", "unreachable".
    var code: String
    /// Names the value received, the values allowed and what to do next.
    var message: String

    var description: String { message }

    /// The sound server went away.
    var isOfTheServer: Bool { code == "\(SessionError.Code.mediaServicesFailed)" }
    /// Another session, a call, has the sound and keeps it.
    var isRefusal: Bool { code == "\(SessionError.Code.insufficientPriority)" }
}
