package import Synchronization

/// Changes of a unit's parameters that are due later or take a while.
///
/// A parameter is a cell with the bits of its value, which the unit's processors read each cycle: the cells stay the only copy. A
/// value that is set ends what is under way to another one.
///
/// - Producers: any thread.
/// - Consumer: the thread that renders the unit. Where an edit moves the unit to another renderer, two may do so for a moment:
///   one of them leaves it to the other.
package struct ParameterSchedule: ~Copyable {
    /// How many may wait or be under way; a power of two.
    package static var capacity: Int { @_noLocks @_noAllocation get { 256 } }

    private let queue: EventQueue
    private let cells: UnsafeMutablePointer<Atomic<UInt32>>
    /// Counts the changes of values; negative for cells without such a count.
    private let counter: Int
    private let changes: UnsafeMutablePointer<ParameterChange>
    /// Of `changes`, those in use; the consumer's alone, as what they point to.
    private let count: UnsafeMutablePointer<Int>
    private let isBeingCarriedOut = Atomic<Bool>(false)
    /// Put, and not carried out.
    private let pending = Atomic<Int>(0)

    /// - Parameters:
    ///   - queue: of `capacity` events.
    ///   - cells: as long as this exists.
    ///   - counter: the cell that counts changes; negative for none.
    ///   - changes: memory for `capacity` changes.
    ///   - count: memory for one number.
    @_noLocks @_noAllocation
    package init(
        queue: consuming EventQueue, cells: UnsafeMutablePointer<Atomic<UInt32>>, counter: Int,
        changes: UnsafeMutablePointer<ParameterChange>, count: UnsafeMutablePointer<Int>
    ) {
        self.queue = queue
        (self.cells, self.counter, self.changes, self.count) = (cells, counter, changes, count)
        count.initialize(to: 0)
    }

    /// - Parameters:
    ///   - cell: of a value in its range.
    ///   - sampleTime: as of a `UnitEvent`.
    ///   - rampFrames: how long the value takes from there to its end; 0: at once.
    /// - Returns: false where too many wait; the change is dropped then.
    @_noLocks @_noAllocation
    package func put(_ value: Float, in cell: Int, at sampleTime: Int64, rampFrames: UInt32) -> Bool {
        // Before the event: the consumer takes off what it finds.
        pending.add(1, ordering: .relaxed)
        let event = UnitEvent(
            sampleTime: sampleTime,
            .parameter(address: UInt64(truncatingIfNeeded: cell), value: value, rampFrames: rampFrames))
        if queue.put(event) { return true }
        pending.subtract(1, ordering: .relaxed)
        return false
    }

    /// Brings the values to the end of a cycle.
    @_noLocks @_noAllocation
    func carryOut(from begin: Int64, frames: Int) {
        guard pending.load(ordering: .relaxed) > 0, !isBeingCarriedOut.exchange(true, ordering: .acquiring) else {
            return
        }
        while let event = queue.take() { take(event, begin) }
        let end = begin &+ Int64(frames)
        for index in 0..<count.pointee where !changes[index].hasBegun && changes[index].begin < end { start(index) }
        var (kept, isChanged) = (0, false)
        for index in 0..<count.pointee {
            let change = changes[index]
            if change.hasBegun {
                let value = change.value(at: end)
                // What somebody has set meanwhile stays.
                let isReached =
                    change.isCurrent
                    && cells[change.cell].compareExchange(
                        expected: change.reached.bitPattern, desired: value.bitPattern, ordering: .relaxed
                    ).exchanged
                isChanged = isChanged || isReached
                if !isReached || change.isOver(at: end) {
                    pending.subtract(1, ordering: .relaxed)
                    continue
                }
                changes[index].reached = value
            }
            changes[kept] = changes[index]
            kept &+= 1
        }
        count.pointee = kept
        if isChanged, counter >= 0 { cells[counter].add(1, ordering: .releasing) }
        isBeingCarriedOut.store(false, ordering: .releasing)
    }

    /// Of the changes of one parameter that have begun, the one that began last stays; of several at one time, the last one put.
    @_noLocks @_noAllocation
    private func start(_ index: Int) {
        let value = Float(bitPattern: cells[changes[index].cell].load(ordering: .relaxed))
        (changes[index].from, changes[index].reached, changes[index].hasBegun) = (value, value, true)
        for other in 0..<count.pointee
        where other != index && changes[other].cell == changes[index].cell && changes[other].hasBegun {
            let isLater = (changes[other].begin, other) > (changes[index].begin, index)
            changes[isLater ? index : other].isCurrent = false
        }
    }

    @_noLocks @_noAllocation
    private func take(_ event: UnitEvent, _ begin: Int64) {
        guard case .parameter(let cell, let value, let rampFrames) = event.content, count.pointee < Self.capacity else {
            pending.subtract(1, ordering: .relaxed)
            return
        }
        (changes + count.pointee).initialize(
            to: ParameterChange(
                cell: Int(truncatingIfNeeded: cell), begin: event.due(inCycleFrom: begin), frames: rampFrames, to: value
            ))
        count.pointee &+= 1
    }
}

/// A change of a parameter that waits or is under way.
package struct ParameterChange: BitwiseCopyable {
    var cell: Int
    /// In the sample time of the renderer.
    var begin: Int64
    var frames: UInt32
    /// Where it begins, once it has, and where it is.
    var from: Float = 0
    var reached: Float = 0
    var to: Float
    var hasBegun = false
    /// False once another change of the parameter has taken its place.
    var isCurrent = true

    @_noLocks @_noAllocation
    func isOver(at time: Int64) -> Bool { time &- begin >= Int64(frames) }

    @_noLocks @_noAllocation
    func value(at time: Int64) -> Float {
        isOver(at: time) ? to : from + (to - from) * (Float(time &- begin) / Float(frames))
    }
}
