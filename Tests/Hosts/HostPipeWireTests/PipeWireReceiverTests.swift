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
            if case .synced(7) = message { count.withLock { $0 += 1 } }
        }
        let events = receiver.makeEvents()
        for _ in 0..<100_000 { events.synced(events.context, 7) }
        #expect(count.withLock { $0 } == 100_000)
        withExtendedLifetime(receiver) {}
    }
}
