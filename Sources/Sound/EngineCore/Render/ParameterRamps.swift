internal import EffectCore
import RenderCore
package import Synchronization

/// The changes of a unit's parameters that are due later or take a while, with their memory.
///
/// Any thread. Sendable by rule: the pointer never changes, and what it points to has the rules of `ParameterSchedule`.
package final class ParameterRamps: @unchecked Sendable {
    /// Valid as long as this object lives.
    let schedule: UnsafeMutablePointer<ParameterSchedule>
    private let memory = RenderMemory()

    /// - Parameters:
    ///   - cells: of the unit's values; the unit keeps them, and this.
    ///   - counter: the cell that counts changes; nil for none.
    package init(cells: UnsafeMutablePointer<Atomic<UInt32>>, counter: Int?) {
        let capacity = ParameterSchedule.capacity
        schedule = memory.block(
            of: ParameterSchedule(
                queue: EventQueue(turns: memory.room(capacity), events: memory.room(capacity), capacity: capacity),
                cells: cells, counter: counter ?? -1, changes: memory.room(capacity), count: memory.room()))
    }

    /// - Parameters:
    ///   - cell: of a value in its range.
    ///   - sampleTime: as of a `UnitEvent`.
    package func put(_ value: Float, in cell: Int, at sampleTime: Int64, rampFrames: UInt32) {
        _ = schedule.pointee.put(value, in: cell, at: sampleTime, rampFrames: rampFrames)
    }
}
