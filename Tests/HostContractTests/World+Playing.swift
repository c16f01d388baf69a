import AudioModel
import Foundation
import SessionCore
import Synchronization
import TestAudio

@testable import OpenAVFAudio

extension World {
    var session: AVAudioSession { process.session }

    /// A player of a long loud tone.
    func makePlayer(
        policy: StreamPolicy = StreamPolicy(), onChange: @escaping @Sendable (FilePlayer.Status) -> Void
    ) throws -> FilePlayer {
        try FilePlayer(path: tone, process: process, policy: policy, onChange: onChange)
    }

    /// Plays a tone and returns when the device hears it.
    func startPlaying(on device: WorldDevice, policy: StreamPolicy = StreamPolicy()) async throws -> FilePlayer {
        let player = try makePlayer(policy: policy) { [journal] status in
            journal.append(.player(status.state, status.cause))
        }
        try player.play()
        try await untilHeard(on: device)
        process.settle()
        return player
    }
}

extension Journal {
    var eventDescriptions: [String] { events.map(\.description) }

    /// The reasons of all route changes, in order.
    var routeChanges: [RouteChangeReason] {
        events.compactMap { if case .routeChange(let reason, _, _) = $0 { reason } else { nil } }
    }
}

extension Array where Element == Journal.Entry {
    /// The outputs of the newest route change.
    var currentOutputs: [PortKind]? {
        for entry in reversed() {
            if case .routeChange(_, _, let current) = entry { return current }
        }
        return nil
    }
}

/// The route notifications that a session's observer has seen, with the route it read inside the handler.
final class NotificationLog: Sendable {
    struct Entry: Sendable {
        var reason: AVAudioSession.RouteChangeReason
        var previous: AVAudioSessionRouteDescription
        var current: AVAudioSessionRouteDescription
    }

    private let entries = Mutex<[Entry]>([])
    private let token: Mutex<(any NSObjectProtocol)?>

    init(session: AVAudioSession) {
        token = Mutex(nil)
        let token = NotificationCenter.default.addObserver(
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
        nonisolated(unsafe) let handed = token
        self.token.withLock { $0 = handed }
    }

    deinit {
        token.withLock { if let token = $0 { NotificationCenter.default.removeObserver(token) } }
    }

    var all: [Entry] { entries.withLock { $0 } }
}
