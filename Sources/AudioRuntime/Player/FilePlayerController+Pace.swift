import AudioModel
import EngineCore
import Synchronization

/// When a file player begins, and how fast it plays.
extension FilePlayerController {
    // MARK: Any thread

    /// Of playback; nil: the file's own speed, and bit by bit.
    var rate: Float? { readAhead.rate }

    func setRate(_ rate: Float?) {
        readAhead.rate = rate
        reading.wake()
    }

    // MARK: Session thread

    /// The user wants it to play; `start` or `suppress` follows where it does not yet.
    ///
    /// - Parameter time: from when it is to sound; nil: at once.
    func noteRequest(toPlayAt time: HostTime?) {
        let isPlaying = shared.withLock {
            $0.startTime = time
            return $0.isPlaying
        }
        // What plays fades out before it waits, and no more may be left of it.
        let isToWait = isPlaying && time.map { $0 > runtime.host.now() } == true
        if isOver(in: isToWait ? playback.rampFrames : 0) {
            readAhead.repeatAtEnd(times: repetitions)
            rewind(toSeconds: 0)
        }
        if isPlaying { playFromStartTime() }
    }

    /// Whether nothing is left to play after so many frames, be it that nobody has noticed yet.
    func isOver(in frames: Int = 0) -> Bool {
        if shared.withLock({ $0.state }) == .finished { return true }
        return readAhead.seekTarget == nil && readAhead.isPlayedOut(in: frames)
    }

    /// A time that is past is as good as now: so it is after what was in the way of a start.
    func playFromStartTime() {
        if let time = shared.withLock({ $0.startTime }) { playback.play(at: time) } else { playback.play() }
    }
}
