package import AudioModel

/// Which of the registry's claims may sound: a pure fold over the claims and the calls of programs without a session, in one
/// order, so that every process that sees the same comes to the same result.
///
/// Source: ours (decision 0005); the rules are those of Apple's documentation on categories and activation.
package struct Arbitration: Hashable, Sendable {
    /// One session's claim, as the registry shows it.
    package struct Claim: Hashable, Sendable {
        package var serial: ClaimSerial
        package var configuration: SessionConfiguration

        /// As in `Peer`.
        package var owner: UInt64?

        package init(serial: ClaimSerial, configuration: SessionConfiguration, owner: UInt64? = nil) {
            self.serial = serial
            self.configuration = configuration
            self.owner = owner
        }
    }

    package enum Verdict: Hashable, Sendable {
        case effective
        /// It was effective until this came, which is later.
        case interrupted(by: Interruption.Source)
        /// This, which is earlier, outranks it; it never had an effect.
        case refused(by: Interruption.Source)

        func isLoss(to source: Interruption.Source) -> Bool {
            self == .interrupted(by: source) || self == .refused(by: source)
        }
    }

    /// A claim, or a foreign call, which counts as the claim of a call.
    private struct Contender {
        let source: Interruption.Source
        let claim: Claim

        init(_ claim: Claim) { (source, self.claim) = (.peer(claim.serial), claim) }

        init(foreignCallAfter serial: ClaimSerial) {
            let call = SessionConfiguration(category: .playAndRecord, mode: .voiceChat)
            (source, claim) = (.foreignCall, Claim(serial: serial, configuration: call))
        }

        func precedes(_ other: Contender) -> Bool {
            claim.serial == other.claim.serial
                ? source != .foreignCall && other.source == .foreignCall : claim.serial < other.claim.serial
        }
    }

    private var verdicts: [Interruption.Source: Verdict] = [:]

    /// - Parameters:
    ///   - claims: in any order; a claim known to have lost is to be left out, for it is about to go.
    ///   - foreignCalls: for each call of a program without a session, the newest claim when it began.
    package init(_ claims: [Claim], foreignCalls: [ClaimSerial] = []) {
        let contenders = claims.map(Contender.init) + foreignCalls.map(Contender.init(foreignCallAfter:))
        var effective: [Contender] = []
        for newcomer in contenders.sorted(by: { $0.precedes($1) }) {
            let claim = newcomer.claim
            // What a session has claimed before is over with its new claim, even if that one is refused.
            for old in effective where old.claim.owner != nil && old.claim.owner == claim.owner {
                verdicts[old.source] = .interrupted(by: newcomer.source)
            }
            effective.removeAll { $0.claim.owner != nil && $0.claim.owner == claim.owner }
            if let better = effective.first(where: { $0.claim.configuration.refuses(claim.configuration) }) {
                verdicts[newcomer.source] = .refused(by: better.source)
                continue
            }
            for loser in effective where claim.configuration.interrupts(loser.claim.configuration) {
                verdicts[loser.source] = .interrupted(by: newcomer.source)
            }
            effective.removeAll { claim.configuration.interrupts($0.claim.configuration) }
            effective.append(newcomer)
            verdicts[newcomer.source] = .effective
        }
    }

    /// Nil for a serial that no claim has.
    package func verdict(on serial: ClaimSerial) -> Verdict? { verdicts[.peer(serial)] }
}
