import AudioModel
import Foundation
import HostInterface
import HostPipeWire
import PipeWireRig
import TestSupport

extension Client {
    /// Puts a claim up and waits for its grant.
    @discardableResult
    func claim(
        _ number: UInt64, _ configuration: SessionConfiguration = SessionConfiguration(category: .playback)
    ) throws -> ClaimSerial {
        let start = log.count
        host.claim(SessionClaim(id: ClaimID(number: number), configuration: configuration))
        return try log.waitForGrant(of: ClaimID(number: number), from: start)
    }
}

extension History where Entry == HostEvent {
    struct Refused: Error { var event: HostEvent }

    func waitForGrant(of claim: ClaimID, from start: Int) throws -> ClaimSerial {
        func answer(_ events: [HostEvent]) -> HostEvent? {
            events.first { event in
                switch event {
                case .claimGranted(claim, _), .claimRefused(claim, _): true
                default: false
                }
            }
        }
        let event = answer(try wait(for: "the answer to \(claim)", from: start) { answer($0) != nil })!
        guard case .claimGranted(_, let serial) = event else { throw Refused(event: event) }
        return serial
    }
}

extension Sequence<HostEvent> {
    var peers: [Peer] { compactMap { if case .peerChanged(let peer) = $0 { peer } else { nil } } }

    /// The peers' serials, in the order in which they were told first.
    var peerSerials: [ClaimSerial] {
        peers.map(\.serial).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    var departures: [ClaimSerial] { compactMap { if case .peerLeft(let serial, _) = $0 { serial } else { nil } } }

    /// The peers that have come and not left.
    var standingPeers: [ClaimSerial] {
        let left = Set(departures)
        return peerSerials.filter { !left.contains($0) }
    }

    /// The foreign streams told last; nil before any were.
    var foreignStreams: [ForeignStream]? {
        reduce(nil) { if case .foreignStreamsChanged(let streams) = $1 { streams } else { $0 } }
    }
}
