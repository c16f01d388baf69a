import Foundation
import HostInterface
import Synchronization

extension FilePlayerController {
    /// Application thread: fades out and waits until the fade has left the machine, at most 0.3 s.
    func fadeOut() {
        let faded = Latch()
        let stream = shared.withLock { shared -> (any HostStream)? in
            shared.fadeWaiter = faded
            guard shared.isPlaying || shared.isFading else { return nil }
            shared.isFading = true
            return shared.stream
        }
        guard let stream else { return }
        playback.pause()
        reading.wake()
        runtime.clock.waitForFade(faded, latencySeconds: Double(stream.latencyFrames) / sampleRate)
    }

    /// Leaves the stream to be closed by its owner; from now on nothing plays.
    ///
    /// Session thread, so that no `start` is on its way with the stream; any thread once there is no session thread.
    func detach() {
        shared.withLock { shared in
            shared.stream = nil
            shared.isFading = false
            shared.playWhenReady = false
            shared.suppression = nil
            if shared.isPlaying { (shared.state, shared.cause) = (.paused, .user) }
        }
    }

    /// The reader thread ends soon.
    func end() {
        detach()
        reading.end()
    }
}
