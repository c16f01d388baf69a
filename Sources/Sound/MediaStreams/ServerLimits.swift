/// How long a server may take, and how much it may send, before it counts as broken.
package struct ServerLimits: Sendable {
    /// Without an answer, or another byte.
    var answerSeconds = 10.0
    /// Until the sound can be played.
    var openingSeconds = 60.0
    /// Tags, pictures and tables: an M4A file's index has 4 bytes for each packet, so that these are 24 hours.
    var openingBytes: Int64 = 16 << 20
    var redirections = 8

    package init() {}

    func answer(_ cancellation: Cancellation) -> WaitLimit {
        WaitLimit(seconds: answerSeconds, .timedOut(seconds: answerSeconds), cancellation)
    }
}

/// The end of a wait for a server.
struct WaitLimit: Sendable {
    private let cancellation: Cancellation
    private let end: ContinuousClock.Instant
    private let fault: ServerFault

    /// - Parameter fault: what `check` throws after so many seconds.
    init(seconds: Double, _ fault: ServerFault, _ cancellation: Cancellation) {
        (self.fault, self.cancellation) = (fault, cancellation)
        end = .now + .seconds(seconds)
    }

    /// - Throws: `cancelled`, or the fault of this limit.
    func check() throws(ServerFault) {
        if cancellation.endsWaits { throw .cancelled }
        if ContinuousClock.now >= end { throw fault }
    }

    /// The one that comes first.
    func orEarlier(_ other: WaitLimit?) -> WaitLimit { other.map { $0.end < end ? $0 : self } ?? self }

    /// What is left, but not so long that the cancellation would be seen late.
    var pollMilliseconds: Int32 {
        let left = (end - .now) / .milliseconds(1)
        return Int32(min(max(left.rounded(.up), 1), 100))
    }
}
