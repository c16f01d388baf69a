import Dispatch
import HostSimulated
import OpenAudioSession
import SessionRest
import SessionRuntime
import SimulatedControls
import Synchronization
import Testing

@testable import audiosession

/// The backend on a real session.
@Suite struct SessionBackendTests {
    @Test func routeChanges_deliveredLate_carryTheRoutesOfTheirOwnTime() throws {
        let host = SimulatedHost(.phone)
        let runtime = try SessionRuntime(host: host)
        let backend = SessionBackend(session: AVAudioSession(runtime: runtime))
        try backend.configure(.init(category: .playback))
        let heard = Mutex<[[String]]>([])
        backend.observe { event in
            guard case .routeChanged(_, let previous, let current) = event else { return }
            heard.withLock { $0.append([previous.label, current.label]) }
        }
        // The headphones are out and in again before an observer hears of it.
        let gate = DispatchSemaphore(value: 0)
        runtime.notices.enqueue { gate.wait() }
        host.unplug(.wiredHeadphones)
        host.plug(.wiredHeadphones)
        host.unplug(.wiredHeadphones)
        runtime.synchronously { _ in }
        gate.signal()
        runtime.drain()
        #expect(
            heard.withLock { $0 } == [
                ["Headphones", "Speaker"], ["Speaker", "Headphones"], ["Headphones", "Speaker"],
            ])
        backend.close()
    }
}
