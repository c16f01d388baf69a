package import AudioModel

/// What a guard that ends hands over to the next one, so that nothing of it is heard in between.
///
/// It travels with the guard's claim; where it comes from another process it is untrusted.
package struct GuardHandover: Hashable, Sendable, Codable {
    /// The most streams that are handed over; the others are let go.
    package static let mostHolds = 64

    /// The name of the sink at which the streams stand.
    package var sink: String
    package var holds: [KeptHold]

    package init(sink: String, holds: [KeptHold]) {
        self.sink = sink
        self.holds = Array(holds.prefix(Self.mostHolds))
    }
}

/// One stream that is handed over.
package struct KeptHold: Hashable, Sendable, Codable {
    package var stream: UInt64
    package var reasons: [Hold.Reason]
    package var since: HostTime
    /// What the user had chosen for it in a mixer.
    package var formerTarget: String?
    /// Its player shows a pause, because the guard has told it to.
    package var isPlayerPaused: Bool

    package init(
        stream: UInt64, reasons: [Hold.Reason], since: HostTime, formerTarget: String? = nil,
        isPlayerPaused: Bool = false
    ) {
        self.stream = stream
        self.reasons = reasons
        self.since = since
        self.formerTarget = formerTarget
        self.isPlayerPaused = isPlayerPaused
    }
}

/// What this guard takes over from those that leave.
///
/// Pure.
struct GuardTakeover: Hashable, Sendable {
    /// How long what was taken over may take to arrive, before the other guard may end: far less than that one waits.
    static let patienceSeconds = 3.0

    /// The claims of the guards that leave.
    let claims: [UInt64]
    /// The holding sinks at which the streams stand.
    let sinks: [String]
    private let since: HostTime
    /// Everything stands here now, or had time to: the other guards may end.
    var isDone = false
    /// Those that were not told of yet, by their streams.
    private var pending: [UInt64: KeptHold] = [:]

    /// - Parameter leaving: where several name a stream, the first counts; nil where it is empty.
    init?(_ leaving: [(claim: UInt64, handover: GuardHandover)], at now: HostTime) {
        guard !leaving.isEmpty else { return nil }
        claims = leaving.map(\.claim)
        sinks = leaving.map(\.handover.sink)
        since = now
        for hold in leaving.flatMap({ $0.handover.holds.prefix(GuardHandover.mostHolds) }) {
            if pending[hold.stream] == nil { pending[hold.stream] = hold }
        }
    }

    var hasSeenAll: Bool { pending.isEmpty }

    /// When the other guards may end whatever has arrived.
    var deadline: HostTime? { isDone ? nil : since.advanced(bySeconds: Self.patienceSeconds) }

    /// What the stream is held for, at the first look at it; nil where its user has moved it meanwhile.
    ///
    /// - Parameter isParked: it stands at a holding sink; else its player shows a pause, wherever it is.
    mutating func drain(_ stream: ProgramStream, isParked: Bool) -> KeptHold? {
        guard let kept = pending.removeValue(forKey: stream.id), stream.chosenTarget == nil,
            stream.standing == .movable, !kept.reasons.isEmpty
        else { return nil }
        if isParked, case .sink(let name) = stream.linkTarget, !sinks.contains(name) { return nil }
        return kept
    }

    /// Everything that is there has been told: the others have ended.
    mutating func forgetUntold() { pending = [:] }
}
