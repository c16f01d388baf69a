import EngineCore
import Synchronization

/// Twice the rate: each mono frame twice, and eight frames late, as real converters are.
final class DoublingConverter: FrameConverter {
    private let held = Mutex<[Float]>([])

    func takeRatio() -> Double { 2 }

    func convert(
        _ input: UnsafeBufferPointer<Float>, isEnd: Bool, into output: UnsafeMutableBufferPointer<Float>
    ) -> (consumed: Int, produced: Int) {
        held.withLock { held in
            // Takes no more than an odd number at once.
            let consumed = min(input.count, 7)
            for sample in input.prefix(consumed) { held += [sample, sample] }
            let produced = min(max(0, held.count - (isEnd ? 0 : 8)), output.count)
            for index in 0..<produced { output[index] = held[index] }
            held.removeFirst(produced)
            return (consumed, produced)
        }
    }

    func reset() { held.withLock { $0 = [] } }
}
