package import AudioModel
package import HostInterface

/// Faults on cue. Any thread.
extension SimulatedHost {
    package var isServerRunning: Bool { state.withLock { $0.serverIsUp } }

    /// The server dies: every stream is dead, every claim void, and calls throw `connectionLost` until `restartServer`.
    package func crashServer() {
        change { state in
            guard state.serverIsUp else {
                state.object("script: crashServer while the server is down already")
                return
            }
            state.serverIsUp = false
            state.note(.serverCrashed)
            state.voidHeldClaims()
            for id in state.streamOrder where state.streams[id]?.failure == nil { state.fail(id, .connectionLost) }
            state.emit(.connectionLost("the simulated server crashed"))
        }
    }

    /// The server is back and reports its ports; streams from before the crash stay dead.
    package func restartServer() {
        change { state in
            guard !state.serverIsUp else {
                state.object("script: restartServer while the server is running")
                return
            }
            state.serverIsUp = true
            state.note(.serverRestarted)
            // What left during the outage is news to the session only now.
            for uid in state.departures.keys { state.departures[uid] = state.frame }
            state.emit(.connectionRestored)
            state.emit(.inventoryChanged(state.hardware.inventory))
        }
    }

    /// Someone's policy takes the stream's links away, although the ports stay: the gate closes and `streamSilenced`
    /// names the first port that was linked.
    ///
    /// No inventory follows, because none changed.
    package func cutLinks(of id: StreamID) {
        change { state in
            guard let first = state.streams[id]?.links.first else {
                state.object("script: the links of stream \(id.number) were cut, but it has none")
                return
            }
            state.note(.linksCut(id))
            state.closeGate(id)
            state.emit(.streamSilenced(id, lostPortUID: first))
        }
    }

    /// One stream fails for good, as when its node is destroyed by an administrator.
    package func failStream(_ id: StreamID, with error: HostError) {
        change { state in
            guard let stream = state.streams[id], stream.failure == nil else {
                state.object("script: stream \(id.number) was made to fail, but it is not alive")
                return
            }
            state.fail(id, error)
            state.emit(.streamFailed(id, error))
        }
    }

    /// The next `claim` is answered with `claimRefused`.
    package func refuseNextClaim(with error: HostError) { state.withLock { $0.nextClaimError = error } }

    /// The next `link` to ports that exist throws; the stream's gate is then closed.
    package func failNextLink(with error: HostError) { state.withLock { $0.nextLinkError = error } }

    /// The next `openStream` throws.
    package func failNextOpen(with error: HostError) { state.withLock { $0.nextOpenError = error } }
}
