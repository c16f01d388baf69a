internal import AudioModel

/// Mutes speakers while headphones are in their jacks.
extension GuardMachine {
    mutating func advanceArming() {
        guard scene.hasSettled, scene.manager == .present else { return }
        let (muted, forgotten, emptied) = (arming.muted, arming.forgotten, arming.emptied)
        let commands = arming.advance(
            JackArming.Scene(
                jacks: outputs.jacks, isWanted: scene.options.armsJacks && !isEnding,
                needsProof: outputs.ranking.rules.are0511OrLater, sounding: sounding, leaving: leaving, now: now))
        // Saved before the mute happens: if the guard is killed, another guard must know of the mute.
        if arming.muted != muted { changeMuted(muted) }
        for port in outputs.jacks.flatMap(\.ports)
        where arming.forgotten.contains(port.uid) && !forgotten.contains(port.uid) {
            effects.append(.report(GuardReport(.portForgotten, name: port.name)))
        }
        for command in commands { self.command(command) }
        if let emptied, arming.emptied?.sink != emptied.sink { fill(emptied.sink, emptied.former) }
        if let sink = arming.emptied?.sink { tell(.sinkEmptied(sink, duckOutput: ducking.output)) }
    }

    private mutating func changeMuted(_ old: Set<String>) {
        effects.append(.mutedPortsChanged(arming.muted))
        for port in outputs.jacks.flatMap(\.ports) where old.contains(port.uid) != arming.muted.contains(port.uid) {
            let kind: GuardReport.Kind = arming.muted.contains(port.uid) ? .portMuted : .portUnmuted
            effects.append(.report(GuardReport(kind, name: port.name)))
        }
    }

    /// The sinks on which streams play, and whether all those streams can be held.
    private var sounding: [String: Bool] {
        book.streams.values.reduce(into: [:]) { sinks, record in
            guard record.stream.isRunning, let sink = record.stream.sink(duckOutput: ducking.output)
            else { return }
            sinks[sink] = sinks[sink] != false && record.isHoldable(scene)
        }
    }

    /// The sinks on which held streams still play.
    private var leaving: Set<String> {
        Set(
            book.streams.values.compactMap { record in
                guard record.stream.isRunning, record.hold?.activity.isMoving == true else { return nil }
                return record.stream.sink(duckOutput: ducking.output)
            })
    }

    private mutating func fill(_ sink: String, _ former: GuardJack.Port) {
        let isFormerThere = outputs.jacks.contains { $0.port(former.uid)?.isAvailable == true }
        if !isFormerThere, book.waiting.contains(where: { $0.hold.reasons.contains(.switched(sink: sink)) }) {
            rules.loss.note(lossOf: former.uid, outputs.outputs.first { $0.uid == former.uid }, at: now)
        }
        tell(.sinkFilled(sink, lost: isFormerThere || scene.options.scope.isOff ? nil : former))
    }
}
