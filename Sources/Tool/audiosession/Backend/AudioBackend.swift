import AudioDeviceSelection
import AudioRuntime
import OpenAudioSession
import ProgramRuntime
import QueueRuntime
import SessionRuntime

/// What the commands need of the library: one session on one host.
///
/// Every command calls this and nothing below it; tests replace it with a fake. The command thread.
protocol AudioBackend: AnyObject, Sendable {
    /// "pipewire" or "simulated".
    var hostName: String { get }

    var currentRoute: RouteFacts { get }
    var ports: PortInventory { get }
    var outputs: OutputFacts { get }

    /// The controls of the simulated host; nil on a real host.
    ///
    /// Headphones are plugged in when the backend is made.
    var simulator: (any SimulatorControls)? { get }

    /// Why the system has made the session inactive; nil while it is active, and once that reason is gone.
    var interruption: AVAudioSession.InterruptionReason? { get }
    /// A call has the audio: the session is interrupted by it.
    var isInCall: Bool { get }
    /// Another program plays.
    var isOtherAudioPlaying: Bool { get }
    /// False from the loss of the sound server to its return; players from before fail.
    var isServerConnected: Bool { get }
    /// How many outputs of the route have left so far.
    var outputLosses: UInt64 { get }
    /// Why the connection to the server was lost last; nil where the server had stopped, and before any loss.
    var lossReason: String? { get }
    /// No session manager runs: playback on a device that it has not set up is interrupted until one does.
    var lacksSessionManager: Bool { get }

    /// - Throws: an error whose `description` is one sentence for the user.
    func configure(_ settings: SessionSettings) throws(BackendError)

    /// Moves the sound to that output from now on, whenever it is connected.
    ///
    /// - Throws: if it is not connected now, or the category cannot use it.
    func choose(_ choice: AudioDevices.Choice) throws(BackendError)

    /// Activates the session and interrupts the sessions that do not mix with it.
    ///
    /// - Throws: an error whose `description` is one sentence for the user; "insufficientPriority" during a call.
    func activate() throws(BackendError)

    /// Deactivates the session and notifies the sessions that it had interrupted.
    ///
    /// Idempotent. Does nothing without a server.
    func deactivate()

    /// Reports every notification of the session from now on, on the poster thread or on the main thread as the session
    /// posts them; in order within each.
    func observe(_ deliver: @escaping @Sendable (BackendEvent) -> Void)

    /// Why files play at their own speed only, and what to do; nil where they need not.
    var speedProblem: String? { get }

    /// Makes a queue; `onEvent` is called on several threads, in the order of what it tells of an item.
    func makeQueue(onEvent: @escaping @Sendable (QueuePlayer.Event) -> Void) -> any ItemQueue

    /// The inputs that can be chosen.
    var inputs: [PortFacts] { get }

    /// Records from that input from now on, while it is connected.
    func chooseInput(uid: String) throws(BackendError)

    /// Prepares a file to record into, which takes its name with its first frame. `onChange` is called on the poster thread,
    /// in order.
    ///
    /// - Parameter replaces: whether it replaces a file that has the name.
    func makeRecorder(
        path: String, format: RecordFormat, replaces: Bool,
        onChange: @escaping @Sendable (FileRecorder.Status) -> Void
    ) throws(BackendError) -> any Recorder

    /// Ends the session. No event is reported after it has returned. Idempotent.
    func close()
}

extension AudioBackend {
    /// - Throws: where files play at their own speed only.
    func checkSpeed() throws(BackendError) {
        guard let speedProblem else { return }
        throw BackendError(.noLibrary, "the speed cannot be changed: \(speedProblem)")
    }

    /// - Parameter body: calls a player or a recorder.
    func explaining(_ body: () throws(FilePlayer.PlaybackError) -> Void) throws(BackendError) {
        do { try body() } catch { throw BackendError(error, lossReason: lossReason) }
    }
}

/// What a recording is written as.
struct RecordFormat: Hashable, Sendable {
    /// An extension, which names the kind of file; nil for the file's own.
    var fileExtension: String?
    /// In hertz; nil for the host's.
    var sampleRate: Int?
    /// nil: as many as the input has.
    var channelCount: Int?
}

/// The session's category, mode and options.
struct SessionSettings: Equatable, Sendable {
    var category: AVAudioSession.Category = .playback
    var mode: AVAudioSession.Mode = .default
    var options: AVAudioSession.CategoryOptions = []
}

/// An error of the library.
struct BackendError: Error, Hashable, CustomStringConvertible {
    enum Code: Hashable, Sendable {
        case session(AVAudioSession.ErrorCode)
        /// Of a file that is read.
        case file(FilePlayer.FileError.Kind)
        case program(ProgramCode)

        /// A word for programs: "badParam", "notFound", "fileExists".
        var word: String {
            switch self {
            case .session(let code): "\(code)"
            case .file(let kind): "\(kind)"
            case .program(let code): code.rawValue
            }
        }
    }

    /// What the library has no code for.
    enum ProgramCode: String, Sendable {
        case alreadyRunning, ambiguousDevice, deviceNamedTwice, fileExists, noDescriptors, noInput, noMemory, noOutput
        case noRuntimeDirectory, noSessionManager, noSocket, noSound, noSuchDevice, notInstalled, notReadable
        case notRunning, notStarted, notWritable, outputLeft, playbackFailed, recordingFailed, tooLong
        /// A library that is loaded at run time is not installed.
        case noLibrary
        /// No sound server answers.
        case unreachable
    }

    var code: Code
    /// Names the value received, the values allowed and what to do next.
    var message: String

    var description: String { message }

    /// The sound server is gone.
    var isServerLoss: Bool { code == .session(.mediaServicesFailed) }
    /// A session of higher priority, a call, is active.
    var isRefusal: Bool { code == .session(.insufficientPriority) }
}

extension BackendError {
    init(_ code: ProgramCode, _ message: String) { self.init(code: .program(code), message: message) }

    static var outputLeft: BackendError {
        BackendError(.outputLeft, "the output was disconnected, and --on-unplug quit ends playback then.")
    }

    static func noOutput(afterSeconds seconds: Double) -> BackendError {
        BackendError(
            .noOutput,
            "for \(Int(seconds)) s there has been no output; connect one ('audiosession doctor' finds the "
                + "reason), or wait for one with --wait.")
    }

    /// - Parameters:
    ///   - use: what cannot be used.
    ///   - next: what follows when one runs; a sentence.
    static func lacksSessionManager(_ use: String, next: String) -> BackendError {
        BackendError(
            .noSessionManager,
            "no session manager is running, so \(use) cannot be used; start one (systemctl --user start "
                + "wireplumber). \(next)")
    }

    /// - Parameters:
    ///   - code: of the library; its messages are for programs.
    ///   - lossReason: as the backend's.
    init(_ code: AVAudioSession.ErrorCode, libraryMessage: String, lossReason: String?) {
        self.init(code: .session(code), message: libraryMessage)
        if isRefusal { message = "a call is on; nothing else plays or records until it ends." }
        if isServerLoss { message = Self.serverLost(lossReason) }
    }

    /// What to do about the loss of the server.
    ///
    /// - Parameter reason: as the backend's `lossReason`.
    static func serverLost(_ reason: String?) -> String {
        guard let reason else {
            return "the sound server stopped; try again when it runs ('audiosession doctor' checks it)."
        }
        return "the connection to the sound server is lost: \(reason). Then try again."
    }

    /// - Parameter lossReason: as the backend's.
    init(_ error: FilePlayer.PlaybackError, lossReason: String?) {
        self.init(AVAudioSession.ErrorCode(error.code), libraryMessage: error.message, lossReason: lossReason)
    }

    init(_ error: FilePlayer.FileError) { self.init(code: .file(error.kind), message: error.message.asClause) }

    /// - Parameters:
    ///   - error: of a session or a recorder.
    ///   - other: the code of an error that has none.
    ///   - lossReason: as the backend's.
    init(_ error: any Error, other: Code, lossReason: String? = nil) {
        switch error {
        case let error as FilePlayer.PlaybackError: self.init(error, lossReason: lossReason)
        case let error as FileRecorder.FileError:
            self.init(.notWritable, error.message.asClause)
        default: self.init(code: other, message: error.localizedDescription)
        }
    }
}

extension String {
    /// A sentence of the library as the program says it: after "audiosession: ", and with its quotation marks.
    fileprivate var asClause: String {
        let begins = dropFirst().first?.isLowercase == true ? prefix(1).lowercased() + dropFirst() : self
        return begins.count { $0 == "\"" } == 2 ? begins.replacing("\"", with: "'") : begins
    }
}

/// A notification of the session.
enum BackendEvent: Hashable, Sendable {
    case routeChanged(reason: AVAudioSession.RouteChangeReason, previous: RouteFacts, current: RouteFacts)
    case availableInputsChanged([PortFacts])
    case interruptionBegan(reason: AVAudioSession.InterruptionReason)
    case interruptionEnded(shouldResume: Bool)
    case secondaryAudioHint(begins: Bool)
    /// - Parameter reason: as the backend's `lossReason`.
    case mediaServicesLost(reason: String?)
    case mediaServicesReset
}

/// The part of `QueuePlayer` that the commands use.
protocol ItemQueue: AnyObject, Sendable {
    var status: QueuePlayer.Status { get }
    /// Seconds into the first item, or where a seek goes.
    var position: Double { get }
    /// - Parameter knownLosses: `AudioBackend.outputLosses` when the person asked for it.
    /// - Returns: false if an output has left since that the person may have meant: nothing has changed then.
    @discardableResult func setRate(_ rate: Float, knownLosses: UInt64?) -> Bool
    func setSpeed(_ speed: Float)
    func setVolume(_ volume: Float)
    func changeItems(_ body: (inout [any QueueItem]) -> Void)
    func seek(_ item: any QueueItem, toSeconds seconds: Double, completion: @escaping @Sendable (Bool) -> Void)
    func closeAndWait()
}

extension QueuePlayer: ItemQueue {}

/// The part of `FilePlayer` that the commands use.
protocol Player: AnyObject, Sendable {
    var info: FilePlayer.Info { get }
    var status: FilePlayer.Status { get }
    /// It has a present only, as a radio station has.
    var isLive: Bool { get }
    /// How often the file begins again, without a gap; negative: for ever.
    var repetitions: Int { get set }
    func setChannelMap(_ map: [Int]?) throws(FilePlayer.PlaybackError)
    func takeLevels() -> [String: [Float]]
}

extension FilePlayer: Player {}

/// The part of `FileRecorder` that the commands use.
protocol Recorder: AnyObject, Sendable {
    var status: FileRecorder.Status { get }
    func record(forSeconds seconds: Double?) throws(FileRecorder.RecordingError)
    func pause()
    func stop()
    func takeMeasures() -> [LevelMeasure]
}

extension FileRecorder: Recorder {}

/// The controls of the simulated host.
protocol SimulatorControls: AnyObject, Sendable {
    func plugHeadphones()
    func unplugHeadphones()

    /// Starts a phone call, until `endCall`. Idempotent, like all of these.
    func receiveCall()
    func endCall()
    func crashServer()
    func restartServer()

    /// Advances virtual time and returns when every notification of it has been delivered.
    func advance(bySeconds seconds: Double)

    /// Virtual seconds.
    var now: Double { get }

    /// What each output has played since virtual time 0.
    var captures: [SimulatedMachineControls.Capture] { get }
}

extension SimulatedMachineControls: SimulatorControls {}
