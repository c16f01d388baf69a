internal import EffectCore
import RenderCore
package import Synchronization

/// The changes of a unit's parameters that are due later or have a ramp, with their memory.
///
/// Any thread. Sendable by rule: the pointer never changes, and `ParameterSchedule` documents the rules for its memory.
package final class ParameterRamps: @unchecked Sendable {
    /// Valid as long as this object lives.
    let schedule: UnsafeMutablePointer<ParameterSchedule>
    private let memory = RenderMemory()

    /// - Parameters:
    ///   - cells: the cells of the unit's values. The unit retains them and this object.
    ///   - counter: the cell that counts changes; nil for none.
    package init(cells: UnsafeMutablePointer<Atomic<UInt32>>, counter: Int?) {
        let capacity = ParameterSchedule.capacity
        schedule = memory.block(
            of: ParameterSchedule(
                queue: EventQueue(turns: memory.room(capacity), events: memory.room(capacity), capacity: capacity),
                cells: cells, counter: counter ?? -1, changes: memory.room(capacity), count: memory.room()))
    }

    /// - Parameters:
    ///   - cell: the index of the parameter's cell; the value is in its range.
    ///   - sampleTime: a time as in `UnitEvent`.
    package func put(_ value: Float, in cell: Int, at sampleTime: Int64, rampFrames: UInt32) {
        _ = schedule.pointee.put(value, in: cell, at: sampleTime, rampFrames: rampFrames)
    }
}
