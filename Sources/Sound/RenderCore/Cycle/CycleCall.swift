package import CRealtime
import Synchronization

/// Keeps an app's block to one call at a time, without a lock that would be held while it runs.
///
/// Any thread. A thread that comes while another is in the block does not wait: it does without the call.
package struct CallTurn: ~Copyable {
    /// Whether the block runs is the lowest bit; the others count how often calls were made void.
    private let state = Atomic<UInt64>(0)

    @_noLocks @_noAllocation
    package init() {}

    /// False where the block is running.
    @_noLocks @_noAllocation
    package func take() -> Bool { state.bitwiseOr(1, ordering: .acquiring).oldValue & 1 == 0 }

    /// False also where calls of this number are void.
    @_noLocks @_noAllocation
    func take(_ number: UInt64) -> Bool {
        let before = state.bitwiseOr(1, ordering: .acquiring).oldValue
        if before & 1 != 0 { return false }
        if before >> 1 == number { return true }
        giveBack()
        return false
    }

    @_noLocks @_noAllocation
    package func giveBack() { state.bitwiseAnd(~1, ordering: .releasing) }

    /// Makes all calls so far void, and returns the number of those that are not.
    @_noLocks @_noAllocation
    package func renew() -> UInt64 { state.add(2, ordering: .acquiringAndReleasing).newValue >> 1 }

    /// Makes the calls of a number void; false where they are already.
    @_noLocks @_noAllocation
    package func close(_ number: UInt64) -> Bool {
        var state = state.load(ordering: .relaxed)
        while state >> 1 == number {
            let (isExchanged, original) = self.state.weakCompareExchange(
                expected: state, desired: state &+ 2, ordering: .acquiringAndReleasing)
            if isExchanged { return true }
            state = original
        }
        return false
    }

    @_noLocks @_noAllocation
    package func isTaken() -> Bool { state.load(ordering: .acquiring) & 1 != 0 }
}

/// An app's block in the render cycle, and the clock around it.
///
/// The device waits for the cycle, and so does every program that plays on it. A block that once takes longer than a cycle, or
/// three times within thirty cycles more than half of one, is not called in a cycle any more, until `forgive`.
///
/// Render thread: `run`. Any thread: the others.
package struct CycleCall: ~Copyable {
    private let processor: oav_processor
    private let turn: UnsafeMutablePointer<CallTurn>
    private let number: UInt64
    private let isWatched: Bool
    /// What it reads as a sink, or writes as a source.
    private let bus: UnsafePointer<oav_bus>
    private let isSink: Bool
    private let slow = Atomic<Int>(0)
    private let isTooSlow = Atomic<Bool>(false)
    /// Of the render thread alone.
    private let strain = Atomic<Int>(0)

    private static var slowShare: Double { @_noLocks @_noAllocation get { 0.5 } }
    /// What a slow call adds to the strain; each other one takes 1 away.
    private static var slowStrain: Int { @_noLocks @_noAllocation get { 32 } }
    package static var mostStrain: Int { @_noLocks @_noAllocation get { 2 &* slowStrain } }

    /// - Parameters:
    ///   - processor: has no use for `reset`. What it points to must outlive this.
    ///   - turn: the block's; must outlive this.
    ///   - number: of calls that are not void.
    ///   - isWatched: false in virtual time, where a cycle takes no time.
    ///   - bus: as long as this.
    @_noLocks @_noAllocation
    package init(
        _ processor: oav_processor, turn: UnsafeMutablePointer<CallTurn>, number: UInt64, isWatched: Bool,
        bus: UnsafePointer<oav_bus>, isSink: Bool
    ) {
        self.processor = processor
        self.turn = turn
        self.number = number
        self.isWatched = isWatched
        self.bus = bus
        self.isSink = isSink
    }

    /// False once it was too slow.
    @_noLocks @_noAllocation
    package func isInCycle() -> Bool { !isTooSlow.load(ordering: .acquiring) }

    /// How often it has taken more than half of its cycle.
    @_noLocks @_noAllocation
    package func slowCalls() -> Int { slow.load(ordering: .relaxed) }

    /// It is called in the cycle again.
    @_noLocks @_noAllocation
    package func forgive() {
        strain.store(0, ordering: .relaxed)
        isTooSlow.store(false, ordering: .releasing)
    }

    // MARK: Render thread

    /// False where it must not be called now; else `run` follows.
    @_noLocks @_noAllocation
    func begin() -> Bool { turn.pointee.take(number) }

    @_noLocks @_noAllocation
    func run(_ moment: CycleMoment) {
        var process = oav_process(
            inputs: bus, input_count: isSink ? 1 : 0, frames: UInt32(truncatingIfNeeded: moment.frames),
            output: bus.pointee, sample_rate: moment.sampleRate, sample_time: moment.sampleTime,
            host_time_ns: moment.hostTime)
        if isSink { process.output.channel_count = 0 }
        var processor = processor
        let taken = oav_processor_call_app(&processor, &process, moment.isByHand)
        turn.pointee.giveBack()
        if isWatched, !moment.isByHand { judge(taken, moment) }
    }

    @_noLocks @_noAllocation
    private func judge(_ taken: UInt64, _ moment: CycleMoment) {
        let share = Double(taken) * 1e-9 * moment.sampleRate / Double(moment.frames)
        if share > Self.slowShare { slow.store(slow.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }
        let after = Self.strain(after: strain.load(ordering: .relaxed), share: share)
        strain.store(after, ordering: .relaxed)
        if after > Self.mostStrain { isTooSlow.store(true, ordering: .releasing) }
    }

    /// The strain after a call that took that share of its cycle; above `mostStrain` it was too slow.
    @_noLocks @_noAllocation
    package static func strain(after strain: Int, share: Double) -> Int {
        if share > 1 { return mostStrain &+ 1 }
        return share > slowShare ? strain &+ slowStrain : max(0, strain &- 1)
    }
}
