import Glibc

/// Seconds since the program began, on CLOCK_MONOTONIC.
struct Stopwatch: Sendable {
    /// CLOCK_MONOTONIC at time 0, in seconds.
    let zero = Stopwatch.monotonic

    /// Any thread.
    var seconds: Double { Stopwatch.monotonic - zero }

    private static var monotonic: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
