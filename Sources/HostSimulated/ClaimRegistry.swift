import AudioModel
import HostInterface

/// The claims of all apps, in the order of their serials.
struct ClaimRegistry: Sendable {
    struct Entry: Sendable {
        let serial: ClaimSerial
        let app: AppID
        let id: ClaimID
        let configuration: SessionConfiguration
        /// As the peers have received it last.
        var isPlaying: Bool
        /// Its session is interrupted.
        var isWaiting = false
    }

    private(set) var entries: [Entry] = []
    private var lastNumber: UInt64 = 0

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
