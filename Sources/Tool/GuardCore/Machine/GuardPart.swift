/// The guard's part on the server, which decides which events it answers.
enum GuardPart: Hashable, Sendable {
    /// Another guard owns the server, or the owner is unknown.
    case waiting
    case owning
    /// It has announced its holds and changes nothing.
    case leaving
    /// Its holds belong to the next guard.
    case left
}

extension GuardEvent {
    /// The parts in which the guard answers the event; in the others it ignores the event.
    ///
    /// | event                                                | waiting | owning | leaving | left   |
    /// |------------------------------------------------------|---------|--------|---------|--------|
    /// | guards, server, connection, name of the focus, end   | yes     | yes    | yes     | yes    |
    /// | options                                              | stored  | yes    | stored  | stored |
    /// | focus holders                                        | yes     | yes    | no      | no     |
    /// | a handover, all others                               | no      | yes    | no      | no     |
    var answeredIn: Set<GuardPart> {
        switch self {
        case .fact(.guardsChanged), .fact(.connectionLost), .fact(.serverNamed), .focusNameChanged, .endRequested,
            .optionsChanged:
            .all
        case .fact(.holderChanged), .fact(.holderLeft): [.waiting, .owning]
        case .fact(.outputsChanged), .fact(.surroundingsChanged), .fact(.streamChanged), .fact(.streamEnded),
            .fact(.settled), .fact(.managerChanged), .fact(.timeReached), .fact(.captureChanged), .fact(.captureEnded),
            .fact(.holdSinkLost), .fact(.duckReady), .fact(.descriptorsRanOut), .playerStarted, .playerPaused,
            .releaseRequested, .mutedPortsRead, .handoverRequested:
            [.owning]
        }
    }

    /// The parts in which the guard then does what is due by now.
    ///
    /// None after a change of the guards, which asks for every fact again, nor after events that change no hold.
    var advancesIn: Set<GuardPart> {
        switch self {
        case .fact(.guardsChanged), .focusNameChanged, .handoverRequested: []
        case .optionsChanged: [.owning]
        case .fact, .playerStarted, .playerPaused, .releaseRequested, .mutedPortsRead, .endRequested: .all
        }
    }
}

extension Set<GuardPart> {
    fileprivate static let all: Self = [.waiting, .owning, .leaving, .left]
}
