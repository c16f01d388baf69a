/// An instant on a host's clock.
///
/// Unit: nanoseconds. On PipeWire it is `CLOCK_MONOTONIC`; on the simulated host it is virtual time, which starts at 0.
package struct HostTime: Hashable, Comparable, Sendable {
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

    package func advanced(bySeconds seconds: Double) -> HostTime {
        HostTime(nanoseconds: UInt64(max(0, Double(nanoseconds) + seconds * 1e9)))
    }
}
