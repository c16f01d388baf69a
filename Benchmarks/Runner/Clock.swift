import Foundation

/// The clock of the rig and of PipeWire: CLOCK_MONOTONIC.
enum Clock {
    static var nanoseconds: UInt64 { read(CLOCK_MONOTONIC) ?? 0 }

    /// What a process and its threads have used of the processors so far; nil once it has ended.
    static func processorNanoseconds(of process: pid_t) -> UInt64? {
        var clock = clockid_t()
        guard clock_getcpuclockid(process, &clock) == 0 else { return nil }
        return read(clock)
    }

    private static func read(_ clock: clockid_t) -> UInt64? {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return nil }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
