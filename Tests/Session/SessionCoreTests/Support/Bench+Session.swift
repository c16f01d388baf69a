import AudioModel
import SessionCore
import Testing

/// What apps, other sessions and other programs do, in short.
extension Bench {
    static let music = SessionConfiguration(category: .playback)
    static let speech = SessionConfiguration(category: .playback, mode: .spokenAudio)
    static let mixing = SessionConfiguration(category: .playback, options: .mixWithOthers)
    static let ducking = SessionConfiguration(category: .playback, options: .duckOthers)
    static let prompt = SessionConfiguration(category: .playback, options: .interruptSpokenAudioAndMixWithOthers)
    static let call = SessionConfiguration(category: .playAndRecord, mode: .voiceChat)

    /// An active session with one player that sounds, before the history that a test looks at.
    static func playing(
        _ configuration: SessionConfiguration = music, policy: StreamPolicy = .resuming
    ) -> (Bench, StreamID) {
        var bench = Bench([Ports.headphones, Ports.speaker], output: Ports.headphones)
        if configuration != music { bench.configure(configuration) }
        let stream = bench.open(policy)
        bench.activate()
        bench.play(stream)
        return (bench, stream)
    }

    /// What the app is told, in order.
    var notices: [SessionEffect] { allEffects.filter(\.isNotice) }

    func record(_ id: StreamID) -> StreamRecord? { state.streams.first { $0.id == id } }

    // MARK: The app

    /// Asks, and has the claim granted where one is made.
    @discardableResult
    mutating func activate() -> [SessionEffect] {
        let effects = feed(.activationRequested(call()))
        return effects.contains(where: \.isClaim) ? effects + grant() : effects
    }

    @discardableResult
    mutating func deactivate(notifyOthers: Bool = false) -> [SessionEffect] {
        feed(.deactivationRequested(call(), notifyOthers: notifyOthers))
    }

    @discardableResult
    mutating func play(
        _ id: StreamID, generation: UInt64? = nil, knownLosses: UInt64? = nil
    ) -> [SessionEffect] {
        feed(.playRequested(call(), id, generation: generation ?? state.generation, knownLosses: knownLosses))
    }

    @discardableResult
    mutating func pause(_ id: StreamID) -> [SessionEffect] { feed(.pauseRequested(id)) }

    // MARK: The claim registry

    mutating func nextSerial() -> ClaimSerial {
        serialCount += 1
        return ClaimSerial(number: serialCount)
    }

    /// Grants the newest claim, with the next serial or with one that has been assigned before.
    @discardableResult
    mutating func grant(with serial: ClaimSerial? = nil) -> [SessionEffect] {
        let claims = allEffects.compactMap { if case .claim(let id, _) = $0 { id } else { nil } }
        guard let id = claims.last else { return [] }
        return feed(.host(.claimGranted(id, serial ?? nextSerial())))
    }

    /// Another session becomes active.
    mutating func join(
        _ configuration: SessionConfiguration, isPlaying: Bool = true, name: String = "other"
    ) -> (ClaimSerial, [SessionEffect]) {
        let serial = nextSerial()
        let peer = Peer(serial: serial, configuration: configuration, isPlaying: isPlaying, name: name)
        return (serial, feed(.host(.peerChanged(peer))))
    }

    @discardableResult
    mutating func leave(_ serial: ClaimSerial, notifying: Bool) -> [SessionEffect] {
        feed(.host(.peerLeft(serial, notifiesOthers: notifying)))
    }

    /// These, and no other, streams of programs that are no sessions run.
    @discardableResult
    mutating func run(roles: String?...) -> [SessionEffect] {
        feed(
            .host(
                .foreignStreamsChanged(
                    roles.enumerated().map { ForeignStream(id: UInt64($0), role: $1, name: "caller") })))
    }
}

extension SessionEffect {
    var isClaim: Bool { if case .claim = self { true } else { false } }
    var isStart: Bool { if case .startPlayer = self { true } else { false } }

    /// Told to the app, but for routes.
    var isNotice: Bool {
        switch self {
        case .postInterruptionBegan, .postInterruptionEnded, .postBecameActive, .postBecameInactive,
            .postResumptionRecommendation, .postSilenceSecondaryAudioHint, .postMediaServicesLost,
            .postMediaServicesReset:
            true
        default: false
        }
    }
}
