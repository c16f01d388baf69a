package import AudioModel

extension SessionState {
    /// Another program sounds.
    package var isOtherAudioPlaying: Bool {
        reported.peers.contains(where: \.isPlaying) || foreignEffects.contains { $0 != .ignored }
    }

    /// Another program has a call.
    package var isOtherCallUnderWay: Bool {
        effectivePeers.contains { $0.isPlaying && $0.configuration.isCallLike } || hasForeignCall
    }

    /// Another program sounds that does not mix with others, so that music of ours would be in its way.
    package var secondaryAudioShouldBeSilenced: Bool {
        effectivePeers.contains { $0.isPlaying && !$0.configuration.isMixable }
            || foreignEffects.contains { $0 == .plays || $0 == .interrupts }
    }

    /// The peers that may sound; the others wait, or are about to.
    var effectivePeers: [Peer] { reported.peers.filter(isEffective) }

    /// Neither waits nor is about to.
    func isEffective(_ peer: Peer) -> Bool { !peer.isWaiting && derived.lostClaims[peer.serial] == nil }

    var hasForeignCall: Bool { !derived.foreignCalls.isEmpty }

    /// What is held or silent asks for nothing; but a call that was heard is under way all the same.
    var foreignEffects: [ForeignRoles.Effect] {
        reported.foreignStreams.map { stream in
            let effect = roles.effect(ofRole: stream.role)
            if effect == .interrupts { return derived.foreignCalls[stream.id] == nil ? .ignored : effect }
            return stream.isHeld || stream.isSilent ? .ignored : effect
        }
    }

    /// One of the session's own streams lowers the others.
    package var isDuckingOthers: Bool {
        requested.configuration.isMixable && streams.contains { $0.policy.ducksOthers && $0.isStarted }
    }

    /// What the session's claim says.
    package var claimedConfiguration: SessionConfiguration {
        var claimed = requested.configuration
        if isDuckingOthers { claimed.options.insert(.duckOthers) }
        return claimed
    }

    /// True while a peer or a foreign stream wants our sound to be lower.
    ///
    /// A call is never lowered. Of two sessions that both duck others, the later one is in front.
    package var isDucked: Bool {
        let configuration = claimedConfiguration
        guard !configuration.isCallLike else { return false }
        if foreignEffects.contains(.ducks) { return true }
        return effectivePeers.contains { peer in
            guard peer.configuration.ducksOthers else { return false }
            guard configuration.ducksOthers else { return true }
            return ownClaim.map { $0.serial < peer.serial } ?? false
        }
    }
}
