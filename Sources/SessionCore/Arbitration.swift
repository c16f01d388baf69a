package import AudioModel

/// Which of the registry's claims may sound: a pure fold, so that every process that sees the same claims comes to the
/// same result.
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
        /// It was effective until this later claim came.
        case interrupted(by: ClaimSerial)
        /// This earlier claim outranks it; it never had an effect.
        case refused(by: ClaimSerial)
    }

    private var verdicts: [ClaimSerial: Verdict] = [:]

    /// - Parameter claims: in any order; a claim known to have lost is to be left out, for it is about to go.
    package init(_ claims: [Claim]) {
        var effective: [Claim] = []
        for claim in claims.sorted(by: { $0.serial < $1.serial }) {
            // What a session has claimed before is over with its new claim, even if that one is refused.
            for old in effective where old.owner != nil && old.owner == claim.owner {
                verdicts[old.serial] = .interrupted(by: claim.serial)
            }
            effective.removeAll { $0.owner != nil && $0.owner == claim.owner }
            if let better = effective.first(where: { $0.configuration.refuses(claim.configuration) }) {
                verdicts[claim.serial] = .refused(by: better.serial)
                continue
            }
            for loser in effective where claim.configuration.interrupts(loser.configuration) {
                verdicts[loser.serial] = .interrupted(by: claim.serial)
            }
            effective.removeAll { claim.configuration.interrupts($0.configuration) }
            effective.append(claim)
            verdicts[claim.serial] = .effective
        }
    }

    /// Nil for a serial that no claim has.
    package func verdict(on serial: ClaimSerial) -> Verdict? { verdicts[serial] }
}
