internal import Foundation
internal import HostInterface

/// A session that is made once, at first need or by choice.
///
/// Any thread.
///
/// `@unchecked Sendable`: `state` is read and written under `condition` only.
final class SharedSession: @unchecked Sendable {
    /// Legal exits: none -> making; making -> made | none (the chosen host could not be had); made -> nowhere.
    private enum State {
        case none
        case making
        case made(AVAudioSession)
    }

    /// The one behind `AVAudioSession.sharedInstance()`.
    static let ofProgram = SharedSession(DefaultHost())

    private let defaultHost: DefaultHost
    private let condition = NSCondition()
    private var state = State.none

    init(_ defaultHost: DefaultHost) { self.defaultHost = defaultHost }

    func session() -> AVAudioSession {
        if let session = claim() { return session }
        let session = AVAudioSession(process: defaultHost.process())
        settle(.made(session))
        return session
    }

    func select(_ host: AudioSessionHost) throws(AudioSessionHostError) {
        if let session = claim() {
            throw AudioSessionHostError(
                .sessionExists,
                "The host \"\(host.rawValue)\" cannot be selected: the session exists already and uses "
                    + "\"\(session.process.host.kind.rawValue)\". Call AudioSessionHost.select before the first "
                    + "AVAudioSession.sharedInstance().")
        }
        do {
            settle(.made(AVAudioSession(process: try defaultHost.process(on: host))))
        } catch {
            settle(.none)
            throw error
        }
    }

    /// The session, once it is made; nil makes the caller the one to make it.
    ///
    /// The lock is not held while a session is made: that connects to a server and takes its time.
    private func claim() -> AVAudioSession? {
        condition.withLock {
            while true {
                switch state {
                case .made(let session): return session
                case .making: condition.wait()
                case .none:
                    state = .making
                    return nil
                }
            }
        }
    }

    private func settle(_ newState: State) {
        condition.withLock {
            state = newState
            condition.broadcast()
        }
    }
}
