import AudioDeviceSelection
import AudioModel
import SessionCore
import Synchronization

@testable import AudioFiles
@testable import AudioRuntime
@testable import OpenAudioSession
@testable import ProgramRuntime
@testable import QueueRuntime
@testable import audiosession

/// A backend without sound; tests control its devices and read the calls that it received.
final class FakeBackend: AudioBackend {
    static let speaker = PortFacts(uid: "sim.speaker", name: "Speaker", portType: "Speaker", channels: 2)
    static let headphones = PortFacts(uid: "sim.headphones", name: "Cans", portType: "Headphones", channels: 2)

    private struct State {
        var route = RouteFacts(outputs: [headphones])
        var observers: [@Sendable (BackendEvent) -> Void] = []
        var players: [FakePlayer] = []
        var queues: [FakeQueue] = []
        var trusts: [FilePlayer.ServerTrust] = []
        var recorders: [FakeRecorder] = []
        var isClosed = false
        var configurations: [SessionSettings] = []
        var isInterrupted = false
        var isServerConnected = true
        var lossReason: String?
        var outputLosses: UInt64 = 0
        var lacksSessionManager = false
        var isActive = false
        var isOtherAudioPlaying = false
        var refusal: BackendError?
        var choice = AudioDevices.Choice.automatic
        var outputs = [headphones, speaker]
        var inputs: [PortFacts] = []
    }

    private let state = Mutex(State())
    /// Opens what is slow to open, when a test says so.
    let aside = Inbox<@Sendable () -> Void>()
    /// The seconds of each file by its path; other files do not exist.
    private let files: [String: Double]
    private let fakeSimulator: FakeSimulator?

    init(files: [String: Double], isSimulated: Bool = false, hasOutput: Bool = true) {
        self.files = files
        if !hasOutput { state.withLock { $0.route = RouteFacts() } }
        fakeSimulator = isSimulated ? FakeSimulator() : nil
        fakeSimulator?.connect(to: self)
    }

    /// Paths that contain "book" have three chapters of 10 s.
    func chapters(path: String) -> [FilePlayer.Chapter] {
        path.contains("book") ? (0..<3).map { .init(title: "Part \($0)", startSeconds: Double($0) * 10) } : []
    }

    /// Paths that contain "loud" have one of the track, and "album" two.
    func gains(path: String) -> FilePlayer.ReplayGain {
        var gains = FilePlayer.ReplayGain()
        if path.contains("loud") || path.contains("album") { gains.track = .init(decibels: -6.2) }
        if path.contains("album") { gains.album = .init(decibels: 9, peak: 0.5) }
        return gains
    }

    func seconds(of path: String) -> Double? { files[path] }

    var hostName: String { fakeSimulator == nil ? "pipewire" : "simulated" }
    var currentRoute: RouteFacts { state.withLock { $0.route } }
    var ports: PortInventory {
        PortInventory(entries: [
            .init(port: Self.headphones, isOutput: true, isDefault: true),
            .init(port: Self.speaker, isOutput: true, isDefault: false),
        ])
    }
    var simulator: (any SimulatorControls)? { fakeSimulator }
    var players: [FakePlayer] { state.withLock { $0.players } }
    /// Of each player.
    var trusts: [FilePlayer.ServerTrust] { state.withLock { $0.trusts } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    var interruption: AVAudioSession.InterruptionReason? { state.withLock { $0.isInterrupted ? .default : nil } }
    var isInCall: Bool { state.withLock { $0.isInterrupted && $0.refusal != nil } }
    var isServerConnected: Bool { state.withLock { $0.isServerConnected } }
    var lossReason: String? { state.withLock { $0.lossReason } }
    var outputLosses: UInt64 { state.withLock { $0.outputLosses } }
    var lacksSessionManager: Bool {
        get { state.withLock { $0.lacksSessionManager } }
        set { state.withLock { $0.lacksSessionManager = newValue } }
    }
    var isOtherAudioPlaying: Bool {
        get { state.withLock { $0.isOtherAudioPlaying } }
        set { state.withLock { $0.isOtherAudioPlaying = newValue } }
    }
    var isActive: Bool { state.withLock { $0.isActive } }
    /// All configurations, in order.
    var configurations: [SessionSettings] { state.withLock { $0.configurations } }

    func configure(_ settings: SessionSettings) throws(BackendError) {
        state.withLock { $0.configurations.append(settings) }
    }

    var outputs: OutputFacts {
        state.withLock { state in
            let isSeveral = state.configurations.last?.category == .multiRoute
            let chosen = state.outputs.filter { state.choice == .device(uid: $0.uid) }
            return OutputFacts(
                all: state.outputs, current: chosen.isEmpty ? isSeveral ? state.outputs : state.route.outputs : chosen,
                choice: state.choice)
        }
    }
    /// Sets the connected outputs, best first, without telling the players.
    func connect(_ outputs: [PortFacts]) { state.withLock { $0.outputs = outputs } }

    func choose(_ choice: AudioDevices.Choice) throws(BackendError) {
        let isThere = outputs.all.contains { .device(uid: $0.uid) == choice } || choice == .automatic
        guard isThere else {
            throw BackendError(code: .program(.noSuchDevice), message: "it is not connected; plug it in.")
        }
        state.withLock { $0.choice = choice }
    }

    func activate() throws(BackendError) {
        let refusal = state.withLock { state in
            if state.refusal == nil { (state.isActive, state.isInterrupted) = (true, false) }
            return state.refusal
        }
        if let refusal { throw refusal }
    }

    func deactivate() { state.withLock { $0.isActive = false } }

    func observe(_ deliver: @escaping @Sendable (BackendEvent) -> Void) {
        state.withLock { $0.observers.append(deliver) }
    }

    var speedProblem: String? { nil }

    func makeQueue(onEvent: @escaping @Sendable (QueuePlayer.Event) -> Void) -> any ItemQueue {
        let queue = FakeQueue(self, onEvent: onEvent)
        state.withLock { $0.queues.append(queue) }
        return queue
    }

    /// - Throws: without a server; an item that has no file is given its failure, too.
    func makePlayer(
        _ item: PlayItem, volume: Float, onReport: @escaping @Sendable (FakePlayer, FakePlayer.Report) -> Void
    ) throws(QueueFailure) -> FakePlayer {
        guard isServerConnected else {
            throw QueueFailure(.playback(.session(SessionError(.mediaServicesFailed, Self.lost.message))))
        }
        let path = item.item.name
        guard let seconds = files[path] else {
            throw QueueFailure(.file(AudioFileError(.notFound, "there is no file '\(path)'; check the path.")))
        }
        let player = FakePlayer(
            path: path, seconds: seconds, policy: item.policy, volume: volume, backend: self, onReport: onReport)
        state.withLock { state in
            state.players.append(player)
            state.trusts.append(item.trust)
        }
        return player
    }

    func makeRecorder(
        path: String, format: RecordFormat, replaces: Bool,
        onChange: @escaping @Sendable (FileRecorder.Status) -> Void
    ) throws(BackendError) -> any Recorder {
        let recorder = FakeRecorder(format: format, onChange: onChange)
        state.withLock { $0.recorders.append(recorder) }
        return recorder
    }
    var inputs: [PortFacts] { state.withLock { $0.inputs } }
    func chooseInput(uid: String) throws(BackendError) {
        state.withLock { state in state.route.inputs = state.inputs.filter { $0.uid == uid } }
    }
    var recorders: [FakeRecorder] { state.withLock { $0.recorders } }
    /// Sets the connected inputs.
    func setInputs(_ inputs: [PortFacts]) {
        state.withLock { ($0.inputs, $0.route.inputs) = (inputs, Array(inputs.prefix(1))) }
    }

    func close() { state.withLock { $0.isClosed = true } }

    /// Another session interrupts this one; no event if it was interrupted before.
    func interrupt() {
        let wasActive = state.withLock { state in
            defer { (state.isActive, state.isInterrupted) = (false, true) }
            return state.isActive
        }
        guard wasActive else { return }
        for player in players { player.interrupt() }
        post(.interruptionBegan(reason: .default))
    }

    /// The other session ends.
    func endInterruption(shouldResume: Bool) {
        state.withLock { $0.isInterrupted = false }
        post(.interruptionEnded(shouldResume: shouldResume))
        if shouldResume, players.contains(where: \.status.playWhenReady) { state.withLock { $0.isActive = true } }
        for player in players { player.endInterruption(shouldResume: shouldResume) }
    }

    /// From now on `activate` throws this error, as during a call; nil ends that.
    func refuse(_ error: BackendError?) { state.withLock { $0.refusal = error } }

    /// The connection to the sound server is lost.
    ///
    /// - Parameters:
    ///   - reason: nil where the server stops.
    ///   - eventFirst: whether the loss is reported before the players' failure, which another thread reports.
    func loseServer(because reason: String? = nil, eventFirst: Bool = false) {
        state.withLock { state in
            (state.isServerConnected, state.isActive, state.isInterrupted) = (false, false, false)
            state.lossReason = reason
        }
        if eventFirst { post(.mediaServicesLost(reason: reason)) }
        for player in players { player.fail(Self.lost.message, .mediaServicesFailed) }
        if !eventFirst { post(.mediaServicesLost(reason: reason)) }
    }

    func restoreServer() {
        state.withLock { $0.isServerConnected = true }
        post(.mediaServicesReset)
    }

    func post(_ event: BackendEvent) {
        for observer in state.withLock({ $0.observers }) { observer(event) }
    }

    static let lost = BackendError(code: .session(.mediaServicesFailed), message: "the sound server is gone.")

    /// Plugs the headphones in or out: first the players react as the session would have it, then the observers.
    func setHeadphones(_ arePlugged: Bool) {
        let new = RouteFacts(outputs: [arePlugged ? Self.headphones : Self.speaker])
        let (previous, players) = state.withLock { state in
            defer { state.route = new }
            return (state.route, state.players)
        }
        guard previous != new else { return }
        if !arePlugged { state.withLock { $0.outputLosses += 1 } }
        if !arePlugged { for player in players { player.loseDevice() } }
        if !arePlugged { for queue in state.withLock({ $0.queues }) { queue.loseOutput() } }
        let reason: AVAudioSession.RouteChangeReason = arePlugged ? .newDeviceAvailable : .oldDeviceUnavailable
        if arePlugged { for player in players { player.endWait() } }
        post(.routeChanged(reason: reason, previous: previous, current: new))
    }
}
