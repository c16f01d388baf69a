import Foundation
import TestSupport

@testable import OpenAudioSession

/// The route notifications that a session's observer has seen, with the route it read inside the handler.
final class RouteChangeLog: Sendable {
    struct Entry: Sendable {
        var reason: AVAudioSession.RouteChangeReason
        var previous: AVAudioSessionRouteDescription
        var current: AVAudioSessionRouteDescription
    }

    private let history: History<Entry>
    private let observer: Observer

    init(session: AVAudioSession) {
        let history = History<Entry>()
        self.history = history
        observer = Observer(AVAudioSession.routeChangeNotification, object: session) { [weak session] notification in
            guard let session,
                let raw = notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt,
                let reason = AVAudioSession.RouteChangeReason(rawValue: raw),
                let previous = notification.userInfo?[AVAudioSessionRouteChangePreviousRouteKey]
                    as? AVAudioSessionRouteDescription
            else { return }
            history.append(.init(reason: reason, previous: previous, current: session.currentRoute))
        }
    }

    var all: [Entry] { history.entries }
}
