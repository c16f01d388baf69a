import Synchronization

@testable import audiosession

/// The plug of a `FakeStudio`; samples are 1 wherever the player plays, at 1000 Hz.
final class FakePhone: SimulatedPhone {
    private struct State {
        weak var studio: FakeStudio?
        var now = 0.0
        var headphones: [Float] = []
        var speaker: [Float] = []
        var leaksToSpeaker = false
        /// When the player meets a fault in its file.
        var faultTime = Double.infinity
    }

    private let state = Mutex(State())

    func connect(to studio: FakeStudio) { state.withLock { $0.studio = studio } }
    func leakToSpeaker() { state.withLock { $0.leaksToSpeaker = true } }
    func breakFile(atTime time: Double) { state.withLock { $0.faultTime = time } }

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
        if state.withLock({ $0.now >= $0.faultTime }) { studio.players.last?.fail("the file is damaged.") }
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
