import AudioModel
import CRealtime
import Dispatch
import Foundation
import HostInterface
import SessionCore
import Synchronization
import Testing

@testable import AudioRuntime
@testable import OpenAVFAudio

/// A server that answers no link until the test says so.
@Suite struct SlowServerTests {
    @Test func unansweredLinks_blockNeitherTheRouteNorACallNorANotification() throws {
        let host = SlowHost()
        let runtime = try SessionRuntime(host: host)
        defer { runtime.shutdown() }
        let session = AVAudioSession(runtime: runtime)
        let (posted, failed) = (Latch(), Latch())
        let history = History<String>()
        let observer = Observer(AVAudioSession.routeChangeNotification, object: session) { _ in
            history.append("route change")
            posted.raise()
        }
        defer { withExtendedLifetime(observer) {} }
        try session.setCategory(.playback)
        posted.wait()
        let owner = Owner(history, failed)
        let configuration = StreamConfiguration(
            id: StreamID(number: 1), title: "music", sampleRate: 48_000,
            renderer: oav_renderer(render: { _, _ in }, context: nil))
        let stream = try runtime.openStream(configuration, policy: StreamPolicy(), owner: owner)
        #expect(host.pendingLinks == [["headphones"]])

        host.unplugHeadphones(silencing: stream.id)
        host.flush()
        runtime.settle()
        #expect(session.currentRoute.outputs.map(\.uid) == ["speaker"])
        try session.setCategory(.ambient)
        runtime.settle()
        #expect(history.entries == ["route change", "paused", "route change", "route change"])
        #expect(host.pendingLinks == [["headphones"], ["speaker"]])

        // What the server refuses in the end fails the stream, and is no question of priority.
        host.refuseLinks(of: stream.id)
        failed.wait()
        #expect(history.entries.last == "failed: unspecified")
    }
}

/// Its links begin at once and are made when the test says so, as `HostStream.link` has it.
private final class SlowHost: AudioHost {
    let kind = HostKind.pipeWire
    let sampleRate: Double = 48_000
    private let deliver = Mutex<(@Sendable (HostEvent) -> Void)?>(nil)
    private let links = Mutex<[[String]]>([])
    private let queue = DispatchQueue(label: "slow-host")

    var pendingLinks: [[String]] { links.withLock { $0 } }

    func unplugHeadphones(silencing id: StreamID) {
        report(.streamSilenced(id, lostPortUID: "headphones", cause: .portRemoved))
        report(.inventoryChanged(Inventory(ports: [.speaker], defaultOutputUID: "speaker")))
    }

    func refuseLinks(of id: StreamID) { report(.streamFailed(id, .refused("no answer"))) }

    /// Waits until every event has been delivered.
    func flush() { queue.sync {} }

    func start(deliver: @escaping @Sendable (HostEvent) -> Void) throws(HostError) {
        self.deliver.withLock { $0 = deliver }
        report(.inventoryChanged(Inventory(ports: [.headphones, .speaker], defaultOutputUID: "headphones")))
    }

    func shutdown() { deliver.withLock { $0 = nil } }
    func now() -> HostTime { HostTime(nanoseconds: DispatchTime.now().uptimeNanoseconds) }
    func claim(_ claim: SessionClaim) { report(.claimGranted(claim.id, ClaimSerial(number: claim.id.number))) }
    func release(_ id: ClaimID, notifyingOthers: Bool) {}
    func allowSleep() {}
    func wake(at time: HostTime) {}

    func openStream(_ configuration: StreamConfiguration) throws(HostError) -> any HostStream {
        Stream(id: configuration.id) { [self] uids in links.withLock { $0.append(uids) } }
    }

    private func report(_ event: HostEvent) { queue.async { self.deliver.withLock { $0 }?(event) } }

    private final class Stream: HostStream {
        let id: StreamID
        let latencyFrames = 0
        let cycleSeconds = 0.0
        private let onLink: @Sendable ([String]) -> Void

        init(id: StreamID, onLink: @escaping @Sendable ([String]) -> Void) {
            self.id = id
            self.onLink = onLink
        }

        func preferCycle(seconds: Double) {}
        func link(to portUIDs: [String]) throws(HostError) { onLink(portUIDs) }
        func unlink() {}
        func start() {}
        func stop() {}
        func close() {}
    }
}

private final class Owner: StreamOwner {
    private let history: History<String>
    private let failed: Latch

    init(_ history: History<String>, _ failed: Latch) {
        self.history = history
        self.failed = failed
    }

    func willLink(to ports: [AudioModel.Port]) {}
    func start() {}
    func pause(_ cause: PauseCause) { history.append("paused") }
    func suppress(_ suppression: Suppression) {}
    func setGain(_ gain: Float) {}

    func fail(_ error: SessionError) {
        history.append("failed: \(error.code)")
        failed.raise()
    }
}
