import EngineCore

/// Stages one behind the other, as one.
///
/// `@unchecked Sendable`: one thread at a time uses it, as the one that feeds it keeps a lock meanwhile.
final class StageChain: FrameConverter, @unchecked Sendable {
    private let stages: [any FrameConverter]
    private let channels: Int
    /// Interleaved frames in front of each stage but the first, whose are the caller's.
    private var waiting: [[Float]]
    /// Stages that have given all, while the end is coming out.
    private var doneStages = 0
    private var scratch: [Float]

    private static let blockFrames = 1024

    private init(_ stages: [any FrameConverter], channels: Int) {
        self.stages = stages
        self.channels = channels
        waiting = [[Float]](repeating: [], count: stages.count)
        scratch = [Float](repeating: 0, count: Self.blockFrames * channels)
    }

    /// The one stage if there is one, nil if there is none.
    static func make(_ stages: [any FrameConverter], channels: Int) -> (any FrameConverter)? {
        stages.count > 1 ? StageChain(stages, channels: channels) : stages.first
    }

    func takeRatio() -> Double { stages.reduce(1) { $0 * $1.takeRatio() } }

    func convert(
        _ input: UnsafeBufferPointer<Float>, isEnd: Bool, into output: UnsafeMutableBufferPointer<Float>
    ) -> (consumed: Int, produced: Int) {
        if !isEnd { doneStages = 0 }
        let inputFrames = input.count / channels
        let room = output.count / channels
        var (consumed, produced) = (0, 0)
        var moved: Int
        repeat {
            moved = 0
            // From the end, so that there is room for what comes.
            for index in stages.indices.reversed() where index >= doneStages {
                let isLast = index == stages.count - 1
                guard isLast ? produced < room : waiting[index + 1].count < scratch.count else { continue }
                let isFirst = index == 0
                let ends =
                    isEnd && index == doneStages && (isFirst ? consumed == inputFrames : waiting[index].isEmpty)
                let target = isLast ? UnsafeMutableBufferPointer(rebasing: output[(produced * channels)...]) : nil
                let result =
                    isFirst
                    ? run(0, UnsafeBufferPointer(rebasing: input[(consumed * channels)...]), ends, target)
                    : runWaiting(index, ends, target)
                if isFirst { consumed += result.consumed }
                if isLast { produced += result.produced }
                moved += result.consumed + result.produced
                if ends, result.produced == 0 {
                    doneStages += 1
                    moved += 1
                }
            }
        } while moved > 0
        if isEnd, doneStages == stages.count, produced == 0 { doneStages = 0 }
        return (consumed, produced)
    }

    func takeReset() -> Bool {
        let isReset = stages.reduce(false) { $1.takeReset() || $0 }
        if isReset { reset() }
        return isReset
    }

    func reset() {
        for stage in stages { stage.reset() }
        for index in waiting.indices { waiting[index] = [] }
        doneStages = 0
    }

    private func runWaiting(
        _ index: Int, _ ends: Bool, _ target: UnsafeMutableBufferPointer<Float>?
    ) -> (consumed: Int, produced: Int) {
        let frames = waiting[index]
        let result = frames.withUnsafeBufferPointer { run(index, $0, ends, target) }
        waiting[index].removeFirst(result.consumed * channels)
        return result
    }

    /// - Parameter target: nil for the next stage.
    private func run(
        _ index: Int, _ input: UnsafeBufferPointer<Float>, _ ends: Bool, _ target: UnsafeMutableBufferPointer<Float>?
    ) -> (consumed: Int, produced: Int) {
        if let target { return stages[index].convert(input, isEnd: ends, into: target) }
        let result = scratch.withUnsafeMutableBufferPointer {
            stages[index].convert(input, isEnd: ends, into: $0)
        }
        waiting[index + 1] += scratch[..<(result.produced * channels)]
        return result
    }
}
