import AudioModel
import EngineCore
import Synchronization

/// When a file player begins, and how fast it plays.
extension FilePlayerCore {
    // MARK: Any thread

    var rate: Float? { readAhead.rate }

    // MARK: Session thread

    /// - Parameter rate: of playback; nil: the file's own speed, and bit by bit.
    func setRate(_ rate: Float?) {
        let isSwitched = (rate == nil) != (readAhead.rate == nil)
        readAhead.rate = rate
        // What has been read ahead is read anew in the other way.
        if isSwitched, readAhead.seekTarget == nil { readAhead.seek(toFrame: readAhead.fileFrame) }
        reading.wake()
    }

    /// The user wants it to play; `start` or `suppress` follows where it does not yet.
    ///
    /// - Parameter time: from when it is to sound; nil: at once.
    func noteRequest(toPlayAt time: HostTime?) {
        let isPlaying = shared.withLock {
            $0.startTime = time
            return $0.isPlaying
        }
        beginAnewIfOver()
        if isPlaying { playFromStartTime() }
    }

    /// A time that is past is as good as now: so it is after what was in the way of a start.
    func playFromStartTime() {
        if let time = shared.withLock({ $0.startTime }) { playback.play(at: time) } else { playback.play() }
    }
}
