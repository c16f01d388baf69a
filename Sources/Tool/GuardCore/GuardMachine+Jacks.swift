internal import AudioModel

/// Mutes speakers while headphones are in their jacks.
extension GuardMachine {
    mutating func advanceArming() {
        guard hasSettled, manager == .present else { return }
        let (muted, forgotten, emptied) = (arming.muted, arming.forgotten, arming.emptied)
        let commands = arming.advance(
            JackArming.Scene(
                jacks: outputs.jacks, isWanted: options.armsJacks && !isEnding,
                needsProof: outputs.ranking.rules.are0511OrLater, sounding: sounding, now: now))
        // Saved before the mute happens: if the guard is killed, another guard must know of the mute.
        if arming.muted != muted { changeMuted(muted) }
        for port in outputs.jacks.flatMap(\.ports)
        where arming.forgotten.contains(port.uid) && !forgotten.contains(port.uid) {
            effects.append(.report(GuardReport(.portForgotten, name: port.name)))
        }
        for command in commands { self.command(command) }
        if let emptied, arming.emptied?.sink != emptied.sink { fill(emptied.sink, emptied.former) }
        if let sink = arming.emptied?.sink { empty(sink) }
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
        streams.values.reduce(into: [:]) { sinks, record in
            guard record.stream.isRunning, let sink = sink(of: record.stream) else { return }
            sinks[sink] = sinks[sink] != false && isHoldable(record.stream)
        }
    }

    /// The output on which the stream plays, directly or through the ducking sink or a role's loopback.
    func sink(of stream: ProgramStream) -> String? {
        switch stream.linkTarget {
        case .sink(let name): name
        case .role(let output): output
        case .duck: ducking.output
        case .nowhere, .catch, .hold: nil
        }
    }

    mutating func empty(_ sink: String) {
        for id in orderedIDs {
            guard let record = streams[id], record.hold == nil, record.stream.isRunning,
                self.sink(of: record.stream) == sink, isHoldable(record.stream)
            else { continue }
            hold(id, because: .switched(sink: sink), cutsLinks: true)
        }
    }

    mutating func fill(_ sink: String, _ former: GuardJack.Port) {
        let isFormerThere = outputs.jacks.contains { $0.port(former.uid)?.isAvailable == true }
        for (stream, hold) in waiting where hold.reasons.contains(.switched(sink: sink)) {
            if !isFormerThere {
                losses[former.uid] = Loss(time: now, output: outputs.outputs.first { $0.uid == former.uid })
                add(.lost(uid: former.uid, name: former.name), to: stream.id)
            }
            drop(.switched(sink: sink), of: stream.id, .outputIsReady)
        }
    }
}
