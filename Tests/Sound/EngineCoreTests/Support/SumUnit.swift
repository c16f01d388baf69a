import CRealtime
import EngineCore
import Synchronization

/// A processor for tests: y[n] = gain times the sum over the busses of x[n] / (bus + 1), plus `feedback` times y[n - 1].
///
/// An output channel takes the channel of its number of each bus, counted round.
final class SumUnit: ProcessorUnit {
    let inputCount: Int?
    let feedback: Float
    let (gain, gainStep): (Float, Float)
    let quietFrames: UInt32
    /// Those that are alive.
    let alive = Atomic<Int>(0)

    init(
        inputCount: Int? = 1, feedback: Float = 0, gain: Float = 1, gainStep: Float = 1, quietFrames: UInt32 = 0
    ) {
        (self.inputCount, self.feedback, self.quietFrames) = (inputCount, feedback, quietFrames)
        (self.gain, self.gainStep) = (gain, gainStep)
    }

    func check(_ shape: ProcessorShape, title: String) throws(GraphError) {}

    func makeProcessor(_ shape: ProcessorShape) throws(GraphError) -> any UnitProcessor {
        SumProcessor(self, channels: shape.output.channels.count)
    }
}

/// `@unchecked Sendable`: only the thread that renders looks at the state.
final class SumProcessor: UnitProcessor, @unchecked Sendable {
    struct State {
        var feedback: Float
        /// Moves to `wantedGain` by `gainStep` a frame.
        var gain: Float
        var wantedGain: Float
        var gainStep: Float
        var calls = 0
        var resets = 0
        var isBroken = false
        var inputFlags: UInt32 = 0
    }

    private let unit: SumUnit
    let state: UnsafeMutablePointer<State>
    private let last: UnsafeMutablePointer<Float>
    private let context: UnsafeMutablePointer<(UnsafeMutablePointer<State>, UnsafeMutablePointer<Float>, Int)>
    let processor: oav_processor
    let latencyFrames = 7

    init(_ unit: SumUnit, channels: Int) {
        self.unit = unit
        unit.alive.add(1, ordering: .relaxed)
        state = .allocate(capacity: 1)
        state.initialize(
            to: State(
                feedback: unit.feedback, gain: unit.gain, wantedGain: unit.gain, gainStep: unit.gainStep))
        last = .allocate(capacity: channels)
        last.initialize(repeating: 0, count: channels)
        context = .allocate(capacity: 1)
        context.initialize(to: (state, last, channels))
        processor = oav_processor(
            process: { context, process in
                guard let context else { return }
                let (state, last, _) = context.assumingMemoryBound(
                    to: (UnsafeMutablePointer<State>, UnsafeMutablePointer<Float>, Int).self
                ).pointee
                state.pointee.calls += 1
                let process = process.pointee
                state.pointee.inputFlags = process.input_count > 0 ? process.inputs[0].flags : 0
                let (first, wanted, step) = (state.pointee.gain, state.pointee.wantedGain, state.pointee.gainStep)
                for channel in 0..<Int(process.output.channel_count) {
                    state.pointee.gain = first
                    for frame in 0..<Int(process.frames) {
                        state.pointee.gain += min(max(wanted - state.pointee.gain, -step), step)
                        var sum: Float = 0
                        for bus in 0..<Int(process.input_count) {
                            let input = process.inputs[bus]
                            sum += input.channels[channel % Int(input.channel_count)][frame] / Float(bus + 1)
                        }
                        last[channel] =
                            state.pointee.isBroken
                            ? .nan : sum * state.pointee.gain + state.pointee.feedback * last[channel]
                        process.output.channels[channel][frame] = last[channel]
                    }
                }
            },
            reset: { context in
                guard let context else { return }
                let (state, last, channels) = context.assumingMemoryBound(
                    to: (UnsafeMutablePointer<State>, UnsafeMutablePointer<Float>, Int).self
                ).pointee
                state.pointee.resets += 1
                last.update(repeating: 0, count: channels)
            },
            context: context, quiet_frames: unit.quietFrames)
    }

    deinit {
        context.deallocate()
        state.deallocate()
        last.deallocate()
        unit.alive.subtract(1, ordering: .relaxed)
    }
}
