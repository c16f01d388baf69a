package import AudioModel
package import HostInterface

/// This app's part of the claim registry. Session thread.
extension SimulatedHost {
    package func claim(_ claim: SessionClaim) {
        change { state in
            state.checkCaller(of: "claim", by: app)
            if state[app].isKilled { return }
            guard state[app].usedClaimIDs.insert(claim.id).inserted else {
                state.object("claim \(claim.id.number) was made twice; each activation has an id of its own", to: app)
                return
            }
            guard state[app].deliver != nil else {
                state.object(
                    "claim \(claim.id.number) was made while the session is not connected; call start first", to: app)
                return
            }
            let refusal = state.serverIsUp ? state[app].nextClaimError : .connectionLost
            state[app].nextClaimError = nil
            if let refusal {
                state[app].voidClaims.insert(claim.id)
                state.note(.claimRefused(claim.id), of: app)
                state.emit(.claimRefused(claim.id, refusal), to: app)
            } else {
                state.post(claim, of: app)
            }
        }
    }

    package func suspend(_ id: ClaimID) {
        change { state in
            state.checkCaller(of: "suspend", by: app)
            if state[app].isKilled { return }
            if state.suspend(id, of: app) {
                state.note(.claimSuspended(id), of: app)
            } else if !state[app].voidClaims.contains(id) {
                state.object("claim \(id.number) was suspended but is not held; suspend what was granted", to: app)
            }
        }
    }

    package func release(_ id: ClaimID, notifyingOthers: Bool) {
        change { state in
            state.checkCaller(of: "release", by: app)
            if state[app].isKilled { return }
            if state.withdraw(id, of: app, notifyingOthers: notifyingOthers) {
                state.note(.claimReleased(id), of: app)
            } else if state[app].voidClaims.remove(id) == nil {
                state.object(
                    "claim \(id.number) was released but is not held; release what was granted, once", to: app)
            }
        }
    }
}
