/// A ring of retired plans from the render thread (producer) to the owner's control side (consumer).
///
/// Full: the plan is refused and stays the producer's, who keeps it until there is room.
package struct PlanRing: ~Copyable {
    private let slots: SPSCRing
    private let storage: UnsafeMutablePointer<UnsafeMutablePointer<RenderPlan>>

    /// - Parameters:
    ///   - storage: room for `capacity` plans.
    ///   - capacity: a power of two.
    @_noLocks @_noAllocation
    package init(storage: UnsafeMutablePointer<UnsafeMutablePointer<RenderPlan>>, capacity: Int) {
        self.storage = storage
        slots = SPSCRing(capacity: capacity)
    }

    /// Producer: adds one; false when the ring is full, which leaves it as it was.
    @_noLocks @_noAllocation
    package func push(_ plan: UnsafeMutablePointer<RenderPlan>) -> Bool {
        guard slots.writableSlots() > 0 else { return false }
        (storage + slots.writeIndex()).initialize(to: plan)
        slots.publish(1)
        return true
    }

    /// Consumer: removes the oldest; nil when the ring is empty.
    @_noLocks @_noAllocation
    package func pop() -> UnsafeMutablePointer<RenderPlan>? {
        guard slots.readableSlots() > 0 else { return nil }
        let plan = storage[slots.readIndex()]
        slots.consume(1)
        return plan
    }
}
