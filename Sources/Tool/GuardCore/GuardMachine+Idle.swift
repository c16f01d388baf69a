internal import AudioModel

/// Streams that paused for an instant when their output left.
///
/// A stream says that it runs, not what its user wants: one that was just opened, or waits for more to play, stands still like one
/// that was paused. It is moved to the holding sink and no person is told; only one that begins to play there is held.
extension GuardMachine {
    /// It plays: it was not paused by its user.
    mutating func confirmIdle(_ stream: ProgramStream) {
        guard let hold = streams[stream.id]?.hold, let idle = hold.reasons.first(where: \.isIdle),
            case .idle(let uid, let name) = idle
        else { return }
        guard losses[uid] != nil else { return drop(idle, of: stream.id, .outputReturned) }
        if hold.activity.hasArrived { streams[stream.id]?.hold?.activity = .standing }
        add(.lost(uid: uid, name: name), to: stream.id)
        drop(idle, of: stream.id, .stayedPaused)
    }

    /// It has not begun to play: it was paused, and goes where it would be without a guard.
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
