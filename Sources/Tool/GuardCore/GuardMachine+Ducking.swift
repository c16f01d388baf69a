internal import AudioModel

/// Holders that lower other programs.
extension GuardMachine {
    mutating func advanceDucking() {
        guard claims.isOwner, hasSettled, !isEnding else { return }
        if manager != .present, ducking.isOpen {
            // Without a session manager, no stream can be moved to the ducking sink or back.
            ducking = Ducking()
            for id in streams.keys { streams[id]?.lowering = .none }
            return command(.closeDuck)
        }
        for step in ducking.advance(duckScene) {
            switch step {
            case .open(let output): command(.openDuck(output: output))
            case .link(let output):
                for (id, record) in streams where record.isLowered && record.hold == nil { streams[id]?.home = output }
                command(.linkDuck(output: output))
            case .fill: fillDuck()
            case .fade(let decibels, let seconds): command(.fadeDuck(decibels: decibels, seconds: seconds))
            case .empty: for id in orderedIDs { raise(id) }
            case .close: command(.closeDuck)
            }
        }
    }

    private var duckScene: Ducking.Scene {
        let isWanted = streams.values.contains { isLowerable($0) || $0.isLowered && lowers($0) }
        // A stream that is held because its output left must not be heard on the next output.
        let isLeaving = streams.values.contains { record in
            guard let hold = record.hold, record.stream.linkTarget == .duck else { return false }
            return now.seconds(since: hold.since) < Ducking.arrivalSeconds
        }
        var output: String?
        if case .sink(let name) = outputs.defaultSink, !isLeaving { output = name }
        return Ducking.Scene(
            decibels: isWanted ? focus.decibels : nil, output: output, isSettled: hasDuckSettled, now: now)
    }

    private var hasDuckSettled: Bool {
        streams.values.allSatisfy { record in
            guard record.hold == nil, record.activity != .ended else { return true }
            return record.isLowered == (record.stream.linkTarget == .duck)
        }
    }

    /// Whether the stream plays on the ducking sink's output: elsewhere, ducking would move its sound to another output.
    private func isLowerable(_ record: StreamRecord) -> Bool {
        guard record.lowering == .none, record.hold == nil, record.stream.isRunning, yields(record.stream),
            isHoldable(record.stream), lowers(record), let output = ducking.output ?? defaultName
        else { return false }
        return record.stream.linkTarget == .sink(output)
            && (record.stream.chosenTarget ?? output) == output
    }

    private func lowers(_ record: StreamRecord) -> Bool {
        focus.lowers(record.stream.program, forRecordings: record.policy.whileRecording == .yield)
    }

    private var defaultName: String? { if case .sink(let name) = outputs.defaultSink { name } else { nil } }

    private mutating func fillDuck() {
        for id in orderedIDs {
            guard let record = streams[id] else { continue }
            if record.lowering != .none, !lowers(record) {
                raise(id)
            } else if isLowerable(record) {
                streams[id]?.lowering = .lowered(since: now)
                streams[id]?.formerTarget = record.stream.chosenTarget
                command(.duck(stream: id))
            }
        }
    }

    mutating func raise(_ id: UInt64) {
        guard let record = streams[id] else { return }
        streams[id]?.lowering = .none
        guard record.isLowered, record.hold == nil else { return }
        streams[id]?.releasedAt = now
        command(.release(stream: id, target: record.formerTarget))
    }
}
