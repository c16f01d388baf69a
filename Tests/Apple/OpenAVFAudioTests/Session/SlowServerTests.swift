import AudioModel
import CRealtime
import Foundation
import HostInterface
import RuntimeTestSupport
import SessionCore
import SessionRest
import TestSupport
import Testing
import Threading

@testable import OpenAudioSession
@testable import SessionRuntime

/// A server that answers no link until the test says so.
@Suite struct SlowServerTests {
    @Test func unansweredLinks_blockNeitherTheRouteNorACallNorANotification() throws {
        let host = ManualHost(ports: [.headphones, .speaker])
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
        let link = try #require(host.streams.first)
        #expect(link.links == [["headphones"]])

        let inventory = Inventory(ports: [.speaker], defaultOutputUID: "speaker")
        host.report(.inventoryChanged(inventory, losses: [PortLoss(stream.id, portUID: "headphones")]))
        host.flush()
        runtime.drain()
        #expect(session.currentRoute.outputs.map(\.uid) == ["speaker"])
        try session.setCategory(.ambient)
        runtime.drain()
        #expect(history.entries == ["route change", "paused", "route change", "route change"])
        #expect(link.links == [["headphones"], ["speaker"]])

        // What the server refuses in the end fails the stream, and is no question of priority.
        host.report(.streamFailed(stream.id, .refused("no answer")))
        failed.wait()
        #expect(history.entries.last == "failed: unspecified")
    }

    @Test func unreadRelease_blocksNeitherTheRouteNorACallNorAnActivation() throws {
        let host = ManualHost(ports: [.headphones, .speaker], readsReleases: false)
        let runtime = try SessionRuntime(host: host)
        defer { runtime.shutdown() }
        let session = AVAudioSession(runtime: runtime)
        let (history, answered) = (History<String>(), Latch())
        try session.setActive(true)
        session.deactivate(options: .notifyOthersOnDeactivation) { isDone, _ in
            history.append("deactivated: \(isDone)")
            answered.raise()
        }
        // The session thread carries all of this out before the server has read anything.
        try session.setCategory(.playback)
        try session.setActive(true)
        try session.setActive(false)
        #expect(session.currentRoute.outputs.map(\.uid) == ["headphones"])
        runtime.drain()
        #expect(history.entries == [])

        host.readReleases()
        answered.wait()
        #expect(history.entries == ["deactivated: true"])
    }
}

private final class Owner: StreamOwner {
    private let history: History<String>
    private let failed: Latch

    init(_ history: History<String>, _ failed: Latch) {
        self.history = history
        self.failed = failed
    }

    func opened(_ stream: any HostStream) {}
    func eventApplied() {}
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
