internal import AudioModel

/// Has the session manager remember a speaker as muted while headphones sound on the same sink, and takes that back.
///
/// WirePlumber remembers a mute for each port of a card, and sets it with the switch to that port: after a pulled jack the
/// speaker is silent. It remembers only what the card is switched to, so the card is switched to its speaker for a moment,
/// while nothing sounds on the sink.
///
/// Pure. Decision 33.
struct JackArming: Hashable, Sendable {
    /// What it needs to know of the machine.
    struct Scene {
        var jacks: [GuardJack]
        /// Whether speakers are to be muted; else what is muted is taken back.
        var isWanted: Bool
        /// The session manager may not remember a mute: it is proved before it counts.
        var needsProof: Bool
        /// The sinks on which something sounds, and whether all of it can be held.
        var sounding: [String: Bool]
        var now: HostTime
    }

    private enum Step: Hashable {
        /// What sounds on the sink is moved away.
        case emptying
        /// The card plays what it has taken.
        case draining
        /// The card switches to the port.
        case switching
        /// The session manager sets what it remembers for the port.
        case restoring
        /// The session manager remembers the new mute.
        case storing
        /// The card is back, and the session manager sets what it remembers, by which it also switches there.
        case resting
        /// The card is switched to the port once more, audible: what is remembered comes back.
        case proving
        /// The card switches back.
        case returning
    }

    private struct Work: Hashable {
        let sink: String
        /// The port that is muted or not.
        let port: String
        var mutes: Bool
        /// What the card is switched back to; nil: it is switched to the port already, and stays.
        let former: GuardJack.Port?
        var step: Step
        var since: HostTime
    }

    /// How long a sink still plays what it has taken, and how long a session manager takes to see a change.
    static let settleSeconds = 0.1
    /// How long the session manager may take to set what it remembers.
    static let proofSeconds = 1.0
    /// Longer than any step takes.
    static let patienceSeconds = 2.0

    /// The ports that the session manager remembers as muted, or may remember so, because of the guard.
    var muted: Set<String> = []
    /// Ports that are not to be armed: their user has muted them, or the card does not do as it is told.
    private var untouched: Set<String> = []
    /// Muted ones that may be muted no more: the headphones came back too soon.
    private var unconfirmed: Set<String> = []
    /// Ports of which it was seen that the session manager remembers them as muted, and those that it forgets: WirePlumber stores from
    /// 0.5.11 on nothing of a port that is unavailable, as most cards' speakers are while the headphones are in.
    private var remembered: Set<String> = []
    private(set) var forgotten: Set<String> = []
    /// Whether ports were muted when the card was switched to them last, other than by the guard.
    private var seenMuted: [String: Bool] = [:]
    private var work: Work?

    /// The sink on which nothing may sound now, and the port that it was switched to before.
    var emptied: (sink: String, former: GuardJack.Port)? {
        work.flatMap { work in work.former.map { (work.sink, $0) } }
    }

    func deadline(after now: HostTime) -> HostTime? {
        guard let work else { return nil }
        let waits = work.step == .proving || work.step == .restoring
        let steps = [Self.settleSeconds] + (waits ? [Self.proofSeconds] : []) + [Self.patienceSeconds]
        return steps.map { work.since.advanced(bySeconds: $0) }.first { now < $0 }
    }

    /// The ports of this machine that are muted for the moment in which their headphones leave.
    func armed(_ jacks: [GuardJack]) -> [GuardJack.Port] {
        guard work == nil else { return [] }
        return jacks.flatMap(\.ports).filter { muted.contains($0.uid) }
    }

    /// A port of this machine is muted, or about to be.
    func hasWork(_ jacks: [GuardJack]) -> Bool {
        work != nil || jacks.contains { jack in jack.ports.contains { muted.contains($0.uid) } }
    }

    /// The server has gone.
    mutating func reset() {
        work = nil
        // Its session manager may be another one.
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

    /// - Returns: nil where there is nothing to do.
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
            // The session manager is to come back to the volume that the headphones have now.
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
            // The card has gone, or its headphones have.
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
            // Something began to sound there that cannot be held.
            case false?: return giveUp(work)
            }
        case .draining:
            guard isSettled else { return nil }
            guard work.former != nil else { return set(.storing, work, scene, isMuted: false) }
            guard scene.sounding[work.sink] == nil else { return enter(.emptying, scene) }
            muted.insert(work.port)
            return set(.switching, work, scene, isMuted: true)
        case .switching:
            return isThere ? enter(.restoring, scene) : nil
        case .restoring:
            if work.mutes, !jack.isMuted { return set(.storing, work, scene, isMuted: true) }
            guard isSettled else { return nil }
            guard work.mutes else { return set(.storing, work, scene, isMuted: false) }
            // The mute may be the guard's own, which a slow session manager has not replaced yet by what it remembers: of a port that
            // was audible it is.
            guard seenMuted[work.port] == nil, seconds >= Self.proofSeconds else { return nil }
            if unconfirmed.remove(work.port) == nil {
                // Its user has muted it.
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
            // A manager that is slow and does remember it has it audible again.
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
        // What waits for silence may be tried again.
        case .emptying, .draining: break
        case .switching, .restoring, .storing, .returning, .resting, .proving:
            if work.mutes { untouched.insert(work.port) }
        }
        return work.former.map { [.switchPort(uid: $0.uid, isMuted: nil)] } ?? []
    }
}
