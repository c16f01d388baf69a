import AudioModel
import HostInterface

extension MachineState {
    private var playingApps: Set<AppID> {
        Set(streamOrder.lazy.filter { [streams] in streams[$0]?.isPlaying == true }.map(\.app))
    }

    /// Puts a claim up and tells the others, then its owner, who was told of every claim before it when that was put up.
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

    /// The app's claims leave the claim registry without its doing; it may release them still, or not.
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

    /// Tells the peers of those that began or ceased to play.
    mutating func reportPlaying() {
        guard !registry.entries.isEmpty else { return }
        for entry in registry.update(playing: playingApps) {
            tellAll(.peerChanged(peer(entry)), except: entry.app)
        }
    }

    /// What an app that connects is told of the others.
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
