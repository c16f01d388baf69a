internal import AudioModel

/// Converts other programs' claims and streams into peers and foreign streams, and reports what has changed.
///
/// Pure: no server, no clock, no thread.
struct PipeWireClaimRegistry: Sendable {
    private var claims: [ClaimSerial: PipeWireClaim] = [:]
    private var streams: [UInt64: PipeWireOtherStream] = [:]
    private var departures: [PipeWireClaim] = []
    private var sentPeers: [ClaimSerial: Peer] = [:]
    private var sentStreams: [ForeignStream] = []

    mutating func change(_ claim: PipeWireClaim) { claims[claim.serial] = claim }

    func contains(_ serial: ClaimSerial) -> Bool { claims[serial] != nil }

    mutating func removeClaim(_ serial: ClaimSerial) {
        if let claim = claims.removeValue(forKey: serial) { departures.append(claim) }
    }

    mutating func change(_ stream: PipeWireOtherStream) { streams[stream.serial] = stream }

    mutating func removeStream(_ serial: UInt64) { streams[serial] = nil }

    /// How many of a client's claims count, the newest first: a session has one claim, and two while it replaces it.
    static let claimsOfOneClient = 8

    /// The active sessions of other programs.
    var peers: [Peer] {
        let playing = Set(streams.values.lazy.filter(\.isRunning).compactMap(\.clientID))
        let counted = Dictionary(grouping: claims.values, by: \.clientID).values.flatMap { claims in
            claims.sorted { $0.serial < $1.serial }.suffix(Self.claimsOfOneClient)
        }
        return counted.sorted { $0.serial < $1.serial }.map { claim in
            Peer(
                serial: claim.serial, configuration: claim.configuration,
                isPlaying: claim.clientID.map(playing.contains) ?? false, isWaiting: claim.isWaiting, name: claim.name,
                owner: claim.clientID.map(UInt64.init))
        }
    }

    /// The running streams without a claim of their client, oldest first.
    var foreignStreams: [ForeignStream] {
        let owners = Set(claims.values.compactMap(\.clientID))
        return streams.values.filter { $0.isRunning && $0.clientID.map(owners.contains) != true }
            .sorted { $0.serial < $1.serial }
            .map {
                ForeignStream(
                    id: $0.serial, role: $0.role, name: $0.name, isHeld: $0.isHeld, isSilent: $0.isSilent)
            }
    }

    /// Returns the changes since the last call: departures first, then peers by serial, then the foreign streams.
    mutating func drainEvents() -> [HostEvent] {
        var events: [HostEvent] = []
        for claim in departures where sentPeers.removeValue(forKey: claim.serial) != nil {
            events.append(.peerLeft(claim.serial, notifiesOthers: claim.notifiesOthers))
        }
        departures = []
        let peers = peers
        let counted = Set(peers.map(\.serial))
        for serial in sentPeers.keys.filter({ !counted.contains($0) }).sorted() {
            sentPeers[serial] = nil
            events.append(.peerLeft(serial, notifiesOthers: false))
        }
        for peer in peers where sentPeers[peer.serial] != peer {
            sentPeers[peer.serial] = peer
            events.append(.peerChanged(peer))
        }
        let foreign = foreignStreams
        if foreign != sentStreams {
            sentStreams = foreign
            events.append(.foreignStreamsChanged(foreign))
        }
        return events
    }
}
