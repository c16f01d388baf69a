import AudioModel
import SessionCore
import Synchronization

@testable import AudioFiles
@testable import AudioRuntime
@testable import audiosession

/// A player without sound, whose time a test advances.
final class FakePlayer: Player {
    private struct State {
        var status = FilePlayer.Status(transport: .init(.ready), position: 0)
        var volume: Float
        var isClosed = false
        var refusal: SessionError?
        var channelMap: [Int]?
        var levels: [String: [Float]] = [:]
        var info: AudioFileInfo
        var next: (number: UInt64, info: AudioFileInfo)?
        var lastNumber: UInt64 = 0
        var rate: Float?
        var repetitions = 0
    }

    var info: AudioFileInfo { state.withLock { $0.info } }
    /// Paths that contain "radio" are.
    var isLive: Bool { info.path.contains("radio") }
    let policy: StreamPolicy
    private let state: Mutex<State>
    private let backend: FakeBackend
    private let onReport: @Sendable (FakePlayer, Report) -> Void

    /// As the closures of a `FilePlayer`.
    enum Report {
        case status(FilePlayer.Status)
        case channelMapReset(ChannelMapReset)
        case began(UInt64)
    }

    init(
        path: String, seconds: Double, policy: StreamPolicy, volume: Float, backend: FakeBackend,
        onReport: @escaping @Sendable (FakePlayer, Report) -> Void
    ) {
        self.policy = policy
        self.backend = backend
        self.onReport = onReport
        state = Mutex(State(volume: volume, info: Self.info(path, seconds: seconds)))
    }

    /// Paths that contain "mono" have another number of channels.
    static func info(_ path: String, seconds: Double) -> AudioFileInfo {
        AudioFileInfo(
            path: path, formatName: "WAV, 16 bit", sampleRate: 48_000,
            channels: path.contains("mono") ? [.mono] : [.left, .right], frameCount: Int64(seconds * 48_000))
    }

    var status: FilePlayer.Status { state.withLock { $0.status } }
    var volume: Float {
        get { state.withLock { $0.volume } }
        set { state.withLock { $0.volume = newValue } }
    }
    var rate: Float? {
        get { state.withLock { $0.rate } }
        set { state.withLock { $0.rate = newValue } }
    }
    var repetitions: Int {
        get { state.withLock { $0.repetitions } }
        set { state.withLock { $0.repetitions = newValue } }
    }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    func refuse(_ error: SessionError?) { state.withLock { $0.refusal = error } }

    private func onEvent(_ report: Report) { onReport(self, report) }

    func play() throws(SessionError) {
        if let refusal = state.withLock({ $0.refusal }) { throw refusal }
        if backend.interruption != nil, policy.onInterruption != .ignore {
            state.withLock { $0.status.transport.playWhenReady = true }
            return
        }
        do throws(BackendError) { try backend.activate() } catch {
            throw SessionError(error.isServerLoss ? .mediaServicesFailed : .insufficientPriority, error.message)
        }
        state.withLock { $0.status.transport.playWhenReady = true }
        let outputs = backend.currentRoute.outputs
        let waits = outputs.isEmpty || policy.continuesPrivately && outputs == [FakeBackend.speaker]
        change(to: waits ? .paused : .playing, waits ? .noSuitableRoute : .user)
    }
    func pause() {
        state.withLock { $0.status.transport.playWhenReady = false }
        change(to: .paused, .user)
    }
    func seek(toSeconds seconds: Double) {
        state.withLock { $0.status.position = min(max(0, seconds), $0.info.duration) }
    }
    func close() { state.withLock { $0.isClosed = true } }

    /// - Returns: nil where it cannot be joined.
    func setNext(path: String) -> UInt64? {
        guard let seconds = backend.seconds(of: path) else { return nil }
        let next = Self.info(path, seconds: seconds)
        return state.withLock { state in
            guard next.channels == state.info.channels else { return nil }
            state.lastNumber += 1
            state.next = (state.lastNumber, next)
            return state.lastNumber
        }
    }

    func takeNextAway() { state.withLock { $0.next = nil } }

    var channelMap: [Int]? { state.withLock { $0.channelMap } }
    func setChannelMap(_ map: [Int]?) throws(SessionError) {
        if let map, map.count != 2 { throw SessionError(.badParam, "the map has \(map.count) entries; give 2.") }
        state.withLock { $0.channelMap = map }
    }
    func resetChannelMap(outputChannels: Int) {
        guard let map = channelMap else { return }
        state.withLock { $0.channelMap = nil }
        onEvent(.channelMapReset(ChannelMapReset(map: map, outputChannels: outputChannels)))
    }

    func setLevels(_ levels: [String: [Float]]) { state.withLock { $0.levels = levels } }
    func takeLevels() -> [String: [Float]] { state.withLock { $0.levels } }

    /// Advances the position while it plays; at the end the joined file begins, or it finishes.
    func run(seconds: Double) {
        let (isAtEnd, began) = state.withLock { state -> (Bool, UInt64?) in
            guard state.status.state == .playing else { return (false, nil) }
            state.status.position = min(state.status.position + seconds, state.info.duration)
            guard state.status.position >= state.info.duration else { return (false, nil) }
            if state.repetitions != 0, state.info.duration > 0 {
                (state.status.position, state.repetitions) = (0, state.repetitions - 1)
                return (false, nil)
            }
            guard let next = state.next else { return (true, nil) }
            (state.info, state.status.position, state.next) = (next.info, 0, nil)
            return (false, next.number)
        }
        if let began { onEvent(.began(began)) }
        if isAtEnd { change(to: .finished, .endOfFile) }
    }

    /// What its server sends does not suffice, or does again.
    func report(isWaiting: Bool) {
        let status = state.withLock { state in
            state.status.isWaiting = isWaiting
            return state.status
        }
        onEvent(.status(status))
    }

    func interrupt() {
        guard status.state == .playing, policy.onInterruption != .ignore else { return }
        if policy.onInterruption == .pause { state.withLock { $0.status.transport.playWhenReady = false } }
        change(to: .paused, .interruption)
    }

    func endInterruption(shouldResume: Bool) {
        guard status.state == .paused, status.playWhenReady else { return }
        state.withLock { $0.status.transport.playWhenReady = shouldResume }
        if shouldResume { change(to: .playing, .user) }
    }

    /// The outputs are private again.
    func endWait() {
        if status.state == .paused, status.cause == .noSuitableRoute, status.playWhenReady {
            change(to: .playing, .user)
        }
    }

    func loseDevice() {
        guard status.state == .playing, policy.onDeviceLoss == .pause else { return }
        state.withLock { $0.status.transport.playWhenReady = false }
        change(to: .paused, .oldDeviceUnavailable)
    }

    func fail(_ message: String, _ code: SessionError.Code? = nil) {
        state.withLock { state in
            state.status.transport.failure = code.map { .session(SessionError($0, message)) } ?? .file(message)
            state.status.transport.playWhenReady = false
        }
        change(to: .failed, .error)
    }

    private func change(to new: FilePlayer.State, _ cause: FilePlayer.Cause) {
        let status = state.withLock { state -> FilePlayer.Status? in
            guard !state.isClosed, state.status.state != new else { return nil }
            (state.status.transport.state, state.status.transport.cause) = (new, cause)
            return state.status
        }
        if let status { onEvent(.status(status)) }
    }
}
