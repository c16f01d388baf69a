import AudioModel
import SessionCore
import Synchronization

@testable import AudioFiles
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
        if shouldResume, players.contains(where: \.status.isMeantToPlay) { state.withLock { $0.isActive = true } }
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

/// Plays nothing; its time moves when a test says so.
final class FakePlayer: Player {
    private struct State {
        var status = FilePlayer.Status(state: .ready, cause: .user, position: 0)
        var volume: Float
        var isClosed = false
        var refusal: SessionError?
        var channelMap: [Int]?
        var levels: [String: [Float]] = [:]
    }

    let info: AudioFileInfo
    let policy: StreamPolicy
    private let state: Mutex<State>
    private let studio: FakeStudio
    private let onNews: @Sendable (PlayerNews) -> Void

    init(
        path: String, seconds: Double, policy: StreamPolicy, volume: Float, studio: FakeStudio,
        onNews: @escaping @Sendable (PlayerNews) -> Void
    ) {
        info = AudioFileInfo(
            path: path, formatName: "WAV, 16 bit", sampleRate: 48_000, channels: [.left, .right],
            frameCount: Int64(seconds * 48_000))
        self.policy = policy
        self.studio = studio
        self.onNews = onNews
        state = Mutex(State(volume: volume))
    }

    var status: FilePlayer.Status { state.withLock { $0.status } }
    var volume: Float {
        get { state.withLock { $0.volume } }
        set { state.withLock { $0.volume = newValue } }
    }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    func refuse(_ error: SessionError?) { state.withLock { $0.refusal = error } }

    func play() throws(SessionError) {
        if let refusal = state.withLock({ $0.refusal }) { throw refusal }
        if studio.interruption != nil, policy.onInterruption == .pause {
            state.withLock { $0.status.isMeantToPlay = true }
            return
        }
        do throws(StudioError) { try studio.activate() } catch {
            throw SessionError(.insufficientPriority, error.message)
        }
        state.withLock { $0.status.isMeantToPlay = true }
        change(to: .playing, .user)
    }
    func pause() {
        state.withLock { $0.status.isMeantToPlay = false }
        change(to: .paused, .user)
    }
    func seek(toSeconds seconds: Double) {
        state.withLock { $0.status.position = min(max(0, seconds), info.duration) }
    }
    func close() { state.withLock { $0.isClosed = true } }

    var channelMap: [Int]? { state.withLock { $0.channelMap } }
    func setChannelMap(_ map: [Int]?) throws(SessionError) {
        if let map, map.count != 2 { throw SessionError(.badParam, "the map has \(map.count) entries; give 2.") }
        state.withLock { $0.channelMap = map }
    }
    func resetChannelMap(outputChannels: Int) {
        guard let map = channelMap else { return }
        state.withLock { $0.channelMap = nil }
        onNews(.channelMapReset(ChannelMapReset(map: map, outputChannels: outputChannels)))
    }

    func setLevels(_ levels: [String: [Float]]) { state.withLock { $0.levels = levels } }
    func takeLevels() -> [String: [Float]] { state.withLock { $0.levels } }

    /// Moves the position on while it plays; the end finishes it.
    func run(seconds: Double) {
        let isAtEnd = state.withLock { state in
            guard state.status.state == .playing else { return false }
            state.status.position = min(state.status.position + seconds, info.duration)
            return state.status.position >= info.duration
        }
        if isAtEnd { change(to: .finished, .endOfFile) }
    }

    func interrupt() {
        if status.state == .playing, policy.onInterruption == .pause { change(to: .paused, .interruption) }
    }

    func endInterruption(shouldResume: Bool) {
        guard status.state == .paused, status.isMeantToPlay else { return }
        state.withLock { $0.status.isMeantToPlay = shouldResume }
        if shouldResume { change(to: .playing, .user) }
    }

    func loseDevice() {
        guard status.state == .playing, policy.onDeviceLoss == .pause else { return }
        state.withLock { $0.status.isMeantToPlay = false }
        change(to: .paused, .oldDeviceUnavailable)
    }

    func fail(_ message: String, _ code: SessionError.Code? = nil) {
        state.withLock { ($0.status.message, $0.status.errorCode, $0.status.isMeantToPlay) = (message, code, false) }
        change(to: .failed, .error)
    }

    private func change(to new: FilePlayer.State, _ cause: FilePlayer.Cause) {
        let status = state.withLock { state -> FilePlayer.Status? in
            guard !state.isClosed, state.status.state != new else { return nil }
            state.status.state = new
            state.status.cause = cause
            return state.status
        }
        if let status { onNews(.status(status)) }
    }
}

/// The plug of a `FakeStudio`; samples are 1 wherever the player plays, at 1000 Hz.
final class FakePhone: SimulatedPhone {
    private struct State {
        weak var studio: FakeStudio?
        var now = 0.0
        var headphones: [Float] = []
        var speaker: [Float] = []
        var leaksToSpeaker = false
    }

    private let state = Mutex(State())

    func connect(to studio: FakeStudio) { state.withLock { $0.studio = studio } }
    func leakToSpeaker() { state.withLock { $0.leaksToSpeaker = true } }

    func plugHeadphones() { state.withLock { $0.studio }?.setHeadphones(true) }
    func unplugHeadphones() { state.withLock { $0.studio }?.setHeadphones(false) }
    func runInRealTime() {}
    func receiveCall() { state.withLock { $0.studio }?.interrupt() }
    func endCall() { state.withLock { $0.studio }?.endInterruption(shouldResume: true) }
    func startOtherApp() { state.withLock { $0.studio }?.interrupt() }
    func killOtherApp() { state.withLock { $0.studio }?.endInterruption(shouldResume: false) }
    func crashServer() { state.withLock { $0.studio }?.loseServer() }
    func restartServer() { state.withLock { $0.studio }?.restoreServer() }

    var now: Double { state.withLock { $0.now } }

    func advance(bySeconds seconds: Double) {
        guard let studio = state.withLock({ $0.studio }) else { return }
        let isPlaying = studio.players.last?.status.state == .playing
        let onHeadphones = studio.currentRoute.outputs == [FakeStudio.headphones]
        let frames = Int((seconds * 1000).rounded())
        state.withLock { state in
            state.now += seconds
            let leaks = state.leaksToSpeaker && !onHeadphones
            state.headphones += Array(repeating: isPlaying && onHeadphones ? 1 : 0, count: frames)
            state.speaker += Array(repeating: leaks || (isPlaying && !onHeadphones) ? 1 : 0, count: frames)
        }
        studio.players.last?.run(seconds: seconds)
    }

    var recordings: [PortRecording] {
        state.withLock { state in
            [
                PortRecording(port: FakeStudio.headphones, sampleRate: 1000, channels: [state.headphones]),
                PortRecording(port: FakeStudio.speaker, sampleRate: 1000, channels: [state.speaker]),
            ]
        }
    }
}
