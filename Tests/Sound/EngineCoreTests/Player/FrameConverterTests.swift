import EngineCore
import Synchronization
import Testing

@Suite struct FrameConverterTests {
    private func convertAll(_ input: [Float], _ converter: some FrameConverter) -> [Float]? {
        var output = FrameQueue(channels: 1)
        let isWhole = input.withUnsafeBufferPointer { converter.convertAll($0, channels: 1, into: &output) }
        return isWhole ? output.take(output.frames) : nil
    }

    @Test func convertAll_convertsToTheLastFrameThatIsReady() {
        let converter = DoublingConverter()
        // Eight are held back.
        #expect(convertAll([1, 2, 3, 4, 5, 6, 7, 8, 9], converter) == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
        #expect(convertAll([10], converter) == [6, 6])
        #expect(convertAll([], converter) == [])
    }

    @Test func convertAll_whereTheConverterChangesOver_asksForTheRatioAndGoesOn() {
        let converter = HaltingConverter(haltsAt: [2, 3], isReleasedByRatio: true)
        #expect(convertAll([1, 2, 3, 4, 5], converter) == [1, 2, 3, 4, 5])
    }

    @Test func convertAll_whereTheConverterFails_isNothing() {
        #expect(convertAll([1, 2, 3], HaltingConverter(haltsAt: [2], isReleasedByRatio: false)) == nil)
    }
}

/// Passes frames on, and stands still before some of them: until it is asked for its ratio, or for ever.
private final class HaltingConverter: FrameConverter {
    private struct State {
        var passed = 0
        var halts: [Int]
        /// It has shown that it is to change over.
        var isIdle = false
    }

    private let state: Mutex<State>
    private let isReleasedByRatio: Bool

    init(haltsAt halts: [Int], isReleasedByRatio: Bool) {
        state = Mutex(State(halts: halts))
        self.isReleasedByRatio = isReleasedByRatio
    }

    func takeRatio() -> Double {
        state.withLock { state in
            if isReleasedByRatio, state.isIdle, !state.halts.isEmpty { state.halts.removeFirst() }
            state.isIdle = false
        }
        return 1
    }

    func convert(
        _ input: UnsafeBufferPointer<Float>, isEnd: Bool, into output: UnsafeMutableBufferPointer<Float>
    ) -> (consumed: Int, produced: Int) {
        state.withLock { state in
            let count = min(input.count, output.count, (state.halts.first ?? .max) - state.passed)
            _ = output.update(fromContentsOf: input[..<count])
            state.passed += count
            state.isIdle = count == 0
            return (count, count)
        }
    }

    func reset() {}
}
