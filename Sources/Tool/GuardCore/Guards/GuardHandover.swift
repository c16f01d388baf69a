package import AudioModel

/// The holds that an ending guard hands over to the next guard, so that the streams stay silent in between.
///
/// It travels with the guard's claim; a handover from another process is untrusted.
package struct GuardHandover: Hashable, Sendable, Codable {
    /// The most streams that are handed over; the others are released.
    package static let mostHolds = 64

    /// The name of the sink at which the streams are held.
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
    /// The target that the user had chosen for the stream in a mixer.
    package var formerTarget: String?
    /// The stream's player shows a pause because the guard told it to pause.
    package var isPlayerPaused = false
}

/// The holds that this guard takes over from leaving guards.
///
/// Pure.
struct GuardTakeover: Hashable, Sendable {
    /// How long the streams may take to arrive before the other guards may end; the other guards wait much longer than this.
    static let patienceSeconds = 3.0

    /// The claims of the leaving guards.
    let claims: [UInt64]
    /// The holding sinks at which the streams are.
    let sinks: [String]
    private let since: HostTime
    /// All streams have arrived here, or had time to: the other guards may end.
    var isDone = false
    /// The holds whose streams were not reported yet, by stream.
    private var pending: [UInt64: KeptHold] = [:]

    /// - Parameter leaving: if several guards name a stream, the first one counts; the result is nil if the list is empty.
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

    /// When the other guards may end, even if streams have not arrived.
    var deadline: HostTime? { isDone ? nil : since.advanced(bySeconds: Self.patienceSeconds) }

    /// The stream's hold, returned only when the stream is first reported; nil if its user has moved it meanwhile.
    ///
    /// - Parameter isParked: whether the stream is held at a holding sink. If not, only its player was paused, and the stream may be
    ///   linked anywhere.
    mutating func drain(_ stream: ProgramStream, isParked: Bool) -> KeptHold? {
        guard let kept = pending.removeValue(forKey: stream.id), stream.chosenTarget == nil,
            stream.standing == .movable, !kept.reasons.isEmpty
        else { return nil }
        if isParked, case .sink(let name) = stream.linkTarget, !sinks.contains(name) { return nil }
        return kept
    }

    /// Every existing stream was reported: the others have ended.
    mutating func forgetUntold() { pending = [:] }
}
