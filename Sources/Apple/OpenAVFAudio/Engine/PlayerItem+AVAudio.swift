import AudioRuntime
import EngineCore

/// A scheduled buffer.
///
/// `@unchecked Sendable`: the app must not change a buffer while it is scheduled, as on Apple's platforms.
struct ScheduledBuffer: ItemContent, @unchecked Sendable {
    let buffer: AVAudioPCMBuffer

    func frames(at rate: Double) -> Int64 { Int64(buffer.frameLength) }

    func read(
        from frame: Int64, _ output: UnsafeMutableBufferPointer<Float>, _ frames: Int, as format: StreamFormat
    ) -> Int {
        let count = min(frames, max(0, Int(buffer.frameLength) - Int(frame)))
        guard count > 0 else { return 0 }
        buffer.read(Int(frame)..<Int(frame) + count, into: output, as: format.channels)
        return count
    }
}

extension PlayerItem {
    init(
        _ content: any ItemContent, at time: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions = [],
        _ callback: AVAudioPlayerNodeCompletionCallbackType, _ completion: AVAudioPlayerNodeCompletionHandler?
    ) {
        self.init(content)
        self.time = time.flatMap(NodeTime.init)
        loops = options.contains(.loops)
        if options.contains(.interrupts) {
            interruption = .atOnce
        } else if options.contains(.interruptsAtLoop) {
            interruption = .atLoopEnd
        }
        self.callback =
            switch callback {
            case .dataConsumed: .dataConsumed
            case .dataRendered: .dataRendered
            case .dataPlayedBack: .dataPlayedBack
            }
        if let completion {
            // Called once, on the engine's thread for completion handlers.
            nonisolated(unsafe) let handler = completion
            self.completion = { handler(callback) }
        }
    }
}

extension NodeTime {
    /// A host time counts only if there is no sample time; nil for a time without either.
    init?(_ time: AVAudioTime) {
        if time.isSampleTimeValid {
            self = .sample(time.sampleTime, rate: time.sampleRate)
        } else if time.isHostTimeValid {
            self = .host(time.hostTime)
        } else {
            return nil
        }
    }
}
