import Synchronization

/// The instant at which something first happened, noted on one thread and read on another.
final class Moment: Sendable {
    private let time = Atomic<UInt64>(0)

    /// Any thread; later calls change nothing.
    func note(at nanoseconds: UInt64 = Clock.nanoseconds) {
        _ = time.compareExchange(expected: 0, desired: nanoseconds, ordering: .relaxed)
    }

    func forget() { time.store(0, ordering: .relaxed) }

    /// CLOCK_MONOTONIC in nanoseconds; waits for it.
    func wait(for what: String) throws -> UInt64 {
        try benchmarks.wait(for: what) { time.load(ordering: .relaxed) != 0 }
        return time.load(ordering: .relaxed)
    }
}
