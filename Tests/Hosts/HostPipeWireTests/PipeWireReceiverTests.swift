import CPipeWireShims
import Synchronization
import Testing

@testable import HostPipeWire

struct PipeWireReceiverTests {
    /// A receiver that keeps a function in its lock gives it a thunk more with each message, until the stack is full.
    @Test func messages_areTakenWithTheSameStack_howeverManyCameBefore() {
        let receiver = PipeWireReceiver()
        let count = Mutex(0)
        receiver.begin { message in
            if case .timerFired = message { count.withLock { $0 += 1 } }
        }
        let events = receiver.makeEvents()
        for _ in 0..<100_000 { events.timer_fired(events.context) }
        #expect(count.withLock { $0 } == 100_000)
        withExtendedLifetime(receiver) {}
    }

    @Test func roundTrip_isReportedOnce_byItsName_andOneOfTheShimsOwnIsNot() {
        let receiver = PipeWireReceiver()
        let messages = Mutex<[PipeWireMessage]>([])
        receiver.begin { message in messages.withLock { $0.append(message) } }
        let events = receiver.makeEvents()
        receiver.roundTrips = [7: .burst, 8: .departure(serial: 30)]
        for seq: Int32 in [6, 8, 7, 7, -1] { events.synced(events.context, seq) }
        #expect(messages.withLock { $0 } == [.synced(.departure(serial: 30)), .synced(.burst)])
        withExtendedLifetime(receiver) {}
    }
}
