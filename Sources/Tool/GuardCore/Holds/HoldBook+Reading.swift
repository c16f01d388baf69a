internal import AudioModel

/// What the book says of its streams.
extension HoldBook {
    /// In the order in which they appeared.
    var ids: [UInt64] { streams.ids }

    /// The held streams, in the order in which they were held; also those that ended while they were held.
    var waiting: [(stream: ProgramStream, hold: Hold)] {
        streams.values.compactMap { record in record.hold.map { (record.stream, $0) } }
            .sorted { $0.hold.order < $1.hold.order }
    }

    /// As `waiting`, without streams that ended.
    var standing: [(stream: ProgramStream, hold: Hold)] {
        waiting.filter { streams[$0.stream.id]?.activity != .ended }
    }

    /// As `standing`, without brief holds.
    var held: [(stream: ProgramStream, hold: Hold)] { standing.filter { !$0.hold.isBrief } }

    /// Whether held streams are at the holding sink and all others at any sink, which may be the catching sink.
    var hasEveryStreamArrived: Bool {
        streams.values.allSatisfy { record in
            guard record.activity != .ended else { return true }
            if let hold = record.hold { return !hold.activity.isMoving }
            return record.stream.linkTarget != .nowhere || record.stream.standing != .movable
        }
    }

    /// The next time at which a stream begins, pauses, must have moved, or is moved back.
    var deadline: HostTime? {
        streams.values.flatMap { [$0.deadline, $0.beginning, $0.journeyBeforeReturn?.deadline].compactMap { $0 } }.min()
    }

    /// Whether a stream waits to be moved back.
    var isReturning: Bool { streams.values.contains { $0.journeyBeforeReturn != nil } }

    /// Whether a stream is on its way to where the guard has sent it.
    func isMoving(at now: HostTime) -> Bool { streams.values.contains { $0.journey(at: now) != nil } }
}
