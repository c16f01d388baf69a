internal import AudioModel

/// Makes the session manager remember a speaker as muted while headphones sound on the same sink, and undoes that.
///
/// WirePlumber remembers a mute for each port of a card and applies it when the card switches to that port: after the jack is
/// pulled, the speaker is silent. WirePlumber remembers only the active port's state. So the card is switched to its speaker for
/// a moment while nothing sounds on the sink.
///
/// Pure. Decision 33.
struct JackArming: Hashable, Sendable {
    /// The facts about the machine that the rules read.
    struct Scene {
        var jacks: [GuardJack]
        /// Whether speakers are to be muted; if not, the guard's mutes are undone.
        var isWanted: Bool
        /// The session manager may not remember a mute, so each mute is verified before it counts.
        var needsProof: Bool
        /// The sinks on which streams play, and whether all those streams can be held.
        var sounding: [String: Bool]
        /// The sinks on which held streams still play: the session manager has not moved them yet.
        var leaving: Set<String>
        var now: HostTime
    }

    private enum Step: Hashable {
        /// The streams that play on the sink are moved away.
        case emptying
        /// The card plays the frames that it already has.
        case draining
        /// The card switches to the port.
        case switching
        /// The session manager applies its stored state to the port.
        case restoring
        /// The session manager stores the new mute.
        case storing
        /// The card is back at the former port, and the session manager applies the stored state, which also switches the card there.
        case resting
        /// The card is switched to the port once more with the mute off: a stored mute comes back.
        case proving
        /// The card switches back.
        case returning
    }

    private struct Work: Hashable {
        let sink: String
        /// The port whose mute is changed.
        let port: String
        var mutes: Bool
        /// The port to which the card is switched back; nil if the card is at `port` already and stays there.
        let former: GuardJack.Port?
        var step: Step
        var since: HostTime
    }

    /// How long a sink still plays the frames that it has, and how long a session manager takes to notice a change.
    static let settleSeconds = 0.1
    /// How long the session manager may take to apply its stored state.
    static let proofSeconds = 1.0
    /// The timeout of a step; no step takes this long.
    static let patienceSeconds = 2.0

    /// The ports that the session manager remembers, or may remember, as muted because of the guard.
    var muted: Set<String> = []
    /// Ports that must not be armed: their user has muted them, or the card does not obey.
    private var untouched: Set<String> = []
    /// Ports in `muted` whose mute may be gone: the headphones came back too soon.
    private var unconfirmed: Set<String> = []
    /// Ports whose stored mute was confirmed, and ports whose mute is not stored: from 0.5.11 on, WirePlumber stores nothing for an
    /// unavailable port, and most cards report the speaker as unavailable while the headphones are in.
    private var remembered: Set<String> = []
    private(set) var forgotten: Set<String> = []
    /// Whether a port was muted by others than the guard when the card was last switched to it.
    private var seenMuted: [String: Bool] = [:]
    private var work: Work?

    /// The sink on which nothing may sound now, and the port to which it was switched before.
    var emptied: (sink: String, former: GuardJack.Port)? {
        work.flatMap { work in work.former.map { (work.sink, $0) } }
    }

    func deadline(after now: HostTime) -> HostTime? {
        guard let work else { return nil }
        let waits = work.step == .proving || work.step == .restoring
        let steps = [Self.settleSeconds] + (waits ? [Self.proofSeconds] : []) + [Self.patienceSeconds]
        return steps.map { work.since.advanced(bySeconds: $0) }.first { now < $0 }
    }

    /// The ports of this machine that will be silent when their headphones are unplugged; empty while a step is in progress.
    func armed(_ jacks: [GuardJack]) -> [GuardJack.Port] {
        guard work == nil else { return [] }
        return jacks.flatMap(\.ports).filter { muted.contains($0.uid) }
    }

    /// Whether a port of this machine is muted or about to be muted.
    func hasWork(_ jacks: [GuardJack]) -> Bool {
        work != nil || jacks.contains { jack in jack.ports.contains { muted.contains($0.uid) } }
    }

    /// Forgets the server, which is gone.
    mutating func reset() {
        work = nil
        // The next server may have another session manager.
        (remembered, forgotten, seenMuted) = ([], [], [:])
    }

    mutating func advance(_ scene: Scene) -> [GuardCommand] {
        var commands: [GuardCommand] = []
        while let more = step(scene) { commands += more }
        return commands
    }

    private mutating func step(_ scene: Scene) -> [GuardCommand]? {
        if let work { advance(work, scene) } else { begin(scene) }
    }

    /// - Returns: nil if nothing is to be done.
    private mutating func begin(_ scene: Scene) -> [GuardCommand]? {
        for jack in scene.jacks {
            untouched.remove(jack.active)
            if !muted.contains(jack.active) { seenMuted[jack.active] = jack.isMuted }
            if muted.contains(jack.active) {
                work = Work(
                    sink: jack.sink, port: jack.active, mutes: false, former: nil, step: .draining, since: scene.now)
                return []
            }
        }
        for jack in scene.jacks where scene.sounding[jack.sink] != false {
            guard let active = jack.port(jack.active), active.isAvailable else { continue }
            let port =
                if scene.isWanted {
                    active.kind.isPrivate ? jack.ports.first { isToBeArmed($0) } : nil
                } else {
                    jack.ports.first { muted.contains($0.uid) }
                }
            guard let port else { continue }
            work = Work(
                sink: jack.sink, port: port.uid, mutes: scene.isWanted, former: active, step: .emptying,
                since: scene.now)
            // The session manager must later return to the volume that the headphones have now.
            return [.switchPort(uid: active.uid, isMuted: nil)]
        }
        return nil
    }

    private func isToBeArmed(_ port: GuardJack.Port) -> Bool {
        guard !port.kind.isPrivate, !untouched.contains(port.uid), !forgotten.contains(port.uid),
            seenMuted[port.uid] != true
        else { return false }
        return !muted.contains(port.uid) || unconfirmed.contains(port.uid)
    }

    private mutating func advance(_ work: Work, _ scene: Scene) -> [GuardCommand]? {
        guard let jack = scene.jacks.first(where: { $0.sink == work.sink }),
            work.former.map({ jack.port($0.uid)?.isAvailable == true }) ?? true
        else {
            // The card or its headphones are gone.
            self.work = nil
            return []
        }
        let seconds = scene.now.seconds(since: work.since)
        if seconds >= Self.patienceSeconds { return giveUp(work) }
        let isSettled = seconds >= Self.settleSeconds
        let isThere = jack.active == work.port
        if work.former == nil, !isThere {
            // The headphones are back.
            if work.step == .storing { unconfirmed.insert(work.port) }
            self.work = nil
            return []
        }
        switch work.step {
        case .emptying:
            switch scene.sounding[work.sink] {
            case nil: return enter(.draining, scene)
            case true?: return nil
            // A stream that cannot be held began to play there.
            case false?: return giveUp(work)
            }
        case .draining:
            guard isSettled else { return nil }
            guard work.former != nil else {
                return scene.leaving.contains(work.sink)
                    ? enter(.draining, scene) : set(.storing, work, scene, isMuted: false)
            }
            guard scene.sounding[work.sink] == nil else { return enter(.emptying, scene) }
            muted.insert(work.port)
            return set(.switching, work, scene, isMuted: true)
        case .switching:
            return isThere ? enter(.restoring, scene) : nil
        case .restoring:
            if work.mutes, !jack.isMuted { return set(.storing, work, scene, isMuted: true) }
            guard isSettled else { return nil }
            guard work.mutes else { return set(.storing, work, scene, isMuted: false) }
            // This may be the guard's own mute, which a slow session manager has not yet replaced by its stored state. If the port was
            // audible before, it is the guard's own mute.
            guard seenMuted[work.port] == nil, seconds >= Self.proofSeconds else { return nil }
            if unconfirmed.remove(work.port) == nil {
                // The user has muted the port.
                muted.remove(work.port)
                untouched.insert(work.port)
            }
            return goBack(work, scene)
        case .storing:
            guard isSettled, isThere, jack.isMuted == work.mutes else { return nil }
            unconfirmed.remove(work.port)
            if !work.mutes { muted.remove(work.port) }
            return goBack(work, scene)
        case .returning:
            guard jack.active == work.former?.uid else { return nil }
            if scene.needsProof, work.mutes, muted.contains(work.port), !remembered.contains(work.port) {
                return enter(.resting, scene)
            }
            self.work = nil
            return []
        case .resting:
            guard isSettled else { return nil }
            return enter(.proving, scene) + [.switchPort(uid: work.port, isMuted: false, isRemembered: false)]
        case .proving:
            if isThere, jack.isMuted {
                remembered.insert(work.port)
                return goBack(work, scene)
            }
            guard seconds >= Self.proofSeconds else { return nil }
            guard isThere else { return giveUp(work) }
            // If the manager is slow and does store the mute, this makes the port audible again.
            forgotten.insert(work.port)
            self.work?.mutes = false
            return set(.storing, work, scene, isMuted: false)
        }
    }

    private mutating func enter(_ step: Step, _ scene: Scene) -> [GuardCommand] {
        work?.step = step
        work?.since = scene.now
        return []
    }

    private mutating func set(_ step: Step, _ work: Work, _ scene: Scene, isMuted: Bool) -> [GuardCommand] {
        enter(step, scene) + [.switchPort(uid: work.port, isMuted: isMuted)]
    }

    private mutating func goBack(_ work: Work, _ scene: Scene) -> [GuardCommand] {
        guard let former = work.former else {
            self.work = nil
            return []
        }
        return enter(.returning, scene) + [.switchPort(uid: former.uid, isMuted: nil)]
    }

    private mutating func giveUp(_ work: Work) -> [GuardCommand] {
        self.work = nil
        switch work.step {
        // These steps wait for silence, so the work may be tried again.
        case .emptying, .draining: break
        case .switching, .restoring, .storing, .returning, .resting, .proving:
            if work.mutes { untouched.insert(work.port) }
        }
        return work.former.map { [.switchPort(uid: $0.uid, isMuted: nil)] } ?? []
    }
}
