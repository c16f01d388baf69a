/// A ring of events from the render thread (producer) to the owner's control side (consumer).
///
/// Full: the new event is refused; the producer counts it as dropped.
package struct EventRing: ~Copyable {
    private let slots: SPSCRing
    private let storage: UnsafeMutablePointer<RenderEvent>

    /// - Parameters:
    ///   - storage: room for `capacity` events.
    ///   - capacity: a power of two.
    @_noLocks @_noAllocation
    package init(storage: UnsafeMutablePointer<RenderEvent>, capacity: Int) {
        self.storage = storage
        slots = SPSCRing(capacity: capacity)
    }

    /// Producer: adds one; false when the ring is full, which leaves it as it was.
    @_noLocks @_noAllocation
    package func push(_ event: RenderEvent) -> Bool {
        guard slots.writableSlots() > 0 else { return false }
        (storage + slots.writeIndex()).initialize(to: event)
        slots.publish(1)
        return true
    }

    /// Consumer: removes the oldest; nil when the ring is empty.
    @_noLocks @_noAllocation
    package func pop() -> RenderEvent? {
        guard slots.readableSlots() > 0 else { return nil }
        let event = storage[slots.readIndex()]
        slots.consume(1)
        return event
    }
}
