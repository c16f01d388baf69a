package import Synchronization

/// Something that is to happen to a unit at a time.
package struct UnitEvent {
    /// In the sample time of the renderer; from `soonest` up to below 0: so many frames after the begin of the next cycle.
    package var sampleTime: Int64
    package var content: Content

    package enum Content {
        case parameter(address: UInt64, value: Float, rampFrames: UInt32)
        /// One message of 1 to 3 bytes.
        case midi(cable: UInt8, length: UInt8, UInt8, UInt8, UInt8)
    }

    @_noLocks @_noAllocation
    package init(sampleTime: Int64, _ content: Content) {
        self.sampleTime = sampleTime
        self.content = content
    }

    /// The begin of the next cycle; the value of Apple's `AUEventSampleTimeImmediate`.
    package static var soonest: Int64 { @_noLocks @_noAllocation get { -0x1_0000_0000 } }

    /// Its sample time, once the next cycle is there.
    @_noLocks @_noAllocation
    package func due(inCycleFrom begin: Int64) -> Int64 {
        sampleTime < 0 ? begin &+ max(sampleTime &- Self.soonest, 0) : sampleTime
    }
}

/// Hands events from any number of threads to the one that renders; none waits.
///
/// - Producers: any thread, also the one that renders. Full: the event is dropped, and `put` says so.
/// - Consumer: the render thread, in the order in which the events were put.
///
/// Each slot has a number that says whose turn it is: its place in the queue's count where it may be filled, one more where it
/// may be taken. A producer takes a place by moving `tail`, fills the slot and then raises its number with release; the consumer
/// loads the number with acquire. (Source: D. Vyukov, "Bounded MPMC queue", with one consumer.)
package struct EventQueue: ~Copyable {
    private let mask: Int
    private let turns: UnsafeMutablePointer<Atomic<Int>>
    private let events: UnsafeMutablePointer<UnitEvent>
    private let tail = Atomic<Int>(0)
    /// The consumer's alone.
    private let head = Atomic<Int>(0)

    /// - Parameters:
    ///   - turns: memory for `capacity` numbers; stays the owner's.
    ///   - events: memory for `capacity` events; stays the owner's.
    ///   - capacity: a power of two.
    @_noLocks @_noAllocation
    package init(turns: UnsafeMutablePointer<Atomic<Int>>, events: UnsafeMutablePointer<UnitEvent>, capacity: Int) {
        precondition(capacity > 1 && capacity & (capacity &- 1) == 0, "a queue's capacity is a power of two")
        mask = capacity &- 1
        (self.turns, self.events) = (turns, events)
        var index = 0
        while index < capacity {
            (turns + index).initialize(to: Atomic(index))
            index &+= 1
        }
    }

    /// - Returns: false where the queue is full; the event was not taken then.
    @_noLocks @_noAllocation
    package func put(_ event: UnitEvent) -> Bool {
        var place = tail.load(ordering: .relaxed)
        while true {
            let ahead = turns[place & mask].load(ordering: .acquiring) &- place
            if ahead < 0 { return false }
            if ahead > 0 {
                place = tail.load(ordering: .relaxed)
                continue
            }
            let (isTaken, found) = tail.weakCompareExchange(
                expected: place, desired: place &+ 1, ordering: .relaxed)
            if isTaken { break }
            place = found
        }
        (events + (place & mask)).initialize(to: event)
        turns[place & mask].store(place &+ 1, ordering: .releasing)
        return true
    }

    /// Consumer: the oldest event; nil where there is none.
    @_noLocks @_noAllocation
    package func take() -> UnitEvent? {
        let place = head.load(ordering: .relaxed)
        guard turns[place & mask].load(ordering: .acquiring) == place &+ 1 else { return nil }
        let event = events[place & mask]
        turns[place & mask].store(place &+ mask &+ 1, ordering: .releasing)
        head.store(place &+ 1, ordering: .relaxed)
        return event
    }
}
