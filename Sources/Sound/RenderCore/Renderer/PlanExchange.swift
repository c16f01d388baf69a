import Synchronization

/// Brings plans to the render thread and takes them back, so that nothing is ever freed there.
///
/// - Control side (one thread at a time): `publish`, `reclaim`.
/// - Render thread: `consume`, `retire`.
///
/// One plan can wait; a newer one replaces it and the replaced one is handed back to the publisher at once, as the
/// render thread never saw it. Retired plans go back by a ring (producer: render thread; consumer: control side). When
/// it is full, `retire` refuses; the renderer keeps the plan, goes on with the one it has and takes no newer one until
/// there is room, so a control side that sleeps costs freshness and never memory or time.
package struct PlanExchange: ~Copyable {
    package typealias Plan = UnsafeMutablePointer<RenderPlan>

    private let waiting = Atomic<Plan?>(nil)
    private let slots: SPSCRing
    private let retired: UnsafeMutablePointer<Plan>

    /// - Parameters:
    ///   - storage: `capacity` plan pointers.
    ///   - capacity: a power of two.
    @_noLocks @_noAllocation
    package init(storage: UnsafeMutablePointer<Plan>, capacity: Int) {
        retired = storage
        slots = SPSCRing(capacity: capacity)
    }

    /// Control: offers a plan.
    ///
    /// Returns the plan that was waiting and is now the caller's again.
    @_noLocks @_noAllocation
    package func publish(_ plan: Plan) -> Plan? {
        // Release: the plan's contents; acquire: a replaced plan comes back with nothing of it still in flight.
        waiting.exchange(plan, ordering: .acquiringAndReleasing)
    }

    /// Control: the next plan that the render thread has let go of; the caller's to free.
    @_noLocks @_noAllocation
    package func reclaim() -> Plan? {
        guard slots.readableSlots() > 0 else { return nil }
        let plan = retired[slots.readIndex()]
        slots.consume(1)
        return plan
    }

    /// Render: the newest plan, if there is one that was not consumed yet.
    @_noLocks @_noAllocation
    package func consume() -> Plan? {
        guard waiting.load(ordering: .relaxed) != nil else { return nil }
        return waiting.exchange(nil, ordering: .acquiringAndReleasing)
    }

    /// Render: gives a plan back; false when the ring is full and the plan is still the caller's.
    @_noLocks @_noAllocation
    func retire(_ plan: Plan) -> Bool {
        guard slots.writableSlots() > 0 else { return false }
        (retired + slots.writeIndex()).initialize(to: plan)
        slots.publish(1)
        return true
    }
}
