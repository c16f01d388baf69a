import AudioModel
import Synchronization

@testable import ProgramRuntime
@testable import SessionRuntime
@testable import audiosession

/// The controls of a `FakeBackend`; samples are 1 where the player plays, at 1000 Hz.
final class FakeSimulator: SimulatorControls {
    private struct State {
        weak var backend: FakeBackend?
        var now = 0.0
        var headphones: [Float] = []
        var speaker: [Float] = []
    }

    private let state = Mutex(State())

    func connect(to backend: FakeBackend) { state.withLock { $0.backend = backend } }

    func plugHeadphones() { state.withLock { $0.backend }?.setHeadphones(true) }
    func unplugHeadphones() { state.withLock { $0.backend }?.setHeadphones(false) }
    func receiveCall() { state.withLock { $0.backend }?.interrupt() }
    func endCall() { state.withLock { $0.backend }?.endInterruption(shouldResume: true) }
    func crashServer() { state.withLock { $0.backend }?.loseServer() }
    func restartServer() { state.withLock { $0.backend }?.restoreServer() }

    var now: Double { state.withLock { $0.now } }

    func advance(bySeconds seconds: Double) {
        guard let backend = state.withLock({ $0.backend }) else { return }
        let isPlaying = backend.players.last?.status.state == .playing
        let onHeadphones = backend.currentRoute.outputs == [FakeBackend.headphones]
        let frames = Int((seconds * 1000).rounded())
        state.withLock { state in
            state.now += seconds
            state.headphones += Array(repeating: isPlaying && onHeadphones ? 1 : 0, count: frames)
            state.speaker += Array(repeating: isPlaying && !onHeadphones ? 1 : 0, count: frames)
        }
        backend.players.last?.run(seconds: seconds)
    }

    var captures: [SimulatedMachineControls.Capture] {
        state.withLock { state in
            [
                .init(port: Self.port(.headphones), sampleRate: 1000, channels: [state.headphones]),
                .init(port: Self.port(.builtInSpeaker), sampleRate: 1000, channels: [state.speaker]),
            ]
        }
    }

    static func port(_ kind: PortKind) -> Port {
        Port(uid: "\(kind)", name: "\(kind)", kind: kind, direction: .output, channels: [.left, .right])
    }
}
