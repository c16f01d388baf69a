import EngineCore
import HostInterface
import Synchronization

// Reader thread, or the thread that advances virtual time.
extension FilePlayerController {
    /// While there is something to notice: short enough that people take it for the same instant.
    private static let alertSeconds = 0.01
    /// While there is not: well below the read-ahead, below what a meter's tap keeps, and seldom enough to let a processor
    /// sleep.
    private static let restfulSeconds = 0.25

    /// Reads ahead and handles what the renderer reported; returns after how many seconds that is due again.
    @discardableResult
    func pump() -> Double {
        let progress = readAhead.fill()
        measure()
        for event in playback.takeEvents() {
            switch event.kind {
            case .fadeFinished:
                let waiter = shared.withLock {
                    $0.isFading = false
                    return $0.fadeWaiter
                }
                waiter?.raise()
                runtime.asynchronously { [weak self] _ in self?.stopUnlessPlaying() }
            case .drained:
                let seeks = readAhead.seeks
                // In one step, so that no request comes between the end and the session's knowing of it.
                runtime.asynchronously(applying: { [weak self, id] in
                    self?.finish(afterSeeks: seeks) == true ? .playerStopped(id) : nil
                })
            case .sourceEnded, .underrunBegan, .underrunEnded, .discontinuity:
                break
            }
        }
        if slideVolume() || shared.withLock({ $0.isFading }) { return Self.alertSeconds }
        switch progress {
        case .behind: return Self.alertSeconds
        case .resting(let frames):
            return min(max(Double(frames) / sampleRate, Self.alertSeconds), Self.restfulSeconds)
        }
    }

    func startReading() {
        runtime.clock.start(reading) { [weak self] in
            guard let self else { return .ended }
            let seconds = self.pump()
            return self.shared.withLock { $0.isPlaying || $0.isFading } ? .after(seconds) : .whenWoken
        }
    }
}
