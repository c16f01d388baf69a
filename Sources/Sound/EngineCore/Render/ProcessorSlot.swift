internal import CRealtime
internal import EffectCore
import RenderCore

/// A unit's processor in a renderer, with the memory that it works on there.
///
/// It sounds once a plan names it, and keeps its state from one plan to the next. A plan that names it keeps it.
///
/// Sendable by rule: the pointers never change, and what they point to is shared by the rules that `RenderProcessor` documents.
package final class ProcessorSlot: @unchecked Sendable {
    package let unit: any UnitProcessor
    package let shape: ProcessorShape
    let processor: UnsafeMutablePointer<RenderProcessor>
    /// Keeps what the processor points to.
    private let ramps: ParameterRamps?
    private let memory = RenderMemory()

    init(_ unit: any UnitProcessor, shape: ProcessorShape, ramps: ParameterRamps?) {
        (self.unit, self.shape, self.ramps) = (unit, shape, ramps)
        // A cache line more than a power of two, as for a source.
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

    /// Forgets all sound before its next cycle.
    ///
    /// Any thread.
    package func reset() { processor.pointee.requestReset() }
}

extension ProcessorShape {
    /// Of all busses.
    var inputChannels: Int { inputs.reduce(0) { $0 + $1.channels.count } }
}
