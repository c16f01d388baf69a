package import AudioModel
package import HostInterface

/// Folds what other programs publish into peers and foreign streams, and says what is new.
///
/// Pure: no server, no clock, no thread.
package struct PipeWireClaimRegistry: Sendable {
    private var claims: [ClaimSerial: PipeWireClaim] = [:]
    private var streams: [UInt64: PipeWireOtherStream] = [:]
    private var departures: [PipeWireClaim] = []
    private var toldPeers: [ClaimSerial: Peer] = [:]
    private var toldStreams: [ForeignStream] = []

    package init() {}

    package mutating func change(_ claim: PipeWireClaim) { claims[claim.place] = claim }

    package mutating func removeClaim(_ place: ClaimSerial) {
        if let claim = claims.removeValue(forKey: place) { departures.append(claim) }
    }

    package mutating func change(_ stream: PipeWireOtherStream) { streams[stream.serial] = stream }

    package mutating func removeStream(_ serial: UInt64) { streams[serial] = nil }

    /// The active sessions of other programs.
    package var peers: [Peer] {
        let playing = Set(streams.values.lazy.filter(\.isRunning).compactMap(\.clientID))
        return claims.values.sorted { $0.place < $1.place }.map { claim in
            Peer(
                place: claim.place, configuration: claim.configuration,
                isPlaying: claim.clientID.map(playing.contains) ?? false, name: claim.name,
                owner: claim.clientID.map(UInt64.init))
        }
    }

    /// The streams that run and have no claim behind them, by age.
    package var foreignStreams: [ForeignStream] {
        let owners = Set(claims.values.compactMap(\.clientID))
        return streams.values.filter { $0.isRunning && $0.clientID.map(owners.contains) != true }
            .sorted { $0.serial < $1.serial }
            .map { ForeignStream(id: $0.serial, role: $0.role, name: $0.name) }
    }

    /// What has changed since this was asked last; departures first, then peers by place, then the foreign streams.
    package mutating func takeNews() -> [HostEvent] {
        var news: [HostEvent] = []
        for claim in departures where toldPeers.removeValue(forKey: claim.place) != nil {
            news.append(.peerLeft(claim.place, notifiesOthers: claim.notifiesOthers))
        }
        departures = []
        for peer in peers where toldPeers[peer.place] != peer {
            toldPeers[peer.place] = peer
            news.append(.peerChanged(peer))
        }
        let foreign = foreignStreams
        if foreign != toldStreams {
            toldStreams = foreign
            news.append(.foreignStreamsChanged(foreign))
        }
        return news
    }
}
