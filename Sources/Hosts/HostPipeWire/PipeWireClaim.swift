package import AudioModel

/// Another program's claim, from the properties of its node; every text is untrusted.
package struct PipeWireClaim: Hashable, Sendable {
    package var serial: ClaimSerial
    /// The connection that made the claim and its streams; nil for a node that has outlived its maker.
    package var clientID: UInt32?
    package var configuration: SessionConfiguration
    package var name: String
    /// As in `Peer`.
    package var isWaiting: Bool
    /// Its owner is about to remove it, and lets other sessions resume.
    package var notifiesOthers: Bool

    /// Reads words of an unknown, newer version as the nearest known ones, so that sessions still yield to the claim.
    ///
    /// - Parameter options: the bits in decimal; any other text means no options.
    package init(
        serial: ClaimSerial, clientID: UInt32?, category: String?, mode: String?, policy: String? = nil,
        options: String? = nil, name: String? = nil, isWaiting: Bool = false, notifiesOthers: Bool = false
    ) {
        self.serial = serial
        self.clientID = clientID
        configuration = SessionConfiguration(
            category: SessionCategory.allCases.first { $0.claimWord == category } ?? .playback,
            mode: SessionMode.allCases.first { $0.claimWord == mode } ?? .default,
            options: SessionOptions(rawValue: options.flatMap(UInt.init) ?? 0),
            policy: SessionPolicy.allCases.first { $0.claimWord == policy } ?? .default)
        self.name = (name ?? "").capped
        self.isWaiting = isWaiting
        self.notifiesOthers = notifiesOthers
    }
}

/// Written out instead of using the cases' names: programs of different versions read each other's words.
extension SessionCategory {
    package var claimWord: String {
        switch self {
        case .ambient: "ambient"
        case .soloAmbient: "soloAmbient"
        case .playback: "playback"
        case .record: "record"
        case .playAndRecord: "playAndRecord"
        case .multiRoute: "multiRoute"
        }
    }
}

extension SessionMode {
    package var claimWord: String {
        switch self {
        case .default: "default"
        case .voiceChat: "voiceChat"
        case .gameChat: "gameChat"
        case .videoRecording: "videoRecording"
        case .measurement: "measurement"
        case .moviePlayback: "moviePlayback"
        case .videoChat: "videoChat"
        case .spokenAudio: "spokenAudio"
        case .voicePrompt: "voicePrompt"
        case .shortFormVideo: "shortFormVideo"
        case .dualRoute: "dualRoute"
        }
    }
}

extension SessionPolicy {
    package var claimWord: String {
        switch self {
        case .default: "default"
        case .longFormAudio: "longFormAudio"
        case .independent: "independent"
        case .longFormVideo: "longFormVideo"
        }
    }
}

extension String {
    /// The first 128 scalars: the server does not limit the length of a program's text.
    package var capped: String { String(UnicodeScalarView(unicodeScalars.prefix(128))) }
}
