import EngineCore
import Synchronization
import Testing

/// A converter that knows the rules of `FrameConverter` and objects, and gives its end in small pieces.
final class StrictConverter: FrameConverter {
    private let base: any FrameConverter
    private let pieceFrames: Int
    private let isEnding = Mutex(false)

    /// - Parameters:
    ///   - base: mono.
    ///   - pieceFrames: the most frames that a call gives at the end.
    init(_ base: any FrameConverter, pieceFrames: Int) {
        self.base = base
        self.pieceFrames = pieceFrames
    }

    /// Its end has begun and is not all out.
    var isDraining: Bool { isEnding.withLock { $0 } }

    func takeRatio() -> Double { base.takeRatio() }

    func convert(
        _ input: UnsafeBufferPointer<Float>, isEnd: Bool, into output: UnsafeMutableBufferPointer<Float>
    ) -> (consumed: Int, produced: Int) {
        if output.isEmpty { Issue.record("no room for a frame") }
        guard isEnd else {
            if isDraining, !input.isEmpty { Issue.record("\(input.count) frames came before the end was out") }
            return base.convert(input, isEnd: false, into: output)
        }
        let room = UnsafeMutableBufferPointer(rebasing: output[..<min(pieceFrames, output.count)])
        let result = base.convert(input, isEnd: true, into: room)
        isEnding.withLock { $0 = result.produced > 0 }
        return result
    }

    func reset() {
        isEnding.withLock { $0 = false }
        base.reset()
    }
}
