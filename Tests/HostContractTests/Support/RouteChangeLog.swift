import Foundation
import Synchronization

@testable import OpenAVFAudio

/// The route notifications that a session's observer has seen, with the route it read inside the handler.
final class RouteChangeLog: Sendable {
    struct Entry: Sendable {
        var reason: AVAudioSession.RouteChangeReason
        var previous: AVAudioSessionRouteDescription
        var current: AVAudioSessionRouteDescription
    }

    private let entries = Mutex<[Entry]>([])
    /// `@unchecked`: the token is never read, only handed back.
    private struct Token: @unchecked Sendable { var value: any NSObjectProtocol }
    private let token = Mutex<Token?>(nil)

    init(session: AVAudioSession) {
        let observer = NotificationCenter.default.addObserver(
            forName: AVAudioSession.routeChangeNotification, object: session, queue: nil
        ) { [weak self, weak session] notification in
            guard let self, let session,
                let raw = notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt,
                let reason = AVAudioSession.RouteChangeReason(rawValue: raw),
                let previous = notification.userInfo?[AVAudioSessionRouteChangePreviousRouteKey]
                    as? AVAudioSessionRouteDescription
            else { return }
            entries.withLock { $0.append(.init(reason: reason, previous: previous, current: session.currentRoute)) }
        }
        let token = Token(value: observer)
        self.token.withLock { $0 = token }
    }

    deinit {
        token.withLock { if let token = $0 { NotificationCenter.default.removeObserver(token.value) } }
    }

    var all: [Entry] { entries.withLock { $0 } }
}
