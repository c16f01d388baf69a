import AudioModel
import SessionCore
import TestSupport

/// Other sessions and other programs that come and go at random; serials rise, as the contract of `HostEvent` says.
struct RandomClaimRegistry {
    private var peers: [Peer] = []
    private var foreign: [ForeignStream] = []
    private var count: UInt64 = 0

    private static let configurations = [
        SessionConfiguration(category: .playback), SessionConfiguration(category: .ambient),
        SessionConfiguration(category: .playback, mode: .spokenAudio),
        SessionConfiguration(category: .playback, options: .duckOthers),
        SessionConfiguration(category: .playback, options: .interruptSpokenAudioAndMixWithOthers),
        SessionConfiguration(category: .playAndRecord, mode: .voiceChat),
    ]
    private static let roles = ["Music", "Communication", "phone", "Notification", "a11y", "Game", "Test", nil]

    mutating func nextSerial() -> ClaimSerial {
        count += 1
        return ClaimSerial(number: count)
    }

    /// With a server, all its clients go.
    mutating func clear() {
        peers = []
        foreign = []
    }

    mutating func next(using random: inout some RandomNumberGenerator) -> SessionFact {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3:
            peers.append(
                Peer(
                    serial: nextSerial(), configuration: Self.configurations.randomElement(using: &random)!,
                    isPlaying: Bool.random(using: &random), name: "peer \(count)"))
            return .host(.peerChanged(peers[peers.count - 1]))
        case 3..<5:
            guard let index = peers.indices.randomElement(using: &random) else {
                return .host(.foreignStreamsChanged(foreign))
            }
            peers[index].isPlaying.toggle()
            return .host(.peerChanged(peers[index]))
        case 5..<8:
            guard let index = peers.indices.randomElement(using: &random) else {
                return .host(.foreignStreamsChanged(foreign))
            }
            return .host(.peerLeft(peers.remove(at: index).serial, notifiesOthers: Bool.random(using: &random)))
        case 8:
            count += 1
            foreign.append(ForeignStream(id: count, role: Self.roles.randomElement(using: &random)!))
            return .host(.foreignStreamsChanged(foreign))
        default:
            if let index = foreign.indices.randomElement(using: &random) { foreign.remove(at: index) }
            return .host(.foreignStreamsChanged(foreign))
        }
    }
}
