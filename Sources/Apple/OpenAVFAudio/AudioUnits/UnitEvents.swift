internal import CAudioTypes
internal import EffectCore
internal import RenderCore

/// The events that hosts have scheduled for the app's unit and that are not rendered yet.
///
/// Producers: any thread. Consumer: the `EventSchedule` of the processor or block that renders the unit.
///
/// `@unchecked Sendable`: the memory belongs to this object, and its queue follows the rules of `EventQueue`.
final class UnitEvents: @unchecked Sendable {
    /// The capacity in events, a power of two.
    static let capacity = 1024

    private let memory = RenderMemory()
    private let queue: UnsafeMutablePointer<EventQueue>

    init() {
        let capacity = Self.capacity
        queue = memory.block(
            of: EventQueue(turns: memory.room(capacity), events: memory.room(capacity), capacity: capacity))
    }

    /// - Returns: false if the queue is full; the event is dropped then.
    func put(_ event: UnitEvent) -> Bool { queue.pointee.put(event) }

    /// Consumer: removes and returns the oldest event; nil if there is none.
    func take() -> UnitEvent? { queue.pointee.take() }
}

/// The events of a unit in the order of their times, for the thread that renders it.
///
/// Only the rendering thread uses it. No member allocates or waits.
///
/// `@unchecked Sendable`: one thread makes it, and after that only the rendering thread uses it.
final class EventSchedule: @unchecked Sendable {
    private let events: UnitEvents
    /// Events sorted by time; their links (`next`) are those of the last call of `due`.
    private let waiting = UnsafeMutablePointer<AURenderEvent>.allocate(capacity: UnitEvents.capacity)
    private var count = 0
    /// How many of the first events the last cycle has received.
    private var givenCount = 0

    init(_ events: UnitEvents) { self.events = events }

    deinit { waiting.deallocate() }

    /// The events of a cycle as a list, in order of time; valid until the next call.
    ///
    /// A late event is due at the first frame. Events beyond the capacity are dropped.
    func due(at sampleTime: Int64, frames: Int) -> UnsafePointer<AURenderEvent>? {
        dropGiven()
        while let event = events.take() { insert(event, at: sampleTime) }
        let end = sampleTime &+ Int64(frames)
        while givenCount < count, waiting[givenCount].head.eventSampleTime < end { givenCount += 1 }
        guard givenCount > 0 else { return nil }
        for index in 0..<givenCount {
            waiting[index].head.eventSampleTime = max(waiting[index].head.eventSampleTime, sampleTime)
            waiting[index].head.next = index + 1 < givenCount ? waiting + (index + 1) : nil
        }
        return UnsafePointer(waiting)
    }

    private func dropGiven() {
        guard givenCount > 0 else { return }
        waiting.update(from: waiting + givenCount, count: count - givenCount)
        count -= givenCount
        givenCount = 0
    }

    private func insert(_ event: UnitEvent, at sampleTime: Int64) {
        guard count < UnitEvents.capacity else { return }
        let time = event.due(inCycleFrom: sampleTime)
        var place = count
        while place > 0, waiting[place - 1].head.eventSampleTime > time { place -= 1 }
        (waiting + place + 1).update(from: waiting + place, count: count - place)
        waiting[place] = AURenderEvent(event, at: time)
        count += 1
    }
}

extension AURenderEvent {
    fileprivate init(_ event: UnitEvent, at time: Int64) {
        switch event.content {
        case .parameter(let address, let value, let rampFrames):
            self.init(
                parameter: AUParameterEvent(
                    next: nil, eventSampleTime: time, eventType: rampFrames > 0 ? .parameterRamp : .parameter,
                    reserved: (0, 0, 0), rampDurationSampleFrames: rampFrames, parameterAddress: address, value: value))
        case .midi(let cable, let length, let first, let second, let third):
            self.init(
                MIDI: AUMIDIEvent(
                    next: nil, eventSampleTime: time, eventType: .MIDI, reserved: 0, length: UInt16(length),
                    cable: cable,
                    data: (first, second, third)))
        }
    }
}
