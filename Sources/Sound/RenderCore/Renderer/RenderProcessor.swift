package import CRealtime
import Synchronization

/// A processor with the memory that it works on; outlives the plans that name it.
///
/// - Any thread: `requestReset`.
/// - Render thread: everything else.
package struct RenderProcessor: ~Copyable {
    package let processor: oav_processor
    /// What is due of the unit's parameters; nil for one that has none of its own.
    let schedule: UnsafeMutablePointer<ParameterSchedule>?
    /// Of the output bus.
    package let channels: Int
    package let inputCount: Int
    /// Channels of all input busses: the processor's rows in a plan.
    package let inputChannels: Int
    /// Samples from one row to the next.
    let rowStride: Int
    /// [channel][rowStride]: the current cycle's frames of the output.
    let rows: UnsafeMutablePointer<Float>
    /// [input channel][rowStride]: what was mixed for an input; not all are used.
    let inputRows: UnsafeMutablePointer<Float>
    /// `inputCount` busses; their channels point to `inputPointers`.
    let inputs: UnsafeMutablePointer<oav_bus>
    /// [input channel]: where its frames are.
    let inputPointers: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    /// [channel]: the rows of the output.
    let outputPointers: UnsafePointer<UnsafeMutablePointer<Float>>
    /// [channel]: the last frame before the plans changed.
    let last: UnsafeMutablePointer<Float>
    let state: UnsafeMutablePointer<ProcessorState>
    /// How often a reset was asked for.
    private let resets = Atomic<UInt32>(0)

    /// - Parameters:
    ///   - schedule: carried out before each cycle.
    ///   - inputs: `inputCount` busses with their counts of channels; where these are is set here.
    ///   - rowStride: the most frames of one cycle, or more.
    ///   - rows: `channels * rowStride` samples.
    ///   - inputRows: `rowStride` samples for each channel of an input.
    ///   - inputPointers: one for each channel of an input.
    ///   - outputPointers: `channels`.
    ///   - last: `channels` samples.
    @_noLocks @_noAllocation
    package init(
        _ processor: oav_processor, schedule: UnsafeMutablePointer<ParameterSchedule>?,
        inputs: UnsafeMutablePointer<oav_bus>, inputCount: Int, channels: Int, rowStride: Int,
        rows: UnsafeMutablePointer<Float>, inputRows: UnsafeMutablePointer<Float>,
        inputPointers: UnsafeMutablePointer<UnsafeMutablePointer<Float>>,
        outputPointers: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, last: UnsafeMutablePointer<Float>,
        state: UnsafeMutablePointer<ProcessorState>
    ) {
        precondition(channels > 0 && rowStride > 0, "a processor has channels and rows")
        self.processor = processor
        self.schedule = schedule
        self.channels = channels
        self.inputCount = inputCount
        self.rowStride = rowStride
        self.rows = rows
        self.inputRows = inputRows
        self.inputs = inputs
        self.inputPointers = inputPointers
        self.outputPointers = UnsafePointer(outputPointers)
        self.last = last
        self.state = state
        var inputChannels = 0
        for bus in 0..<inputCount {
            inputs[bus].channels = UnsafePointer(inputPointers + inputChannels)
            inputChannels &+= Int(inputs[bus].channel_count)
        }
        self.inputChannels = inputChannels
        for channel in 0..<inputChannels {
            (inputPointers + channel).initialize(to: inputRows + channel &* rowStride)
        }
        for channel in 0..<channels {
            (outputPointers + channel).initialize(to: rows + channel &* rowStride)
            (last + channel).initialize(to: 0)
        }
    }

    /// Forgets all sound before its next cycle.
    ///
    /// Any thread.
    @_noLocks @_noAllocation
    package func requestReset() { resets.add(1, ordering: .releasing) }

    // MARK: Render thread

    /// Forgets all sound, if there may be some.
    @_noLocks @_noAllocation
    func clear() {
        guard !state.pointee.isClear else { return }
        reset()
        for channel in 0..<channels { last[channel] = 0 }
        state.pointee.isClear = true
        state.pointee.quietFrames = 0
        state.pointee.isAsleep = false
    }

    @_noLocks @_noAllocation
    func obeyReset() {
        let count = resets.load(ordering: .acquiring)
        guard count != state.pointee.resets else { return }
        state.pointee.resets = count
        clear()
    }

    /// The plans change: what was heard last may have to decay.
    @_noLocks @_noAllocation
    func keepLastFrame() {
        let frame = state.pointee.lastFrame
        for channel in 0..<channels {
            last[channel] = frame < 0 || state.pointee.isClear ? 0 : rows[channel &* rowStride &+ frame]
        }
    }

    /// Calls the processor on the inputs that are there.
    ///
    /// - Parameter isQuiet: the inputs are silent.
    @_noLocks @_noAllocation
    func process(_ moment: CycleMoment, isQuiet: Bool) {
        let frames = moment.frames
        schedule?.pointee.carryOut(from: moment.sampleTime, frames: frames)
        state.pointee.isAsleep = false
        state.pointee.isClear = false
        state.pointee.quietFrames = isQuiet ? state.pointee.quietFrames &+ frames : 0
        var process = oav_process(
            inputs: UnsafePointer(inputs), input_count: UInt32(truncatingIfNeeded: inputCount),
            frames: UInt32(truncatingIfNeeded: frames),
            output: oav_bus(channels: outputPointers, channel_count: UInt32(truncatingIfNeeded: channels), flags: 0),
            sample_rate: moment.sampleRate, sample_time: moment.sampleTime, host_time_ns: moment.hostTime)
        var processor = processor
        oav_processor_call(&processor, &process)
        state.pointee.lastFrame = frames &- 1
        var carry: UInt32 = 0
        for channel in 0..<channels { carry |= Kernels.carryOfNonFinite(rows + channel &* rowStride, frames) }
        if carry >> 31 != 0 { forgetNonFinite(frames) }
        if isQuiet { rest(frames) }
    }

    /// What is no number comes back from a filter's state for ever.
    @_noLocks @_noAllocation
    private func forgetNonFinite(_ frames: Int) {
        for channel in 0..<channels { Kernels.replaceNonFinite(rows + channel &* rowStride, frames) }
        reset()
    }

    @_noLocks @_noAllocation
    private func reset() {
        var processor = processor
        oav_processor_reset(&processor)
    }

    /// Falls asleep once its tail is too quiet to hear.
    @_noLocks @_noAllocation
    private func rest(_ frames: Int) {
        guard inputCount > 0, processor.quiet_frames < .max, frames > 0,
            state.pointee.quietFrames >= Int(processor.quiet_frames)
        else { return }
        var peak: UInt32 = 0
        for channel in 0..<channels { peak = max(peak, Kernels.peakBits(rows + channel &* rowStride, frames)) }
        guard Float(bitPattern: peak) < ProcessorState.inaudible else { return }
        state.pointee.isAsleep = true
        Kernels.silence(rows, channels &* rowStride)
    }
}

/// What the render thread remembers of a processor between cycles.
///
/// No other thread looks at it.
package struct ProcessorState {
    /// -100 dBFS.
    static let inaudible: Float = 1e-5

    var placement = PlanPlacement.absent
    /// The first row of its inputs in the current plan, and in the one before; -1: it has none there.
    var row = -1
    var rowBefore = -1
    /// Its tail is over and its inputs are silent: it is not called, and its rows are 0.
    var isAsleep = false
    /// It has been called never, or not since it was reset.
    var isClear = true
    /// Silent frames that its inputs have had up to now.
    var quietFrames = 0
    /// The cycle that has called it last.
    var cycle: UInt64 = 0
    /// Where in the rows the last frame of the last cycle is; -1 before the first.
    var lastFrame = -1
    var resets: UInt32 = 0

    @_noLocks @_noAllocation
    package init() {}
}
