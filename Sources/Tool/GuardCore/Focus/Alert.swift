internal import AudioModel

/// A stream whose role lowers the others while it is heard, such as a screen reader's, an alarm's or a navigation prompt's.
struct Alert: Hashable, Sendable {
    /// A shorter sound is over before the others could be moved and lowered.
    static let leastSeconds = 0.3
    /// The same for desktop sounds (role Event), most of which are over within a second; what lasts rings.
    static let leastEventSeconds = 1.0
    /// A stream that runs for longer without a stop lowers nothing until it has stopped.
    ///
    /// speech-dispatcher's PipeWire output plays silence after a sentence until it is interrupted (decision 98).
    static let mostSeconds = 60.0
    /// The most alerts that count at once.
    static let mostAlerts = 16

    let stream: ProgramStream
    /// The others are lowered from `begin` to `end`.
    let begin: HostTime
    let end: HostTime

    /// - Returns: nil if the stream lowers nothing: it is no alert, is not heard, or its program is left alone.
    init?(_ record: StreamRecord, _ scene: HoldScene) {
        guard scene.options.lowersForAlerts, scene.options.scope.guards, let heard = record.heardSince,
            record.stream.standing == .movable, record.policy.action != .leaveAlone, record.hold == nil,
            scene.effect(of: record.stream) == .ducks
        else { return nil }
        let least = record.stream.role?.lowercased() == "event" ? Self.leastEventSeconds : Self.leastSeconds
        stream = record.stream
        begin = heard.advanced(bySeconds: least)
        end = record.startedAt.advanced(bySeconds: Self.mostSeconds)
    }
}
