/// Which guard has the server: of those that live, the one whose claim has the lowest serial.
///
/// Pure.
package struct GuardClaims: Sendable {
    /// Whether this guard has the server; from then on it keeps it until the connection ends.
    package private(set) var isOwner = false
    /// Why this guard has no claim any more; the text is untrusted.
    private(set) var failure: String?
    /// Its place among those of all guards.
    private(set) var own: UInt64?
    private var others: [UInt64: GuardRival] = [:]

    package init() {}

    package mutating func apply(_ change: GuardClaimChange) {
        switch change {
        case .granted(let serial): own = serial
        case .rivalChanged(let rival): others[rival.serial] = rival
        case .rivalLeft(let serial): others[serial] = nil
        case .failed(let text): (isOwner, own, failure) = (false, nil, text)
        }
        if own != nil, owner == nil { isOwner = true }
    }

    /// The other guard that has the server, as far as is known; nil where none has it, or this one.
    package var owner: GuardRival? {
        guard !isOwner, let first = others.values.filter({ !$0.isLeaving }).min(by: { $0.serial < $1.serial }) else {
            return nil
        }
        return own.map { first.serial < $0 } ?? true ? first : nil
    }

    /// The guard for which this one waits; nil before its own claim is granted.
    var awaited: GuardRival? { own == nil ? nil : owner }

    /// The guard before this one that is here to stay, also where it waits itself.
    ///
    /// `awaited` may be one that is about to hand over, and that is the other's then.
    var predecessor: GuardRival? {
        guard let own, !isOwner else { return nil }
        return others.values.filter { $0.purpose == .guarding && $0.serial < own }.min { $0.serial < $1.serial }
    }

    /// The guards that hand over what they hold, the newest first: one that keeps hands on what it has just taken over.
    var leaving: [(claim: UInt64, handover: GuardHandover)] {
        others.values.sorted { $0.serial > $1.serial }.compactMap { rival in
            if case .leaving(let handover) = rival.purpose { (rival.serial, handover) } else { nil }
        }
    }

    /// Whether one has taken over what this guard held.
    var isSucceeded: Bool { own.map { own in others.values.contains { $0.obeyed.contains(own) } } ?? false }

    /// Whether a guard has come that is here to stay.
    var hasSuccessor: Bool { others.values.contains { $0.purpose == .guarding } }
}
