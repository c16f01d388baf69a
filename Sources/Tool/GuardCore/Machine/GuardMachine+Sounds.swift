internal import AudioModel

/// What the streams of programs mean while they are heard: alerts lower the others, and some calls have no role.
extension GuardMachine {
    /// Finds calls by what their programs do; a call that is over has to be found again.
    mutating func findCalls() {
        let isOn = options.holdsForCalls
        scene.foundCalls = scene.foundCalls.filter { isOn && book.streams[$0]?.isUnderWay == true }
        for record in unfoundCalls where record.time <= now {
            guard let call = book.streams[record.id], call.hold == nil else { continue }
            scene.foundCalls.insert(record.id)
            tell(.streamBegan(call.stream))
        }
    }

    private var unfoundCalls: [(id: UInt64, time: HostTime)] {
        guard scene.hasSettled, life == .guarding, !rules.focus.recordings.isEmpty else { return [] }
        return book.ids.filter { !scene.foundCalls.contains($0) }.compactMap { id in
            let record = book.streams[id]
            return record.flatMap { CallRule.foundAt($0, rules.focus.recordings, scene) }.map { (id, $0) }
        }
    }

    /// Makes the alerts that are heard focus holders.
    mutating func reviewAlerts() {
        guard claims.isOwner, scene.hasSettled, life == .guarding else { return }
        let heard = alerts.filter { $0.begin <= now && now < $0.end }.prefix(Alert.mostAlerts)
        for case .alert(let id) in holders.map(\.id) where !heard.contains(where: { $0.stream.id == id }) {
            endFocus(.alert(stream: id))
        }
        for alert in heard {
            let id = FocusHolder.ID.alert(stream: alert.stream.id)
            guard !holders.contains(where: { $0.id == id }) else { continue }
            changeFocus(
                FocusHolder(
                    id: id, kind: .duck(decibels: FocusHolder.standardDecibels), program: alert.stream.program,
                    reason: alert.stream.role, since: now))
        }
    }

    private var alerts: [Alert] { book.streams.inOrder.compactMap { Alert($0, scene) } }

    /// Tells what plays music now, if that has changed.
    mutating func reviewPrimaryAudio() {
        let isKnown = claims.isOwner && scene.hasSettled && life == .guarding
        let new = isKnown ? Array(music.filter { $0.begin <= now }.prefix(PrimaryAudio.mostStreams)) : []
        guard new != primaryAudio else { return }
        primaryAudio = new
        effects.append(.primaryAudioChanged(new))
    }

    private var music: [PrimaryAudio] {
        book.streams.inOrder.compactMap { PrimaryAudio($0, scene) }
    }

    /// The next time at which an alert or music begins, an alert ends, or a call is found.
    var soundDeadline: HostTime? {
        let times = alerts.flatMap { [$0.begin, $0.end] } + unfoundCalls.map(\.time) + music.map(\.begin)
        return times.filter { $0 > now }.min()
    }
}
