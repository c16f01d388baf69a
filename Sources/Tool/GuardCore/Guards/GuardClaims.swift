/// The guards of a server, as one that claims it or the focus sees them; the live guard whose claim has the lowest serial owns it.
///
/// Pure.
package struct GuardClaims: Sendable {
    /// Whether this guard owns the server; it then owns it until the connection ends or its claim fails.
    package private(set) var isOwner = false
    /// Why this guard lost its claim; the text is untrusted.
    private(set) var failure: String?
    /// The serial of this guard's claim; nil before it is granted.
    package private(set) var own: UInt64?
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

    /// The other guard that owns the server, as far as known; nil if no guard does, or if this one does.
    package var owner: GuardRival? {
        guard !isOwner, let first = others.values.filter({ !$0.isLeaving }).min(by: { $0.serial < $1.serial }) else {
            return nil
        }
        return own.map { first.serial < $0 } ?? true ? first : nil
    }

    /// The guard for which this one waits; nil before its own claim is granted.
    var awaited: GuardRival? { own == nil ? nil : owner }

    /// The first guard before this one that stays, even if that guard waits too.
    ///
    /// `awaited` may be a guard that is about to hand over to this predecessor.
    var predecessor: GuardRival? {
        guard let own, !isOwner else { return nil }
        return others.values.filter { $0.purpose == .guarding && $0.serial < own }.min { $0.serial < $1.serial }
    }

    /// The guards that hand over their holds, the newest first: a keeping guard passes on what it has just taken over.
    var leaving: [(claim: UInt64, handover: GuardHandover)] {
        others.values.sorted { $0.serial > $1.serial }.compactMap { rival in
            if case .leaving(let handover) = rival.purpose { (rival.serial, handover) } else { nil }
        }
    }

    /// Whether another guard is on the server.
    package var hasRivals: Bool { !others.isEmpty }

    /// Whether another guard has taken over this guard's holds, or obeys this claim for the focus.
    package var isAnswered: Bool { own.map { own in others.values.contains { $0.obeyed.contains(own) } } ?? false }

    /// Whether another guard that stays is on the server.
    var hasSuccessor: Bool { others.values.contains { $0.purpose == .guarding } }
}
