internal import SessionRuntime
import Synchronization

/// How far a recording has come: what was written last, for threads that must not wait for the disk.
///
/// Any thread.
final class RecordingProgress: Sendable {
    private let state = Mutex(State())

    private struct State {
        var frames: Int64 = 0
        var lostFrames = 0
        /// Of each channel: since they were taken, as soon as something has been written since.
        var measures: [LevelMeasure] = []
        var areMeasuresTaken = false
    }

    /// In the file, and how many of them are silence for want of time.
    var frames: (written: Int64, lost: Int) { state.withLock { ($0.frames, $0.lostFrames) } }

    /// The same again where nothing has been written since the last call.
    func takeMeasures() -> [LevelMeasure] {
        state.withLock { state in
            state.areMeasuresTaken = true
            return state.measures
        }
    }

    /// The writer says, after each write, what it was and how much is in the file now.
    func noteWritten(_ samples: UnsafeBufferPointer<Float>, channels: Int, frames: Int64) {
        state.withLock { state in
            state.frames = frames
            if state.areMeasuresTaken || state.measures.isEmpty {
                state.measures = LevelMeasure.none(channels: channels)
            }
            state.areMeasuresTaken = false
            state.measures.add(interleaved: samples)
        }
    }

    func noteLost(_ frames: Int) { state.withLock { $0.lostFrames += frames } }
}
