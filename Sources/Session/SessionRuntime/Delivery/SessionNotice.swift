package import SessionCore

/// What a session reports to the program.
package enum SessionNotice: Sendable {
    // On the poster thread, in machine order.
    case routeChanged(RouteChange)
    case availableInputsChanged
    /// An engine stopped itself.
    case engineStopped(WeakBox<AnyObject>)

    // On the main thread, in machine order.
    case interruptionBegan(InterruptionReason)
    case interruptionEnded(shouldResume: Bool)
    case becameActive
    /// The app made the session inactive.
    case becameInactive
    case resumptionRecommended
    case secondaryAudioHint(begins: Bool)
    /// - Parameter endedActivation: the session was active until then.
    case mediaServicesLost(endedActivation: Bool)
    case mediaServicesReset
    case outputMuteChanged(Bool)
    case userIntendsToUnmute
    case inputMuteChanged(Bool)

    var thread: NoticeQueue.Destination {
        switch self {
        case .routeChanged, .availableInputsChanged, .engineStopped: .poster
        case .interruptionBegan, .interruptionEnded, .becameActive, .becameInactive, .resumptionRecommended,
            .secondaryAudioHint, .mediaServicesLost, .mediaServicesReset, .outputMuteChanged, .userIntendsToUnmute,
            .inputMuteChanged:
            .main
        }
    }
}

/// The program's side of a session: it receives the notices.
package protocol SessionObserver: AnyObject, Sendable {
    /// Runs `body` as code of the session's program; does not run it once the program has released the session.
    ///
    /// The poster thread and the main thread.
    func perform(_ body: () -> Void)

    /// Delivers the notice as code of the session's program, as `perform` does, on the thread that the notice belongs to.
    func receive(_ notice: SessionNotice)
}
