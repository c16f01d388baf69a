import AudioModel
import SessionCore
import Synchronization

@testable import AudioRuntime
@testable import SessionRuntime
@testable import audiosession

/// A recorder without sound, whose time a test advances.
final class FakeRecorder: Recorder {
    private struct State {
        var status = FileRecorder.Status(transport: .init(.ready), duration: 0, lostFrames: 0)
        /// The argument of each `record`.
        var limits: [Double?] = []
    }

    private let state = Mutex(State())
    private let onChange: @Sendable (FileRecorder.Status) -> Void

    let format: RecordFormat

    init(format: RecordFormat, onChange: @escaping @Sendable (FileRecorder.Status) -> Void) {
        self.format = format
        self.onChange = onChange
    }

    var status: FileRecorder.Status { state.withLock { $0.status } }
    var limits: [Double?] { state.withLock { $0.limits } }

    func record(forSeconds seconds: Double?) throws(SessionError) {
        state.withLock { $0.limits.append(seconds) }
        change(to: .playing, .user)
    }

    func pause() { change(to: .paused, .user) }
    func stop() { if status.state != .finished { change(to: .finished, .user) } }
    func takeMeasures() -> [LevelMeasure] { [LevelMeasure(peak: 0.5, sumOfSquares: 0.25, frames: 1)] }

    func run(seconds: Double) { state.withLock { $0.status.duration += seconds } }

    /// The recording stands at 0.
    func standStill() {
        var status = status
        status.isWithoutSound = true
        onChange(status)
    }

    /// Its server is lost.
    func lose() {
        let status = state.withLock { state in
            state.status.transport = .init(
                .failed, .error, failure: .session(SessionError(.mediaServicesFailed, "the server is gone")))
            return state.status
        }
        onChange(status)
    }

    func change(to new: FileRecorder.State, _ cause: FileRecorder.Cause, message: String? = nil) {
        let status = state.withLock { state in
            state.status.transport = .init(new, cause, failure: message.map { .file($0) })
            return state.status
        }
        onChange(status)
    }
}
