package import AudioModel

/// How often each program may ask for the focus: a bucket of requests for each, which fills with time.
///
/// Pure.
package struct RequestRate: Hashable, Sendable {
    /// What a program may ask for at once, after it has asked for nothing.
    package let burst: Int
    package let perSecond: Double

    /// A screen reader asks for each of its sentences, a key that is held down some 30 times a second.
    package static let standard = RequestRate(burst: 60, perSecond: 20)

    private struct Bucket: Hashable {
        var left: Double
        var time: HostTime
    }

    /// Callers that are remembered; one of no more than that many can be forgotten before its bucket is full.
    private static let mostCallers = 256

    private var buckets: [String: Bucket] = [:]

    package init(burst: Int, perSecond: Double) {
        self.burst = burst
        self.perSecond = perSecond
    }

    /// - Parameter caller: what tells it from others; untrusted text.
    /// - Returns: nil where the request is admitted; else the seconds until the next one is.
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

    /// A full bucket is as none.
    ///
    /// Where none is full, the fullest goes: the callers that ask most are remembered.
    private mutating func makeRoom(at now: HostTime) {
        guard buckets.count >= Self.mostCallers else { return }
        buckets = buckets.filter { content($0.value, at: now) < Double(burst) }
        guard buckets.count >= Self.mostCallers else { return }
        let fullest = buckets.max { (content($0.value, at: now), $0.key) < (content($1.value, at: now), $1.key) }
        if let fullest { buckets[fullest.key] = nil }
    }
}
