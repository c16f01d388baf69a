import AudioModel
import TransportCore

/// Every event, with every value that makes a difference; those that a kind never sees as well.
enum Alphabet {
    static func events(generation: UInt64) -> [TransportEvent] {
        let directions: [PortDirection] = [.output, .input]
        var events: [TransportEvent] = [
            .playRequested(), .playRequested(startTime: HostTime(nanoseconds: 1), remaining: .lessThanFade),
            .playRequested(remaining: .nothing), .playRefused,
            .seekRequested(toSeconds: 1), .seekRequested(toSeconds: 1, remaining: .nothing),
            .closeRequested, .manualRenderingStarted, .manualRenderingPaused, .stopped,
            .failed(SessionError(.resourceNotAvailable, "")), .failed(SessionError(.mediaServicesFailed, "")),
            .deviceShapeChanged, .outputUseChanged(.heard), .outputUseChanged(.unheard),
            .sessionEventApplied,
            .fadeFinished, .fileClosed(failure: nil), .fileClosed(failure: "full"),
            .sourceEnded(.complete, generation: generation), .sourceEnded(.failed("broken"), generation: generation),
            .sourceEnded(.complete, generation: generation &- 1),
        ]
        for direction in directions {
            events += [.streamOpened(direction), .streamClosed(direction), .started(direction)]
            events += PauseCause.allCases.map { .paused(direction, $0) }
            events += Suppression.allCases.map { .suppressed(direction, $0) }
        }
        return events
    }
}
