import AudioModel
import SessionCore
import Synchronization

@testable import AudioFiles
@testable import AudioRuntime
@testable import OpenAVFAudio
@testable import audiosession

/// A library that knows no sound: tests hold the plug and read what was asked of it.
final class FakeStudio: Studio {
    static let speaker = PortFacts(uid: "sim.speaker", name: "Speaker", portType: "Speaker", channels: 2)
    static let headphones = PortFacts(uid: "sim.headphones", name: "Cans", portType: "Headphones", channels: 2)

    private struct State {
        var route = RouteFacts(outputs: [headphones])
        var observers: [@Sendable (StudioEvent) -> Void] = []
        var players: [FakePlayer] = []
        var recorders: [FakeRecorder] = []
        var isClosed = false
        var configurations: [SessionConfiguration] = []
        var isInterrupted = false
        var isServerThere = true
        var isActive = false
        var refusal: StudioError?
        var choice = OutputChoice.automatic
        var outputs = [headphones, speaker]
    }

    private let state = Mutex(State())
    /// Seconds of each file by its path; others do not exist.
    private let files: [String: Double]
    private let fakePhone: FakePhone?

    init(files: [String: Double], isSimulated: Bool = false) {
        self.files = files
        fakePhone = isSimulated ? FakePhone() : nil
        fakePhone?.connect(to: self)
    }

    var hostName: String { fakePhone == nil ? "pipewire" : "simulated" }
    var currentRoute: RouteFacts { state.withLock { $0.route } }
    var ports: PortInventory {
        PortInventory(entries: [
            .init(port: Self.headphones, isOutput: true, isDefault: true),
            .init(port: Self.speaker, isOutput: true, isDefault: false),
        ])
    }
    var phone: (any SimulatedPhone)? { fakePhone }
    var players: [FakePlayer] { state.withLock { $0.players } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    var interruption: InterruptionReason? { state.withLock { $0.isInterrupted ? .default : nil } }
    var isServerThere: Bool { state.withLock { $0.isServerThere } }
    var isActive: Bool { state.withLock { $0.isActive } }
    /// What it has been configured to, one after the other.
    var configurations: [SessionConfiguration] { state.withLock { $0.configurations } }

    func configure(_ configuration: SessionConfiguration) throws(StudioError) {
        state.withLock { $0.configurations.append(configuration) }
    }

    var outputs: OutputFacts {
        state.withLock { state in
            let isSeveral = state.configurations.last?.category == .multiRoute
            let chosen = state.outputs.filter { state.choice == .port(uid: $0.uid) }
            return OutputFacts(
                all: state.outputs, current: chosen.isEmpty ? isSeveral ? state.outputs : state.route.outputs : chosen,
                choice: state.choice)
        }
    }
    /// What is connected, best first; the players are told nothing.
    func connect(_ outputs: [PortFacts]) { state.withLock { $0.outputs = outputs } }

    func choose(_ choice: OutputChoice) throws(StudioError) {
        let isThere = outputs.all.contains { .port(uid: $0.uid) == choice } || choice == .automatic
        guard isThere else { throw StudioError(code: "noSuchDevice", message: "it is not connected; plug it in.") }
        state.withLock { $0.choice = choice }
    }

    func activate() throws(StudioError) {
        let refusal = state.withLock { state in
            if state.refusal == nil { (state.isActive, state.isInterrupted) = (true, false) }
            return state.refusal
        }
        if let refusal { throw refusal }
    }

    func deactivate() { state.withLock { $0.isActive = false } }

    func observe(_ deliver: @escaping @Sendable (StudioEvent) -> Void) {
        state.withLock { $0.observers.append(deliver) }
    }

    func makePlayer(
        path: String, policy: StreamPolicy, role: String, volume: Float,
        onNews: @escaping @Sendable (PlayerNews) -> Void
    ) throws(StudioError) -> any Player {
        guard isServerThere else { throw Self.lost }
        guard let seconds = files[path] else {
            throw StudioError(code: "notFound", message: "there is no file '\(path)'; check the path.")
        }
        let player = FakePlayer(
            path: path, seconds: seconds, policy: policy, volume: volume, studio: self, onNews: onNews)
        state.withLock { $0.players.append(player) }
        return player
    }

    func makeRecorder(
        path: String, onChange: @escaping @Sendable (FileRecorder.Status) -> Void
    ) throws(StudioError) -> any Recorder {
        let recorder = FakeRecorder(onChange: onChange)
        state.withLock { $0.recorders.append(recorder) }
        return recorder
    }
    var recorders: [FakeRecorder] { state.withLock { $0.recorders } }
    /// A microphone comes, or all of them go.
    func setInputs(_ inputs: [PortFacts]) { state.withLock { $0.route.inputs = inputs } }

    func close() { state.withLock { $0.isClosed = true } }

    /// Another session takes the sound; nothing is heard of it if it was taken before.
    func interrupt() {
        let wasActive = state.withLock { state in
            defer { (state.isActive, state.isInterrupted) = (false, true) }
            return state.isActive
        }
        guard wasActive else { return }
        for player in players { player.interrupt() }
        tell(.interruptionBegan(reason: .default))
    }

    /// The other session is done.
    func endInterruption(shouldResume: Bool) {
        state.withLock { $0.isInterrupted = false }
        tell(.interruptionEnded(shouldResume: shouldResume))
        if shouldResume, players.contains(where: \.status.playWhenReady) { state.withLock { $0.isActive = true } }
        for player in players { player.endInterruption(shouldResume: shouldResume) }
    }

    /// From now on the session may not be made active, as while a call is on; nil lifts that.
    func refuse(_ error: StudioError?) { state.withLock { $0.refusal = error } }

    /// The sound server dies.
    ///
    /// - Parameter newsFirst: whether the loss is told before the players' failure, which comes on another thread.
    func loseServer(newsFirst: Bool = false) {
        state.withLock { ($0.isServerThere, $0.isActive, $0.isInterrupted) = (false, false, false) }
        if newsFirst { tell(.mediaServicesLost) }
        for player in players { player.fail(Self.lost.message, .mediaServicesFailed) }
        if !newsFirst { tell(.mediaServicesLost) }
    }

    func restoreServer() {
        state.withLock { $0.isServerThere = true }
        tell(.mediaServicesReset)
    }

    func tell(_ event: StudioEvent) {
        for observer in state.withLock({ $0.observers }) { observer(event) }
    }

    static let lost = StudioError(code: "mediaServicesFailed", message: "the sound server is gone.")

    /// The headphones go, or come: the players are told as the session would tell them, then the observers.
    func setHeadphones(_ arePlugged: Bool) {
        let new = RouteFacts(outputs: [arePlugged ? Self.headphones : Self.speaker])
        let (previous, players) = state.withLock { state in
            defer { state.route = new }
            return (state.route, state.players)
        }
        guard previous != new else { return }
        if !arePlugged { for player in players { player.loseDevice() } }
        let reason: RouteChangeReason = arePlugged ? .newDeviceAvailable : .oldDeviceUnavailable
        tell(.routeChanged(reason: reason, previous: previous, current: new))
    }
}
