import AudioModel
import CAudioTypes
import EngineCore
import HostInterface
import RenderCore
import SessionCore
import Synchronization

extension EngineController {
    // MARK: The thread that feeds, or the one that asks for frames

    /// Hands what was captured to the tap, the sinks and the output.
    ///
    /// - Returns: whether there is an input to look after.
    @discardableResult
    func drainInput() -> Bool {
        let input = state.withLock { $0.input }
        guard let input, let open = input.open else { return false }
        open.capture.feed.drain { block, samples in
            deliver(block, samples, of: open.capture.format, to: input)
        }
        return isRunning
    }

    /// - Parameter samples: interleaved, in the device's channels.
    /// - Returns: the same in the node's; nothing from a device of another shape, which the next start captures from.
    @discardableResult
    func deliver(
        _ block: TapBlock, _ samples: UnsafeBufferPointer<Float>, of device: StreamFormat, to input: EngineInput
    ) -> [Float] {
        guard let delivery = input.delivery, delivery.device.hasShape(of: device) else { return [] }
        let mapped = delivery.mapped(samples, frames: block.frames)
        let channels = delivery.format.channels.count
        let rate = delivery.format.sampleRate
        let mostWaitingSeconds = mostWaitingSeconds
        input.core.note(block, rate: rate)
        delivery.tap?.hear(block, mapped, of: delivery.format, mostWaitingSeconds: mostWaitingSeconds)
        mapped.withUnsafeBufferPointer { mapped in
            for sink in delivery.sinks {
                sink.core.receive(
                    block, mapped, inputs: channels, rate: rate, sink.plan, mostWaitingSeconds: mostWaitingSeconds,
                    on: tapCalls)
            }
            input.core.play(interleaved: mapped, channels: channels)
        }
        return mapped
    }
}
