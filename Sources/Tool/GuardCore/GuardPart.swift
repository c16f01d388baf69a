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
    /// Whether the guard answers the event in this part; otherwise it ignores the event.
    ///
    /// | event                                                | waiting | owning | leaving | left   |
    /// |------------------------------------------------------|---------|--------|---------|--------|
    /// | guards, server, connection, name of the focus, end   | yes     | yes    | yes     | yes    |
    /// | options                                              | stored  | yes    | stored  | stored |
    /// | focus holders                                        | yes     | yes    | no      | no     |
    /// | inputs and volumes                                   | no      | no     | no      | no     |
    /// | a handover, all others                               | no      | yes    | no      | no     |
    func isAnswered(in part: GuardPart) -> Bool {
        switch self {
        case .fact(.guardsChanged), .fact(.connectionLost), .fact(.serverNamed), .focusNameChanged, .endRequested,
            .optionsChanged:
            true
        case .fact(.holderChanged), .fact(.holderLeft): part == .waiting || part == .owning
        case .fact(.surroundingsChanged): false
        case .fact(.outputsChanged), .fact(.streamChanged), .fact(.streamEnded), .fact(.settled),
            .fact(.managerChanged), .fact(.timeReached), .fact(.captureChanged), .fact(.captureEnded),
            .fact(.holdSinkLost), .fact(.duckReady), .fact(.descriptorsRanOut), .playerStarted, .playerPaused,
            .releaseRequested, .mutedPortsRead, .handoverRequested:
            part == .owning
        }
    }

    /// Whether the guard then does what is due by now.
    ///
    /// Not after a change of the guards, which asks for every fact again, nor after events that change no hold.
    func isFollowedByTime(in part: GuardPart) -> Bool {
        switch self {
        case .fact(.guardsChanged), .focusNameChanged, .handoverRequested: false
        case .optionsChanged: part == .owning
        case .fact, .playerStarted, .playerPaused, .releaseRequested, .mutedPortsRead, .endRequested: true
        }
    }
}
