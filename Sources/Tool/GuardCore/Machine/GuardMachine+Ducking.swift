internal import AudioModel

/// Holders that lower other programs.
extension GuardMachine {
    mutating func advanceDucking() {
        guard claims.isOwner, scene.hasSettled, !isEnding, !scene.isDryRun else { return }
        if scene.manager != .present, ducking.isOpen {
            // Without a session manager, no stream can be moved to the ducking sink or back.
            ducking = Ducking()
            book.forgetLowering()
            return command(.closeDuck)
        }
        for step in ducking.advance(duckScene) {
            switch step {
            case .open(let output): command(.openDuck(output: output))
            case .link(let output):
                book.noteDuckOutput(output)
                command(.linkDuck(output: output))
            case .fill: fillDuck()
            case .fade(let decibels, let seconds): command(.fadeDuck(decibels: decibels, seconds: seconds))
            case .empty: effects += book.raiseAll(at: now)
            case .close: command(.closeDuck)
            }
        }
    }

    private var duckScene: Ducking.Scene {
        let isWanted = book.streams.values.contains { isLowerable($0) || $0.isLowered && rules.focus.lowers($0) }
        // A stream that is held because its output left must not be heard on the next output.
        let isLeaving = book.streams.values.contains { record in
            guard let hold = record.hold, record.stream.linkTarget == .duck else { return false }
            return now.seconds(since: hold.since) < Ducking.arrivalSeconds
        }
        var output: String?
        if case .sink(let name) = outputs.defaultSink, !isLeaving { output = name }
        return Ducking.Scene(
            decibels: isWanted ? rules.focus.holders.decibels : nil, output: output, isSettled: hasDuckSettled, now: now
        )
    }

    private var hasDuckSettled: Bool {
        book.streams.values.allSatisfy { record in
            guard record.hold == nil, record.activity != .ended else { return true }
            return record.isLowered == (record.stream.linkTarget == .duck)
        }
    }

    /// Whether the stream plays on the ducking sink's output: elsewhere, ducking would move its sound to another output.
    private func isLowerable(_ record: StreamRecord) -> Bool {
        guard record.lowering == .none, record.hold == nil, record.journeyBeforeReturn == nil, record.stream.isRunning,
            rules.focus.yields(record.stream, scene), record.isHoldable(scene), rules.focus.lowers(record),
            let output = ducking.output ?? defaultName
        else { return false }
        return record.stream.linkTarget == .sink(output)
            && (record.stream.chosenTarget ?? output) == output
    }

    private var defaultName: String? { if case .sink(let name) = outputs.defaultSink { name } else { nil } }

    private mutating func fillDuck() {
        for id in book.ids {
            guard let record = book.streams[id] else { continue }
            if record.lowering != .none, !rules.focus.lowers(record) {
                effects += book.raise(id, at: now)
            } else if isLowerable(record) {
                effects += book.lower(id, at: now)
            }
        }
    }
}
