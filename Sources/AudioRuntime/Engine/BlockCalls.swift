package import EngineCore
package import RenderCore
import Synchronization

/// Takes what a tap or a sink heard: interleaved, in the format.
///
/// Called on the engine's thread for taps.
package typealias SampleReceiver = @Sendable (CycleBlock, [Float], StreamFormat) -> Void

/// The calls that wait for the block of one tap or sink.
///
/// Producer: the thread that feeds. Consumer: the engine's thread for taps. Full where a block takes longer than what it
/// hears, or never returns: what comes then is dropped and counted.
final class BlockCalls: Sendable {
    private let state = Mutex(State())

    private struct State {
        var waitingNanoseconds: Int64 = 0
        var droppedFrames = 0
    }

    /// Frames that the block was not called with.
    var droppedFrames: Int { state.withLock { $0.droppedFrames } }

    /// - Parameters:
    ///   - frames: what the call is about, at `rate` in hertz.
    ///   - mostSeconds: of sound that may wait already.
    func enqueue(
        _ frames: Int, rate: Double, mostSeconds: Double, on thread: DeliveryThread,
        _ call: @escaping DeliveryThread.Work
    ) {
        let nanoseconds = Int64(Double(frames) / rate * 1e9)
        let hasRoom = state.withLock { state in
            guard state.waitingNanoseconds < Int64(mostSeconds * 1e9) else {
                state.droppedFrames += frames
                return false
            }
            state.waitingNanoseconds += nanoseconds
            return true
        }
        guard hasRoom else { return }
        thread.enqueue {
            self.state.withLock { $0.waitingNanoseconds -= nanoseconds }
            call()
        }
    }
}
