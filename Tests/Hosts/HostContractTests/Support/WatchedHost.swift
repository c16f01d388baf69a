import AudioModel
import CRealtime
import HostInterface
import HostPipeWire
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A PipeWire host that counts the cycles which the machine has taken from its streams.
///
/// A program that does not come to run for longer than a cycle is not heard in that cycle, whatever it does. The sink's
/// meter does not notice: for the sink, that is silence. A recording whose every sample counts needs to know.
final class WatchedHost: AudioHost {
    private let host: PipeWireHost
    private let watches = Mutex<[CycleWatch]>([])

    init(remote: String) { host = PipeWireHost(remote: remote) }

    /// Cycles of all streams that were left out, or done when their time was over; any thread.
    var lostCycles: Int { watches.withLock { $0.reduce(0) { $0 + $1.lost } } }

    func openStream(_ configuration: StreamConfiguration) throws(HostError) -> any HostStream {
        let watch = CycleWatch(configuration.renderer)
        // Kept as long as the host: a stream may call it until it is closed.
        watches.withLock { $0.append(watch) }
        var watched = configuration
        watched.renderer = watch.renderer
        return try host.openStream(watched)
    }

    var name: String { host.name }
    var sampleRate: Double { host.sampleRate }
    func start(deliver: @escaping @Sendable (HostEvent) -> Void) throws(HostError) { try host.start(deliver: deliver) }
    func shutdown() { host.shutdown() }
    func now() -> HostTime { host.now() }
    func claim(_ claim: SessionClaim) { host.claim(claim) }
    func suspend(_ id: ClaimID) { host.suspend(id) }
    func release(_ id: ClaimID, notifyingOthers: Bool) { host.release(id, notifyingOthers: notifyingOthers) }
    func allowSleep() { host.allowSleep() }
    func wake(at time: HostTime) { host.wake(at: time) }
    func setVolume(_ volume: PortVolume, ofPort uid: String) throws(HostError) {
        try host.setVolume(volume, ofPort: uid)
    }
}

/// A renderer around another one, with an eye on the clock.
private final class CycleWatch: Sendable {
    private let inner: oav_renderer
    private let count = Atomic<Int>(0)
    /// Of the newest cycle, on the host's clock, in nanoseconds; the data thread only.
    private let end = Atomic<UInt64>(0)

    init(_ inner: oav_renderer) { self.inner = inner }

    var lost: Int { count.load(ordering: .acquiring) }

    var renderer: oav_renderer {
        oav_renderer(
            render: { context, cycle in
                guard let context, let cycle else { return }
                Unmanaged<CycleWatch>.fromOpaque(context).takeUnretainedValue().render(cycle)
            }, context: Unmanaged.passUnretained(self).toOpaque())
    }

    private func render(_ cycle: UnsafePointer<oav_cycle>) {
        inner.render(inner.context, cycle)
        let begin = cycle.pointee.host_time_ns
        let length = UInt64(Double(cycle.pointee.frames) / cycle.pointee.sample_rate * 1e9)
        let last = end.exchange(begin + length, ordering: .relaxed)
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let isLate = UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec) > begin + length
        // Half a cycle: the clock's times are rounded.
        let isAfterAGap = last > 0 && begin > last + length / 2
        if isLate || isAfterAGap { count.add(1, ordering: .acquiringAndReleasing) }
    }
}
