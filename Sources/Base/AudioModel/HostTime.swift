/// An instant on a host's clock.
///
/// Unit: nanoseconds. On PipeWire it is `CLOCK_MONOTONIC`; on the simulated host it is virtual time, which starts at 0.
package struct HostTime: Hashable, Comparable, Sendable, Codable {
    package let nanoseconds: UInt64

    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    package static let zero = HostTime(nanoseconds: 0)

    package var seconds: Double { Double(nanoseconds) / 1e9 }

    package static func < (a: HostTime, b: HostTime) -> Bool { a.nanoseconds < b.nanoseconds }

    /// Seconds from `earlier` to this instant; negative when `earlier` is later.
    package func seconds(since earlier: HostTime) -> Double {
        nanoseconds >= earlier.nanoseconds
            ? Double(nanoseconds - earlier.nanoseconds) / 1e9 : -Double(earlier.nanoseconds - nanoseconds) / 1e9
    }

    /// This instant moved by `seconds`, forwards or (negative) backwards, to the nearest nanosecond.
    ///
    /// Stops at the ends of what can be represented (0, and about 584 years); a NaN moves nothing. The nanoseconds are
    /// added as integers: a `Double` holds them exactly only for the first 104 days after a machine's start.
    package func advanced(bySeconds seconds: Double) -> HostTime {
        let distance = (abs(seconds) * 1e9).rounded()
        guard !distance.isNaN else { return self }
        let step = distance < 0x1p64 ? UInt64(distance) : .max
        let (sum, overflow) =
            seconds < 0
            ? nanoseconds.subtractingReportingOverflow(step) : nanoseconds.addingReportingOverflow(step)
        return HostTime(nanoseconds: overflow ? (seconds < 0 ? 0 : .max) : sum)
    }
}
