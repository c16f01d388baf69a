package import AudioModel
import Foundation
package import HostInterface
package import SessionCore
import Synchronization

/// One session with its host: the mailbox, the thread that pumps it, and the poster.
///
/// The only place where they meet.
///
/// Threads: every method says who may call it. API calls, host events and player requests become messages; the session
/// thread applies them one at a time, publishes the new state, and carries out the effects in the machine's order.
/// Waiting is allowed in this order only: application thread, session thread, host; and poster, observers, session
/// thread. The session thread never waits for the poster, and no host or render thread waits for anybody.
package final class AudioProcess: Sendable {
    package let host: any AudioHost
    package let poster = NotificationPoster()

    private let mailbox = Mailbox<Message>()
    private let published = Mutex(SessionState())
    private let replies = Mutex(Replies())
    private let lastID = Atomic<UInt64>(0)
    private let firstInventory = Signal()
    private let record: Recorder?

    /// Sees every event with what it led to, on the session thread, after the effects were carried out.
    ///
    /// The recorded events replay to the same effects on a new `SessionMachine`: a bug report becomes a test.
    package typealias Recorder = @Sendable (SessionEvent, [SessionEffect], SessionState) -> Void

    private enum Message: Sendable {
        case fact(SessionFact)
        case call(CallID, @Sendable (CallID, SessionState) -> SessionFact)
        case work(@Sendable (inout SessionThread) -> Void)
    }

    private struct Replies {
        var waiting: [CallID: Reply] = [:]
        var isClosed = false
    }

    /// What only the session thread touches.
    package struct SessionThread {
        package internal(set) var machine = SessionMachine()
        var streams: [StreamID: OpenStream] = [:]

        struct OpenStream {
            var stream: any HostStream
            var owner: any StreamOwner
        }
    }

    /// Starts the host and waits, at most 3 s, until it has told which ports there are.
    package init(host: any AudioHost, record: Recorder? = nil) throws(HostError) {
        self.host = host
        self.record = record
        let thread = Thread { [mailbox, weak self] in
            var confined = SessionThread()
            while let messages = mailbox.take() {
                for message in messages {
                    guard let self else { return }
                    self.handle(message, &confined)
                }
            }
        }
        thread.name = "oav-session"
        thread.start()
        if let error = synchronously({ [self] _ in startHost() }) ?? nil {
            mailbox.close()
            throw error
        }
        // Without this, `currentRoute` would be empty in the first instants of every process.
        firstInventory.wait(timeoutSeconds: 3)
    }

    deinit { mailbox.close() }

    // MARK: Any thread

    /// The session's state after the newest event; a copy.
    package var state: SessionState { published.withLock { $0 } }

    /// Applies a fact and waits for the session's reply.
    ///
    /// Application threads and observers; never the session thread.
    ///
    /// - Parameter makeFact: builds the fact from the newest state, on the session thread, so that of two calls at the
    ///   same moment neither undoes the other.
    package func perform(
        _ makeFact: @escaping @Sendable (CallID, SessionState) -> SessionFact
    ) throws(SessionError) {
        let call = CallID(number: nextID())
        let reply = Reply()
        let isOpen = replies.withLock { replies in
            if !replies.isClosed { replies.waiting[call] = reply }
            return !replies.isClosed
        }
        guard isOpen, mailbox.put(.call(call, makeFact)) else { throw Self.ended }
        if let error = reply.wait() { throw error }
    }

    /// Runs `body` on the session thread, between two events, and waits for it.
    ///
    /// Application threads and observers.
    package func synchronously<T: Sendable>(_ body: @escaping @Sendable (inout SessionThread) -> T) -> T? {
        let box = Mutex<T?>(nil)
        let done = Signal()
        let isTaken = mailbox.put(
            .work { confined in
                let value = body(&confined)
                box.withLock { $0 = value }
                done.raise()
            })
        guard isTaken else { return nil }
        done.wait()
        return box.withLock { $0 }
    }

    /// Runs `body` on the session thread, soon.
    ///
    /// Any thread, the session thread too.
    package func asynchronously(_ body: @escaping @Sendable (inout SessionThread) -> Void) {
        _ = mailbox.put(.work(body))
    }

    /// Waits until every event so far has been applied and every notification of it has been delivered.
    ///
    /// Never on the session thread nor in an observer.
    package func settle() {
        synchronously { _ in }
        poster.settle()
    }

    /// Ends every stream and the host; calls that wait are answered with `mediaServicesFailed`.
    ///
    /// Idempotent.
    package func shutdown() {
        synchronously { [host] confined in
            for entry in confined.streams.values { entry.stream.close() }
            confined.streams = [:]
            host.shutdown()
        }
        mailbox.close()
        let waiting = replies.withLock { replies in
            replies.isClosed = true
            defer { replies.waiting = [:] }
            return Array(replies.waiting.values)
        }
        for reply in waiting { reply.answer(Self.ended) }
    }

    package func nextID() -> UInt64 { lastID.add(1, ordering: .relaxed).newValue }

    // MARK: Streams

    /// Opens a stream on the host and makes it known to the session, which links it at once.
    ///
    /// Application threads.
    package func openStream(
        _ configuration: StreamConfiguration, policy: StreamPolicy, owner: any StreamOwner
    ) throws(SessionError) -> any HostStream {
        let result = synchronously { [host, weak self] confined -> Result<any HostStream, HostError> in
            do throws(HostError) {
                let stream = try host.openStream(configuration)
                confined.streams[configuration.id] = .init(stream: stream, owner: owner)
                self?.apply(.streamOpened(configuration.id, policy), &confined)
                return .success(stream)
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let stream): return stream
        case .failure(let error): throw SessionError(error)
        case nil: throw Self.ended
        }
    }

    /// Closes the stream; once this has returned its renderer is not called any more.
    ///
    /// Application threads.
    package func closeStream(_ id: StreamID) {
        synchronously { [weak self] confined in
            guard let entry = confined.streams.removeValue(forKey: id) else { return }
            entry.stream.close()
            self?.apply(.streamClosed(id), &confined)
        }
    }

    // MARK: Session thread

    private func startHost() -> HostError? {
        do throws(HostError) {
            try host.start { [weak self] event in self?.received(event) }
            return nil
        } catch {
            return error
        }
    }

    private func handle(_ message: Message, _ confined: inout SessionThread) {
        switch message {
        case .fact(let fact): apply(fact, &confined)
        case .call(let call, let makeFact): apply(makeFact(call, confined.machine.state), &confined)
        case .work(let body): body(&confined)
        }
    }

    private func apply(_ fact: SessionFact, _ confined: inout SessionThread) {
        let event = SessionEvent(time: host.now(), fact: fact)
        let effects = confined.machine.apply(event)
        // Readable before anybody is told.
        published.withLock { $0 = confined.machine.state }
        for effect in effects { carryOut(effect, &confined) }
        record?(event, effects, confined.machine.state)
        if case .inventoryChanged = fact { firstInventory.raise() }
    }

    private func carryOut(_ effect: SessionEffect, _ confined: inout SessionThread) {
        switch effect {
        case .reply(let call, let error):
            replies.withLock { $0.waiting.removeValue(forKey: call) }?.answer(error)
        case .claim(let id, let configuration):
            host.claim(SessionClaim(id: id, configuration: configuration))
        case .release(let id, let notifyOthers):
            host.release(id, notifyingOthers: notifyOthers)
        case .allowSleep:
            host.allowSleep()
        case .wake(let time):
            host.wake(at: time)
        case .linkStream(let id, let ports):
            guard let entry = confined.streams[id] else { return }
            entry.owner.willLink(to: ports)
            do throws(HostError) {
                try entry.stream.link(to: ports.map(\.uid))
            } catch {
                linkFailed(id, error)
            }
        case .unlinkStream(let id):
            confined.streams[id]?.stream.unlink()
        case .startPlayer(let id):
            confined.streams[id]?.owner.start()
        case .pausePlayer(let id, let cause):
            confined.streams[id]?.owner.pause(cause)
        case .suppressPlayer(let id, let suppression):
            confined.streams[id]?.owner.suppress(suppression)
        case .setGain(let id, let gain):
            confined.streams[id]?.owner.setGain(gain)
        case .failPlayer(let id, let error):
            confined.streams[id]?.owner.fail(error)
        case .postRouteChange(let change):
            poster.postRouteChange(change)
        case .postAvailableInputsChange:
            poster.postAvailableInputsChange()
        case .postInterruptionBegan, .postInterruptionEnded, .postBecameActive, .postBecameInactive,
            .postResumptionRecommendation, .postSilenceSecondaryAudioHint, .postMediaServicesLost,
            .postMediaServicesReset:
            break
        }
    }

    /// A port that left between the decision and the link is no fault: its inventory event is on the way.
    ///
    /// Any other failure ends the stream for the session too, or the next inventory would have it linked again.
    private func linkFailed(_ id: StreamID, _ error: HostError) {
        switch error {
        case .noSuchPort, .connectionLost: break
        case .refused, .unreachable: _ = mailbox.put(.fact(.streamFailed(id, SessionError(error))))
        }
    }

    // MARK: Host threads

    private func received(_ event: HostEvent) {
        let fact: SessionFact =
            switch event {
            case .inventoryChanged(let inventory): .inventoryChanged(inventory)
            case .outputChosen(let uid): .outputChosenByUser(uid: uid)
            case .streamSilenced(let id, let uid): .streamSilenced(id, lostPortUID: uid)
            case .streamFailed(let id, let error): .streamFailed(id, SessionError(error))
            case .connectionLost: .connectionLost
            case .connectionRestored: .connectionRestored
            case .claimGranted(let id, let place): .claimGranted(id, place)
            case .claimRefused(let id, .refused(let text)):
                .claimRefused(id, SessionError(.insufficientPriority, HostError.refused(text).message))
            case .claimRefused(let id, let error): .claimRefused(id, SessionError(error))
            case .streamHeld(let id): .streamHeld(id)
            case .streamReleased(let id): .streamReleased(id)
            case .peerChanged(let peer): .peerChanged(peer)
            case .peerLeft(let place, let notifiesOthers): .peerLeft(place, notifiesOthers: notifiesOthers)
            case .foreignStreamsChanged(let streams): .foreignStreamsChanged(streams)
            case .sleepAnnounced: .sleepAnnounced
            case .wokeFromSleep: .wokeFromSleep
            case .timeReached(let time): .timeReached(time)
            }
        _ = mailbox.put(.fact(fact))
    }

    static let ended = SessionError(
        .mediaServicesFailed, "This audio session has been shut down; make a new one and try again.")
}

extension SessionError {
    init(_ error: HostError) {
        switch error {
        case .unreachable, .connectionLost: self.init(.mediaServicesFailed, error.message)
        case .refused: self.init(.unspecified, error.message)
        case .noSuchPort: self.init(.resourceNotAvailable, error.message)
        }
    }
}
