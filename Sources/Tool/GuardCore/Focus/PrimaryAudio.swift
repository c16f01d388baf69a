package import AudioModel

/// A stream that plays music or a film: games lower their own music meanwhile.
package struct PrimaryAudio: Hashable, Sendable {
    /// The most streams that are shown at once.
    static let mostStreams = 32

    package let stream: UInt64
    package let program: Program
    /// The node's `media.role`; untrusted text.
    package let role: String?
    /// When the stream began to be heard.
    package let since: HostTime

    /// - Returns: nil if the stream is not heard, is held, or is no music: a call, an alert, an effect or a loopback.
    init?(_ record: StreamRecord, _ scene: HoldScene) {
        guard let heard = record.heardSince, record.hold == nil, record.stream.standing != .leftAlone,
            scene.effect(of: record.stream) == .plays
        else { return nil }
        (stream, program, role, since) = (record.stream.id, record.stream.program, record.stream.role, heard)
    }

    /// A stream that is heard for a shorter time, such as a click, is not shown.
    var begin: HostTime { since.advanced(bySeconds: StreamRecord.soundSeconds) }
}
