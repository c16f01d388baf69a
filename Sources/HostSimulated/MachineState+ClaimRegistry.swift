import AudioModel
import HostInterface

extension MachineState {
    private var playingApps: Set<AppID> {
        Set(streamOrder.lazy.filter { [streams] in streams[$0]?.isPlaying == true }.map(\.app))
    }

    /// Adds a claim, and notifies the other apps, then its owner, which has received all earlier claims already.
    mutating func post(_ claim: SessionClaim, of app: AppID) {
        let entry = registry.post(claim, of: app, isPlaying: playingApps.contains(app))
        note(.claimGranted(claim.id), of: app)
        tellAll(.peerChanged(peer(entry)), except: app)
        emit(.claimGranted(claim.id, entry.serial), to: app)
    }

    /// False if the app has no such claim in the claim registry.
    mutating func suspend(_ id: ClaimID, of app: AppID) -> Bool {
        guard let entry = registry.suspend(id, of: app) else { return false }
        tellAll(.peerChanged(peer(entry)), except: app)
        return true
    }

    /// False if the app has no such claim in the claim registry.
    mutating func withdraw(_ id: ClaimID, of app: AppID, notifyingOthers: Bool) -> Bool {
        guard let entry = registry.remove(id, of: app) else { return false }
        tellAll(.peerLeft(entry.serial, notifiesOthers: notifyingOthers), except: app)
        return true
    }

    /// Removes the app's claims without a call of the app, which may still release them.
    mutating func withdrawAll(of app: AppID) {
        for entry in registry.removeAll(of: app) {
            self[app].voidClaims.insert(entry.id)
            tellAll(.peerLeft(entry.serial, notifiesOthers: false), except: app)
        }
    }

    /// Forgets all claims: they end with the server, without events.
    mutating func dropClaims() {
        for entry in registry.entries { self[entry.app].voidClaims.insert(entry.id) }
        registry = ClaimRegistry()
    }

    /// Notifies the peers of the apps that started or stopped playing.
    mutating func reportPlaying() {
        guard !registry.entries.isEmpty else { return }
        for entry in registry.update(playing: playingApps) {
            tellAll(.peerChanged(peer(entry)), except: entry.app)
        }
    }

    /// What an app that connects receives about the others.
    mutating func tellOthers(to app: AppID) {
        for entry in registry.entries where entry.app != app { emit(.peerChanged(peer(entry)), to: app) }
        if !foreignStreams.isEmpty { emit(.foreignStreamsChanged(foreignStreams), to: app) }
    }

    private func peer(_ entry: ClaimRegistry.Entry) -> Peer {
        Peer(
            serial: entry.serial, configuration: entry.configuration, isPlaying: entry.isPlaying,
            isWaiting: entry.isWaiting, name: self[entry.app].name, owner: UInt64(entry.app.index))
    }
}
