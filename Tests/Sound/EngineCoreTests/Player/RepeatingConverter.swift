import EngineCore
import Synchronization

/// Each mono frame as often as it is told, which may change; holds four frames that have come in, as stretchers do.
final class RepeatingConverter: FrameConverter {
    private struct State {
        var wanted = 1
        var times = 1
        /// To come out, and then frames that came in.
        var held: [Float] = []
        var ends = 0
    }

    private let state = Mutex(State())

    /// How often its end has been asked for.
    var ends: Int { state.withLock { $0.ends } }

    func setTimes(_ times: Int) { state.withLock { $0.wanted = times } }

    func takeRatio() -> Double {
        state.withLock { state in
            state.times = state.wanted
            return Double(state.times)
        }
    }

    func convert(
        _ input: UnsafeBufferPointer<Float>, isEnd: Bool, into output: UnsafeMutableBufferPointer<Float>
    ) -> (consumed: Int, produced: Int) {
        state.withLock { state in
            if isEnd, state.held.isEmpty { state.ends += 1 }
            state.held += input
            var produced = 0
            while state.held.count > (isEnd ? 0 : 4), produced + state.times <= output.count {
                for _ in 0..<state.times {
                    output[produced] = state.held[0]
                    produced += 1
                }
                state.held.removeFirst()
            }
            return (input.count, produced)
        }
    }

    func reset() { state.withLock { $0.held = [] } }
}
