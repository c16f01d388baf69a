package import AudioModel

/// Limits how often each program may ask for the focus: one token bucket for each program.
///
/// Pure.
package struct RequestRate: Hashable, Sendable {
    /// The requests that a program may make at once after a long rest.
    package let burst: Int
    package let perSecond: Double

    /// A screen reader asks once for each sentence; a key that is held down asks about 30 times a second.
    package static let standard = RequestRate(burst: 60, perSecond: 20)

    private struct Bucket: Hashable {
        var left: Double
        var time: HostTime
    }

    /// The most callers that are remembered; with at most this many, a caller is forgotten only when its bucket is full.
    private static let mostCallers = 256

    private var buckets: [String: Bucket] = [:]

    package init(burst: Int, perSecond: Double) {
        self.burst = burst
        self.perSecond = perSecond
    }

    /// - Parameter caller: identifies the caller; untrusted text.
    /// - Returns: nil if the request is admitted; otherwise the seconds until the next request is admitted.
    package mutating func secondsToWait(_ caller: String, at now: HostTime) -> Double? {
        var left = content(buckets[caller], at: now)
        if buckets[caller] == nil { makeRoom(at: now) }
        defer { buckets[caller] = Bucket(left: left, time: now) }
        guard left >= 1 else { return (1 - left) / perSecond }
        left -= 1
        return nil
    }

    private func content(_ bucket: Bucket?, at now: HostTime) -> Double {
        guard let bucket else { return Double(burst) }
        return min(bucket.left + max(now.seconds(since: bucket.time), 0) * perSecond, Double(burst))
    }

    /// Removes full buckets, which equal missing ones.
    ///
    /// If no bucket is full, removes the fullest: the callers that ask most stay remembered.
    private mutating func makeRoom(at now: HostTime) {
        guard buckets.count >= Self.mostCallers else { return }
        buckets = buckets.filter { content($0.value, at: now) < Double(burst) }
        guard buckets.count >= Self.mostCallers else { return }
        let fullest = buckets.max { (content($0.value, at: now), $0.key) < (content($1.value, at: now), $1.key) }
        if let fullest { buckets[fullest.key] = nil }
    }
}
