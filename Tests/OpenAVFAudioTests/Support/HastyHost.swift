import AudioModel
import CRealtime
import Dispatch
import HostInterface
import RenderBench
import Synchronization

/// A host in real time whose streams render as soon as they are started, as fast as the reader can follow.
///
/// `start` of a stream returns when that many loud frames were rendered, or after 10 s, which only a starved one takes:
/// so the player's reader has every chance to come to rest before the player has heard that the stream runs.
final class HastyHost: AudioHost {
    let kind = HostKind.pipeWire
    let sampleRate = 48_000.0
    private let framesAtStart: Int
    private let heard = Atomic<Int>(0)
    private let deliver = Mutex<(@Sendable (HostEvent) -> Void)?>(nil)
    private let queue = DispatchQueue(label: "hasty-host")

    init(framesAtStart: Int) { self.framesAtStart = framesAtStart }

    /// Loud frames that the streams rendered.
    var heardFrames: Int { heard.load(ordering: .relaxed) }

    func start(deliver: @escaping @Sendable (HostEvent) -> Void) throws(HostError) {
        self.deliver.withLock { $0 = deliver }
        report(.inventoryChanged(Inventory(ports: [.speaker], defaultOutputUID: Port.speaker.uid)))
    }

    func shutdown() { deliver.withLock { $0 = nil } }
    func now() -> HostTime { HostTime(nanoseconds: DispatchTime.now().uptimeNanoseconds) }
    func claim(_ claim: SessionClaim) { report(.claimGranted(claim.id, ClaimSerial(number: claim.id.number))) }
    func release(_ id: ClaimID, notifyingOthers: Bool) {}
    func allowSleep() {}
    func wake(at time: HostTime) {}

    func openStream(_ configuration: StreamConfiguration) throws(HostError) -> any HostStream {
        Stream(id: configuration.id) { [self] in render(configuration.renderer) }
    }

    private func report(_ event: HostEvent) { queue.async { self.deliver.withLock { $0 }?(event) } }

    private func render(_ renderer: oav_renderer) {
        let deadline = DispatchTime.now() + 10
        while heardFrames < framesAtStart, DispatchTime.now() < deadline {
            let outputs = RenderBench.cycle(renderer, outputs: 2, frames: 1024)
            // A sine beside a cosine: one of the two is always loud.
            heard.add(zip(outputs[0], outputs[1]).count { abs($0) + abs($1) > 0.1 }, ordering: .relaxed)
        }
    }

    private final class Stream: HostStream {
        let id: StreamID
        let latencyFrames = 0
        let cycleSeconds = 0.0
        private let onStart: @Sendable () -> Void

        init(id: StreamID, onStart: @escaping @Sendable () -> Void) {
            self.id = id
            self.onStart = onStart
        }

        func preferCycle(seconds: Double) {}
        func link(to portUIDs: [String]) throws(HostError) {}
        func unlink() {}
        func start() { onStart() }
        func stop() {}
        func close() {}
    }
}
