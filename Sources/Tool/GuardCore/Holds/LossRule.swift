internal import AudioModel

/// Streams whose output has left are held until it is back, or until their user acts.
///
/// A stream reports whether it runs, not what its user wants: a stream that was just opened, or that waits for more data, looks
/// like a paused one. Such a stream is moved to the holding sink without a report (`idle`); it counts as held only if it begins to
/// play.
struct LossRule: HoldRule {
    struct Loss: Hashable, Sendable {
        var time: HostTime
        /// The output before it left; nil if an earlier guard saw it leave.
        var output: GuardOutput?
    }

    /// A stream that stopped at most this long before its output left was stopped by the loss.
    static let lossSeconds = 0.2
    /// If a stream appeared or stopped at most this long before its output left, or starts at most this long after that, its user
    /// had not paused it: it was about to play, or waited for more data.
    static let idleSeconds = 2.0

    /// The lost outputs, by uid.
    private(set) var losses: [String: Loss] = [:]

    // MARK: Facts

    /// Notes the guarded outputs that left.
    ///
    /// A guard that serves only the focus, or is off, handles no new losses; a taken-over hold still ends when its output is back.
    mutating func noteLosses(since old: GuardOutputs, _ scene: HoldScene) -> [GuardOutput] {
        guard scene.options.scope.guards else { return [] }
        let available = Set(scene.outputs.outputs.map(\.uid))
        let lost = old.outputs.filter { $0.isActive && scene.isGuarded($0) && !available.contains($0.uid) }
        for output in lost { losses[output.uid] = Loss(time: scene.now, output: output) }
        return lost
    }

    mutating func note(lossOf uid: String, _ output: GuardOutput?, at now: HostTime) {
        losses[uid] = Loss(time: now, output: output)
    }

    /// - Returns: whether the output was lost, and its streams must not resume by themselves: it returned too late, or the options
    ///   forbid it.
    mutating func noteReturn(of uid: String, _ scene: HoldScene) -> Bool {
        guard let loss = losses[uid] else { return false }
        if case .resume(let seconds) = onReturn(uid, scene), scene.now.seconds(since: loss.time) <= seconds {
            return false
        }
        losses[uid] = nil
        return true
    }

    /// Forgets the losses of outputs that play again.
    mutating func forgetReturned(_ outputs: GuardOutputs) {
        for output in outputs.outputs where output.isActive && outputs.defaultSink == .sink(output.sink) {
            losses[output.uid] = nil
        }
    }

    /// Notes the losses for which another guard held a stream.
    mutating func note(handedOver reasons: [Hold.Reason], since: HostTime) {
        for case .lost(let uid, _) in reasons {
            losses[uid] = Loss(time: min(losses[uid]?.time ?? since, since), output: losses[uid]?.output)
        }
    }

    /// Notes the losses for which a stream was held before the connection ended.
    mutating func note(severed hold: Hold, _ former: [String: Loss]) {
        for case .lost(let uid, _) in hold.reasons where losses[uid] == nil {
            losses[uid] = former[uid] ?? Loss(time: hold.since, output: nil)
        }
    }

    /// What happens when the output is back, by the current rules.
    private func onReturn(_ uid: String, _ scene: HoldScene) -> GuardOptions.OnReturn {
        let output = scene.outputs.outputs.first { $0.uid == uid } ?? losses[uid]?.output
        return output.map { scene.options.policy(of: $0, scene.patterns).onReturn } ?? scene.options.onReturn
    }

    // MARK: Holds

    func begin(_ record: StreamRecord, after event: HoldEvent, in book: HoldBook, _ scene: HoldScene) -> HoldRequest? {
        if case .streamAppeared(let stream) = event, stream.id == record.stream.id {
            return replacedLoss(record, book, scene).map { HoldRequest(reason: $0, cutsLinks: true) }
        }
        guard case .outputLost(let output) = event, record.home == output.sink else { return nil }
        let isSinkThere = scene.outputs.outputs.contains { $0.sink == output.sink }
        let lost = Hold.Reason.lost(uid: output.uid, name: output.name)
        if record.hold != nil { return HoldRequest(reason: lost, cutsLinks: isSinkThere, movesHeard: true) }
        if record.isPausable(scene), record.sounded(within: Self.lossSeconds, of: scene.now) {
            // The ducking sink still exists and passes its sound to the next output as soon as there is one.
            return HoldRequest(reason: lost, cutsLinks: isSinkThere || record.isLowered)
        }
        guard record.isHoldable(scene), record.hasStood(under: Self.idleSeconds, at: scene.now) else { return nil }
        return HoldRequest(reason: .idle(uid: output.uid, name: output.name), cutsLinks: isSinkThere)
    }

    /// The loss that applies to a new stream, if its program opens it to replace a stream that was just lost.
    private func replacedLoss(_ record: StreamRecord, _ book: HoldBook, _ scene: HoldScene) -> Hold.Reason? {
        guard record.isArrival, record.isPausable(scene) else { return nil }
        for (other, hold) in book.waiting where other.program.identity == record.stream.program.identity {
            guard scene.now.seconds(since: hold.since) <= HoldBook.reopenSeconds else { continue }
            for reason in hold.reasons { if case .lost = reason { return reason } }
        }
        return nil
    }

    func end(
        _ reason: Hold.Reason, of record: StreamRecord, after event: HoldEvent, in book: HoldBook, _ scene: HoldScene
    ) -> HoldEnd? {
        switch (reason, event) {
        case (_, .optionsChanged), (_, .holdsInherited): scene.options.scope.isOff ? .released(.turnedOff) : nil
        case (.lost(let uid, _), .outputsChanged):
            losses[uid] != nil && isBack(uid, for: record, scene.outputs) ? .released(.outputReturned) : nil
        case (.lost(let uid, let name), .outputReturnedLate(let returned)) where uid == returned:
            .replaced(.returnedLate(uid: uid, name: name), report: .returnedLate(output: name))
        // Its user had not paused it.
        case (.idle(let uid, let name), .heldStreamRan):
            losses[uid] == nil ? .released(.outputReturned) : .replaced(.lost(uid: uid, name: name))
        // Its user had paused it, and it goes where it would be without a guard.
        case (.idle, .timePassed):
            record.hold.map { Self.idleEnd(since: $0.since) <= scene.now } == true ? .released(.stayedPaused) : nil
        default: nil
        }
    }

    /// Whether the output has returned and is where the stream would play.
    private func isBack(_ uid: String, for record: StreamRecord, _ outputs: GuardOutputs) -> Bool {
        outputs.outputs.contains { output in
            output.uid == uid && output.isActive
                && (outputs.defaultSink == .sink(output.sink) || record.formerTarget == output.sink)
        }
    }

    /// When a stream that has not begun to play goes where it would be without a guard.
    static func idleEnd(since: HostTime) -> HostTime { since.advanced(bySeconds: idleSeconds) }

    /// Whether the streams that were held at this time may still resume when the output is back.
    func mayResume(uid: String, since: HostTime, _ scene: HoldScene) -> Bool {
        guard case .resume(let seconds) = onReturn(uid, scene) else { return false }
        return scene.now.seconds(since: since) <= seconds
    }
}

extension Hold.Release {
    package static let turnedOff = reasonEnded(words: "the guard is off")
    package static let outputReturned = reasonEnded(words: "the output is back")
    /// The stream did not begin to play: its user had paused it.
    static let stayedPaused = reasonEnded(words: "its user had paused it")
}
