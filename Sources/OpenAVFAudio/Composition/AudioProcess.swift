package import HostInterface
package import SessionCore

/// One session with its host: the mailbox, the thread that pumps it, and the poster. The only place where they meet.
package final class AudioProcess: Sendable {
    package let host: any AudioHost
    /// Carries out `postRouteChange` and `postAvailableInputsChange`, and runs what players report.
    package let poster = NotificationPoster()

    package init(host: any AudioHost) throws(HostError) {
        self.host = host
    }

    /// The session's state after the newest event; a copy. Any thread.
    package var state: SessionState { SessionState() }

    /// Applies the fact that `makeFact` builds and waits for the session's reply. Application threads.
    package func perform(_ makeFact: (CallID) -> SessionFact) throws(SessionError) {
    }

    /// Waits until every event so far has been applied and every notification of it has been delivered.
    package func settle() {}

    package func shutdown() {}
}
