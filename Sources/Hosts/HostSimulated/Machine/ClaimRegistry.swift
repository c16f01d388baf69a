package import AudioModel
package import HostInterface

/// The claims of all apps, in the order of their serials.
package struct ClaimRegistry: Sendable {
    package struct Entry: Sendable {
        let serial: ClaimSerial
        package let app: AppID
        package let id: ClaimID
        let configuration: SessionConfiguration
        /// As the peers have received it last.
        var isPlaying: Bool
        /// Its session is interrupted.
        var isWaiting = false

        func isSame(as other: Entry) -> Bool { serial == other.serial && app == other.app && id == other.id }
    }

    package private(set) var entries: [Entry] = []
    private var lastNumber: UInt64 = 0

    package init() {}

    mutating func post(_ claim: SessionClaim, of app: AppID, isPlaying: Bool) -> Entry {
        lastNumber += 1
        let entry = Entry(
            serial: ClaimSerial(number: lastNumber), app: app, id: claim.id, configuration: claim.configuration,
            isPlaying: isPlaying)
        entries.append(entry)
        return entry
    }

    mutating func suspend(_ id: ClaimID, of app: AppID) -> Entry? {
        guard let index = entries.firstIndex(where: { $0.app == app && $0.id == id }) else { return nil }
        entries[index].isWaiting = true
        return entries[index]
    }

    mutating func remove(_ id: ClaimID, of app: AppID) -> Entry? {
        guard let index = entries.firstIndex(where: { $0.app == app && $0.id == id }) else { return nil }
        return entries.remove(at: index)
    }

    mutating func removeAll(of app: AppID) -> [Entry] {
        defer { entries.removeAll { $0.app == app } }
        return entries.filter { $0.app == app }
    }

    /// Returns the entries that changed.
    mutating func update(playing apps: Set<AppID>) -> [Entry] {
        var changed: [Entry] = []
        for index in entries.indices {
            let isPlaying = apps.contains(entries[index].app)
            guard isPlaying != entries[index].isPlaying else { continue }
            entries[index].isPlaying = isPlaying
            changed.append(entries[index])
        }
        return changed
    }
}

extension MachineState {
    private var playingApps: Set<AppID> {
        Set(streamOrder.lazy.filter { [streams] in streams[$0]?.isPlaying == true }.map(\.app))
    }

    /// Adds a claim, and notifies the other apps, then its owner, which has received all earlier claims already.
    mutating func post(_ claim: SessionClaim, of app: AppID) {
        let entry = registry.post(claim, of: app, isPlaying: playingApps.contains(app))
        note(.claimGranted(claim.id), of: app)
        tellAll(.peerChanged(peer(entry)), except: app)
        let grant = HostEvent.claimGranted(claim.id, entry.serial)
        let isLate = answerLate(for: app) { host in
            host.change { state in
                // Once it was released, or its server has gone, the app no longer waits for the answer.
                guard state.registry.entries.contains(where: { $0.isSame(as: entry) }) else { return }
                state.emit(grant, to: host.app)
            }
        }
        if !isLate { emit(grant, to: app) }
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
