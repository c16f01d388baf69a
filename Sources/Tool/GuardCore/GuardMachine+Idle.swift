internal import AudioModel

/// Streams that were in a short pause when their output left.
///
/// A stream reports whether it runs, not what its user wants: a stream that was just opened, or that waits for more data, looks
/// like a paused one. Such a stream is moved to the holding sink without a report; it counts as held only if it begins to play.
extension GuardMachine {
    /// Handles a stream that plays: its user had not paused it.
    mutating func confirmIdle(_ stream: ProgramStream) {
        guard let hold = streams[stream.id]?.hold, let idle = hold.reasons.first(where: \.isIdle),
            case .idle(let uid, let name) = idle
        else { return }
        guard losses[uid] != nil else { return drop(idle, of: stream.id, .outputReturned) }
        if hold.activity.hasArrived { streams[stream.id]?.hold?.activity = .standing }
        add(.lost(uid: uid, name: name), to: stream.id)
        drop(idle, of: stream.id, .stayedPaused)
    }

    /// Handles a stream that did not begin to play: it was paused, and goes where it would be without a guard.
    mutating func endIdle(_ id: UInt64) {
        guard let record = streams[id], let end = idleEnd(record), end <= now else { return }
        for idle in record.hold?.reasons.filter(\.isIdle) ?? [] { drop(idle, of: id, .stayedPaused) }
    }

    func idleEnd(_ record: StreamRecord) -> HostTime? {
        guard let hold = record.hold, hold.reasons.contains(where: \.isIdle) else { return nil }
        return hold.since.advanced(bySeconds: Self.idleSeconds)
    }
}

extension Hold.Reason {
    fileprivate var isIdle: Bool { if case .idle = self { true } else { false } }
}
