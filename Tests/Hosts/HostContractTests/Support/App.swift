import AudioModel
import Foundation
import HostInterface
import SessionCore
import SessionRest
import Synchronization

@testable import AudioRuntime
@testable import OpenAudioSession
@testable import SessionRuntime

/// One of the programs on a world's machine: a session, its players, and what became of them.
final class App: Sendable {
    let runtime: SessionRuntime
    let session: AVAudioSession
    let journal: Journal
    private let music: Music
    private let players = Mutex<[FilePlayer]>([])

    init(host: any AudioHost, music: Music, recorders: [any SessionRecorder] = []) throws {
        let journal = Journal()
        self.journal = journal
        self.music = music
        runtime = try SessionRuntime(host: host, recorders: [journal] + recorders)
        session = AVAudioSession(runtime: runtime)
        journal.follow(runtime)
    }

    /// A player of a long loud tone, open until the world ends or earlier; what becomes of it is in the journal.
    func makePlayer(policy: StreamPolicy = .resuming) throws -> FilePlayer {
        let player = try makePlayer(policy: policy) { [journal] status in
            journal.append(.player(status.state, status.cause))
        }
        players.withLock { $0.append(player) }
        return player
    }

    /// A player of a long loud tone, whoever keeps it.
    func makePlayer(
        policy: StreamPolicy = .resuming, onChange: @escaping @Sendable (FilePlayer.Status) -> Void
    ) throws -> FilePlayer {
        try FilePlayer(path: music.path, runtime: runtime, policy: policy, onChange: onChange)
    }

    /// Sets the category and asks for the right to sound.
    func activate(
        _ category: AVAudioSession.Category = .playback, mode: AVAudioSession.Mode = .default,
        options: AVAudioSession.CategoryOptions = []
    ) throws {
        try session.setCategory(category, mode: mode, options: options)
        try session.setActive(true)
    }

    /// A telephone call's session.
    func beginCall() throws { try activate(.playAndRecord, mode: .voiceChat) }

    /// Gives the right to sound back.
    func deactivate(notifyingOthers: Bool) throws {
        try session.setActive(false, options: notifyingOthers ? .notifyOthersOnDeactivation : [])
    }

    /// Returns once the session's state satisfies the condition, and the effects of that state are carried out.
    func wait(for what: String, _ condition: @escaping @Sendable (SessionState) -> Bool) async throws {
        try await journal.wait(for: what) { [runtime] _ in condition(runtime.state) }
        // The state is public before the recorders hear of it.
        runtime.drain()
    }

    /// Forgets what happened until now.
    func startAfresh() {
        runtime.drain()
        journal.clear()
    }

    func end() {
        for player in players.withLock({ $0 }) { player.close() }
        runtime.shutdown()
    }
}

extension StreamPolicy {
    /// Of a player that starts again by itself after an interruption.
    static let resuming = StreamPolicy(onInterruption: .pauseAndResume)
}

/// The code of the error that a call throws; nil when it does not.
func code(_ body: () throws -> Void) -> AVAudioSession.ErrorCode? {
    do {
        try body()
        return nil
    } catch {
        return AVAudioSession.ErrorCode(rawValue: (error as NSError).code)
    }
}
