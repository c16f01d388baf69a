package import EngineCore
import Foundation
package import RenderCore
internal import SessionRuntime
import Synchronization

/// Takes what a sink heard: interleaved, in the format.
package typealias SampleReceiver = @Sendable (CycleBlock, [Float], StreamFormat) -> Void

/// The calls that wait for the block of one tap or sink.
///
/// Producer: the thread that feeds. Consumer: the engine's thread for taps. Full where a block takes longer than what it
/// hears, or never returns: what comes then is dropped, which the sample times show.
final class BlockCalls: Sendable {
    private let waitingNanoseconds = Mutex<Int64>(0)

    /// - Parameters:
    ///   - frames: what the call is about, at `rate` in hertz.
    ///   - mostSeconds: of sound that may wait already.
    func enqueue(
        _ frames: Int, rate: Double, mostSeconds: Double, on thread: DeliveryThread,
        _ call: @escaping DeliveryThread.Work
    ) {
        let nanoseconds = Int64(Double(frames) / rate * 1e9)
        let hasRoom = waitingNanoseconds.withLock { waiting in
            guard waiting < Int64(mostSeconds * 1e9) else { return false }
            waiting += nanoseconds
            return true
        }
        guard hasRoom else { return }
        thread.enqueue {
            self.waitingNanoseconds.withLock { $0 -= nanoseconds }
            call()
        }
    }
}

/// Tells the app, on its standard error, that a block does not keep up with the cycle.
///
/// - Parameters:
///   - node: "source".
///   - turn: when the block is called from now on: "ahead of" or "after" the cycle.
///   - consequence: "its sound is up to 0.1 s late".
func tellSlowBlock(of node: String, called turn: String, _ consequence: String) {
    let text =
        "The block of a \(node) node took longer than its cycle of the audio device, and is called \(turn) it from now on, "
        + "until the engine starts again: \(consequence). Do not wait, lock or allocate in the block.\n"
    FileHandle.standardError.write(Data(text.utf8))
}
