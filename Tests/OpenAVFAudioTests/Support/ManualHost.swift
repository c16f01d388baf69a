import AudioModel
import CRealtime
import Dispatch
import HostInterface
import Synchronization

/// A host in real time, as far as a player can tell, whose cycles a test runs by hand.
///
/// It has one output, which is never lost.
final class ManualHost: AudioHost {
    let kind = HostKind.pipeWire
    let sampleRate: Double = 48_000
    private let whenStarting: @Sendable (ManualStream) -> Void
    private let deliver = Mutex<(@Sendable (HostEvent) -> Void)?>(nil)
    private let opened = Mutex<[ManualStream]>([])
    private let queue = DispatchQueue(label: "manual-host")

    /// - Parameter whenStarting: runs on the session thread before a stream's `start` returns.
    init(whenStarting: @escaping @Sendable (ManualStream) -> Void = { _ in }) { self.whenStarting = whenStarting }

    /// The streams that were opened, in order.
    var streams: [ManualStream] { opened.withLock { $0 } }

    func forgetStreams() { opened.withLock { $0 = [] } }

    func start(deliver: @escaping @Sendable (HostEvent) -> Void) throws(HostError) {
        self.deliver.withLock { $0 = deliver }
        report(.inventoryChanged(Inventory(ports: [.speaker], defaultOutputUID: Port.speaker.uid)))
    }

    func shutdown() {
        for stream in streams { stream.close() }
        deliver.withLock { $0 = nil }
    }

    func now() -> HostTime { HostTime(nanoseconds: DispatchTime.now().uptimeNanoseconds) }
    func claim(_ claim: SessionClaim) { report(.claimGranted(claim.id, ClaimSerial(number: claim.id.number))) }
    func release(_ id: ClaimID, notifyingOthers: Bool) {}
    func allowSleep() {}
    func wake(at time: HostTime) {}

    func openStream(_ configuration: StreamConfiguration) throws(HostError) -> any HostStream {
        let stream = ManualStream(configuration, whenStarting: whenStarting)
        opened.withLock { $0.append(stream) }
        return stream
    }

    private func report(_ event: HostEvent) {
        queue.async { self.deliver.withLock { $0 }?(event) }
    }
}

/// A stream of two channels.
final class ManualStream: HostStream {
    let id: StreamID
    let latencyFrames = 0
    let cycleSeconds = 0.0
    private let configuration: StreamConfiguration
    private let whenStarting: @Sendable (ManualStream) -> Void
    private let state = Mutex(State())

    private struct State {
        var isRunning = false
        var isClosed = false
    }

    init(_ configuration: StreamConfiguration, whenStarting: @escaping @Sendable (ManualStream) -> Void) {
        id = configuration.id
        self.configuration = configuration
        self.whenStarting = whenStarting
    }

    var isRunning: Bool { state.withLock { $0.isRunning } }

    func preferCycle(seconds: Double) {}
    func link(to portUIDs: [String]) throws(HostError) {}
    func unlink() {}

    func start() {
        state.withLock { $0.isRunning = true }
        whenStarting(self)
    }

    func stop() { state.withLock { $0.isRunning = false } }

    func close() {
        state.withLock {
            $0.isRunning = false
            $0.isClosed = true
        }
    }

    /// Runs one cycle and returns the left channel; nil while the stream does not run.
    func render(frames: Int = 480) -> [Float]? {
        // Under the lock: neither `stop` nor `close` returns during a cycle.
        state.withLock { state in
            guard state.isRunning, !state.isClosed else { return nil }
            var (left, right) = ([Float](repeating: .nan, count: frames), [Float](repeating: .nan, count: frames))
            left.withUnsafeMutableBufferPointer { left in
                right.withUnsafeMutableBufferPointer { right in
                    let outputs: [UnsafeMutablePointer<Float>?] = [left.baseAddress, right.baseAddress]
                    outputs.withUnsafeBufferPointer { outputs in
                        var cycle = oav_cycle()
                        cycle.outputs = outputs.baseAddress
                        cycle.output_channels = 2
                        cycle.frames = UInt32(frames)
                        cycle.sample_rate = configuration.sampleRate
                        withUnsafePointer(to: configuration.renderer) { oav_renderer_call($0, &cycle) }
                    }
                }
            }
            return left
        }
    }
}
