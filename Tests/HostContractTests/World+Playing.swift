import AudioModel
import Foundation
import SessionCore
import Synchronization
import TestAudio

@testable import OpenAVFAudio

/// A minute of a tone that is loud in every frame, in a file that goes with the value.
final class Music: Sendable {
    private let directory: TemporaryDirectory
    let path: String

    init(seconds: Double = 60) throws {
        directory = try TemporaryDirectory()
        path = try TestFile.write(.quadrature(hertz: 1000), seconds: seconds, in: directory)
    }
}

extension World {
    /// A player of a long loud tone.
    func makePlayer(
        policy: StreamPolicy = StreamPolicy(), onChange: @escaping @Sendable (FilePlayer.Status) -> Void
    ) throws -> FilePlayer {
        try FilePlayer(path: music.path, process: process, policy: policy, onChange: onChange)
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
