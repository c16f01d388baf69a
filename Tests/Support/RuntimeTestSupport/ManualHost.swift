package import AudioModel
import CRealtime
import Dispatch
package import HostInterface
import RenderBench
import Synchronization

/// A host in real time whose cycles and late events come from the test.
///
/// It grants every claim. Its clock is the system's; nothing happens by itself.
package final class ManualHost: AudioHost {
    package let name = "pipewire"
    package let sampleRate: Double = 48_000
    private let ports: [Port]
    private let whenStarting: @Sendable (ManualStream) -> Void
    private struct Session { let deliver: @Sendable (HostEvent) -> Void }
    private let session = Mutex<Session?>(nil)
    private let opened = Mutex<[ManualStream]>([])
    private let queue = DispatchQueue(label: "manual-host")
    /// What waits for the server to read a release; nil where it reads each at once.
    private let unread: Mutex<[@Sendable () -> Void]?>

    /// - Parameters:
    ///   - ports: of the first inventory; the first of them is the default output.
    ///   - readsReleases: false: a release counts as read only from `readReleases` on.
    ///   - whenStarting: runs on the session thread before a stream's `start` returns.
    package init(
        ports: [Port] = [.speaker], readsReleases: Bool = true,
        whenStarting: @escaping @Sendable (ManualStream) -> Void = { _ in }
    ) {
        self.ports = ports
        unread = Mutex(readsReleases ? nil : [])
        self.whenStarting = whenStarting
    }

    /// The streams that were opened, in order.
    package var streams: [ManualStream] { opened.withLock { $0 } }

    package func forgetStreams() { opened.withLock { $0 = [] } }

    /// Delivers an event soon, in the order of the calls.
    package func report(_ event: HostEvent) { queue.async { self.session.withLock { $0 }?.deliver(event) } }

    /// Waits until every event has been delivered.
    package func flush() { queue.sync {} }

    package func start(deliver: @escaping @Sendable (HostEvent) -> Void) throws(HostError) {
        session.withLock { $0 = Session(deliver: deliver) }
        report(.inventoryChanged(Inventory(ports: ports, defaultOutputUID: ports.first?.uid)))
    }

    package func shutdown() {
        for stream in streams { stream.close() }
        session.withLock { $0 = nil }
    }

    package func now() -> HostTime { HostTime(nanoseconds: DispatchTime.now().uptimeNanoseconds) }
    package func claim(_ claim: SessionClaim) { report(.claimGranted(claim.id, ClaimSerial(number: claim.id.number))) }
    package func suspend(_ id: ClaimID) {}

    package func release(_ id: ClaimID, notifyingOthers: Bool) {}

    package func whenReleased(_ body: @escaping @Sendable () -> Void) {
        if unread.withLock({ $0?.append(body) }) == nil { body() }
    }

    package func readReleases() {
        let waiting = unread.withLock { unread in
            defer { unread = nil }
            return unread ?? []
        }
        for body in waiting { body() }
    }

    package func allowSleep() {}
    package func wake(at time: HostTime) {}

    package func openStream(_ configuration: StreamConfiguration) throws(HostError) -> any HostStream {
        let stream = ManualStream(configuration, whenStarting: whenStarting)
        opened.withLock { $0.append(stream) }
        return stream
    }
}

/// A stream of two channels.
package final class ManualStream: HostStream {
    package let id: StreamID
    package let latencyFrames = 0
    package let cycleSeconds = 0.0
    private let configuration: StreamConfiguration
    private let whenStarting: @Sendable (ManualStream) -> Void
    private let state = Mutex(State.stopped)
    private let requested = Mutex<[[String]]>([])

    private enum State { case stopped, running, closed }

    init(_ configuration: StreamConfiguration, whenStarting: @escaping @Sendable (ManualStream) -> Void) {
        id = configuration.id
        self.configuration = configuration
        self.whenStarting = whenStarting
    }

    /// The ports of each `link`, in order.
    package var links: [[String]] { requested.withLock { $0 } }

    package func preferCycle(seconds: Double) {}
    package func link(to portUIDs: [String]) throws(HostError) { requested.withLock { $0.append(portUIDs) } }
    package func unlink() {}

    package func start() {
        move(to: .running)
        whenStarting(self)
    }

    package func stop() { move(to: .stopped) }
    package func close() { move(to: .closed) }

    /// A closed stream stays closed.
    private func move(to next: State) { state.withLock { if $0 != .closed { $0 = next } } }

    /// Runs one cycle and returns the left channel; nil while the stream does not run.
    package func render(frames: Int = 480) -> [Float]? {
        // Under the lock: neither `stop` nor `close` returns during a cycle.
        state.withLock { state in
            guard state == .running else { return nil }
            return RenderBench.cycle(
                configuration.renderer, outputs: 2, frames: frames, sampleRate: configuration.sampleRate)[0]
        }
    }

    /// Runs cycles until so many frames of the left channel were not 0.
    ///
    /// - Returns: these frames; fewer after 20 s, which is far above what a loaded machine needs.
    package func renderUntilLoud(frames: Int) -> Int {
        let deadline = ContinuousClock.now + .seconds(20)
        var loud = 0
        while loud < frames, ContinuousClock.now < deadline { loud += render()?.count { $0 != 0 } ?? 0 }
        return loud
    }
}
