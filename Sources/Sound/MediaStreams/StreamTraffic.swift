internal import Synchronization
internal import Threading

/// What has come of a sound from elsewhere, counted where it is read.
///
/// Any thread.
package final class StreamTraffic: Sendable {
    private let bytes = Atomic<Int64>(0)
    private let requests = Atomic(0)
    private let nanoseconds = Atomic<UInt64>(0)

    package init() {}

    package var byteCount: Int64 { bytes.load(ordering: .relaxed) }
    package var requestCount: Int { requests.load(ordering: .relaxed) }
    /// Waited for the bytes.
    package var seconds: Double { Double(nanoseconds.load(ordering: .relaxed)) / 1e9 }

    func countRequest() { requests.add(1, ordering: .relaxed) }

    /// - Parameter read: gives the number of bytes.
    func count(_ read: () -> Int) -> Int {
        let start = monotonicNanoseconds()
        let got = read()
        nanoseconds.add(monotonicNanoseconds() - start, ordering: .relaxed)
        bytes.add(Int64(max(0, got)), ordering: .relaxed)
        return got
    }
}
