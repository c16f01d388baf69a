internal import CRealtime
internal import EffectCore
import RenderCore

/// A unit's processor in a renderer, with its memory there.
///
/// It runs while a plan contains it, and keeps its state from one plan to the next. A plan that contains it retains it.
///
/// Sendable by rule: the pointers never change, and `RenderProcessor` documents the rules for the memory that they
/// point to.
package final class ProcessorSlot: @unchecked Sendable {
    package let unit: any UnitProcessor
    package let shape: ProcessorShape
    let processor: UnsafeMutablePointer<RenderProcessor>
    /// Retains the memory that the processor points to.
    private let ramps: ParameterRamps?
    private let memory = RenderMemory()

    init(_ unit: any UnitProcessor, shape: ProcessorShape, ramps: ParameterRamps?) {
        (self.unit, self.shape, self.ramps) = (unit, shape, ramps)
        // A cache line more than a power of two, as in `SourceFeed`.
        let rowStride = shape.maximumFrames + 16
        let channels = shape.output.channels.count
        let inputChannels = shape.inputChannels
        let inputs: UnsafeMutablePointer<oav_bus> = memory.room(shape.inputs.count)
        let pointers: UnsafeMutablePointer<UnsafeMutablePointer<Float>> = memory.room(inputChannels)
        for (index, format) in shape.inputs.enumerated() {
            (inputs + index).initialize(
                to: oav_bus(channels: UnsafePointer(pointers), channel_count: UInt32(format.channels.count), flags: 0))
        }
        processor = memory.block(
            of: RenderProcessor(
                unit.processor, schedule: ramps?.schedule, inputs: inputs, inputCount: shape.inputs.count,
                channels: channels,
                rowStride: rowStride,
                rows: memory.room(channels * rowStride), inputRows: memory.room(inputChannels * rowStride),
                inputPointers: pointers, outputPointers: memory.room(channels), last: memory.room(channels),
                state: memory.block(of: ProcessorState())))
    }

    /// Discards all sound in the processor before its next cycle.
    ///
    /// Any thread.
    package func reset() { processor.pointee.requestReset() }
}

extension ProcessorShape {
    /// The number of channels of all input busses.
    var inputChannels: Int { inputs.reduce(0) { $0 + $1.channels.count } }
}
