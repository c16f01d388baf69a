import Dispatch
import Synchronization
import Testing

@testable import HostPipeWire

@Suite struct PipeWireReconnectorTests {
    private final class Connection: Sendable {
        let isLost = Mutex(false)
    }

    private typealias Reconnector = PipeWireReconnector<Connection>

    /// The socket of no server: only `wake` ends a wait.
    private static let remote = "/nonexistent/pipewire-0"

    @Test func lostConnection_isReplaced_whenTheSearchHasConnected() {
        let (first, second) = (Connection(), Connection())
        let attempts = Mutex(0)
        let isAdopted = DispatchSemaphore(value: 0)
        let reconnector = Reconnector(remote: Self.remote, isLost: { $0.isLost.withLock { $0 } }) { reconnector in
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            guard attempt == 3 else { return false }
            reconnector.adopt(second)
            isAdopted.signal()
            return true
        }
        #expect(reconnector.current == nil)
        reconnector.adopt(first)
        reconnector.beginSearch()
        reconnector.wake()
        #expect(reconnector.current === first)
        first.isLost.withLock { $0 = true }
        reconnector.wake()
        #expect(isAdopted.wait(timeout: .now() + 30) == .success)
        #expect(reconnector.current === second)
        #expect(reconnector.shutdown() === second)
        #expect(attempts.withLock { $0 } == 3)
    }

    @Test func shutdown_endsASearch_andNothingIsAdoptedAfterIt() {
        let lost = Connection()
        lost.isLost.withLock { $0 = true }
        let isSearching = DispatchSemaphore(value: 0)
        let reconnector = Reconnector(remote: Self.remote, isLost: { $0.isLost.withLock { $0 } }) { _ in
            isSearching.signal()
            return false
        }
        #expect(reconnector.prepareSearch())
        reconnector.adopt(lost)
        reconnector.beginSearch()
        #expect(isSearching.wait(timeout: .now() + 30) == .success)
        #expect(reconnector.shutdown() === lost)
        #expect(reconnector.isShutDown && reconnector.current == nil)
        #expect(!reconnector.adopt(Connection()))
        reconnector.beginSearch()
        #expect(reconnector.shutdown() == nil)
    }
}
