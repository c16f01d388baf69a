internal import AudioModel
package import AudioRuntime
internal import Foundation
package import SceneCore
internal import SessionCore

/// Runs a scene with the player of `audiosession play` as the app under test.
///
/// The command thread.
package struct SceneFilePlayer {
    /// What it plays, each file with a player of its own; a tone if empty, and nil is an app without a player.
    package var files: [String]?
    /// Reads what each output plays; see `SceneStage.onSound`.
    package var onSound: SceneStage.SoundReader?

    package init(files: [String]? = []) { self.files = files }

    /// What a scene cannot be run with.
    package struct Unplayable: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameter recorders: see the session besides the stage's own.
    /// - Throws: `Unplayable` if a file cannot be played.
    package func run(_ scene: AudioScene, recorders: [any SessionRecorder] = []) throws -> SceneHistory {
        let stage = SceneStage(scene)
        stage.onSound = onSound
        let runtime = try SessionRuntime(host: stage.host, recorders: [stage.recorder] + recorders)
        defer { runtime.shutdown() }
        try runtime.perform { call, _ in .configurationRequested(call, SessionConfiguration(category: .playback)) }
        stage.begin { runtime.drain() }
        let tone = files?.isEmpty == true ? try ToneFile.path() : nil
        let app = try ScenePlayers(paths: tone.map { [$0] } ?? files ?? [], loops: tone != nil, runtime: runtime)
        defer { app.close() }
        while let actions = stage.nextStep(settle: { app.settle(stage.observerSeconds) }) {
            for action in actions {
                do throws(SessionError) {
                    try app.perform(action)
                } catch {
                    stage.note(appFailure: error.message.printable)
                }
            }
            if !actions.isEmpty { stage.finishStep { app.settle(stage.observerSeconds) } }
        }
        return stage.history
    }
}

/// The players of a scene's app.
private final class ScenePlayers {
    private let paths: [String]
    private let loops: Bool
    private let runtime: SessionRuntime
    private var players: [FilePlayer] = []
    private var configuration = SessionConfiguration(category: .playback)

    init(paths: [String], loops: Bool, runtime: SessionRuntime) throws {
        self.paths = paths
        self.loops = loops
        self.runtime = runtime
        players = try paths.map(makePlayer)
    }

    private func makePlayer(_ path: String) throws -> FilePlayer {
        do {
            let player = try FilePlayer(
                path: path, runtime: runtime, policy: StreamPolicy(onInterruption: .pauseAndResume), onChange: { _ in })
            if loops { player.repetitions = -1 }
            return player
        } catch let error as FilePlayer.FileError {
            throw SceneFilePlayer.Unplayable(description: error.message)
        } catch let error as SessionError {
            throw SceneFilePlayer.Unplayable(description: error.message)
        }
    }

    func settle(_ observerSeconds: Double) {
        if observerSeconds > 0 { runtime.notices.enqueue { Thread.sleep(forTimeInterval: min(observerSeconds, 1)) } }
        runtime.drain()
    }

    func perform(_ action: AudioScene.Action) throws(SessionError) {
        switch action {
        case .play:
            try replaceFailedPlayers()
            // Like the space key in `audiosession play`: it takes the sound back.
            if runtime.interruptionReason != nil { try runtime.perform { call, _ in .activationRequested(call) } }
            for player in players { try player.play() }
        case .pause: for player in players { player.pause() }
        case .seek(let time): for player in players { player.seek(toSeconds: time.seconds) }
        case .configure(let claim):
            configuration = claim.configuration
            try runtime.perform { [configuration] call, _ in .configurationRequested(call, configuration) }
        case .activate: try runtime.perform { call, _ in .activationRequested(call) }
        case .deactivate(let notifiesOthers):
            try runtime.perform { call, _ in .deactivationRequested(call, notifyOthers: notifiesOthers) }
        case .overrideOutput(let speaker):
            try runtime.perform { call, _ in .outputOverrideRequested(call, speaker ? .speaker : .none) }
        case .record, .stopRecording:
            throw SessionError(.badParam, "This app plays only; run the scene with an app that records, in a test.")
        default: break
        }
    }

    /// A player ends with its server; the new one goes on where it was, with the settings of before.
    private func replaceFailedPlayers() throws(SessionError) {
        for index in players.indices where players[index].status.state == .failed {
            let position = players[index].status.position
            players[index].close()
            try runtime.perform { [configuration] call, _ in .configurationRequested(call, configuration) }
            guard let player = try? makePlayer(paths[index]) else { continue }
            player.seek(toSeconds: position)
            players[index] = player
        }
    }

    func close() { for player in players { player.close() } }
}

/// A second of a quiet tone, which loops without a seam: a file without a name, which ends with the process.
private enum ToneFile {
    /// - Throws: `Unplayable` where the directory for temporary files has no room.
    static func path() throws -> String { try made.get() }

    private static let made = Result { () throws(SceneFilePlayer.Unplayable) in try make() }

    private static func make() throws(SceneFilePlayer.Unplayable) -> String {
        var template = Array(FileManager.default.temporaryDirectory.path.utf8CString.dropLast())
        template += Array("/audiosession-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(template)
        let frames = 48_000
        var data = Data("RIFF".utf8)
        func add<T: FixedWidthInteger>(_ value: T) {
            withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
        }
        add(UInt32(36 + frames * 2))
        data.append(Data("WAVEfmt ".utf8))
        add(UInt32(16))
        for value: UInt16 in [1, 1] { add(value) }
        for value: UInt32 in [48_000, 96_000] { add(value) }
        for value: UInt16 in [2, 16] { add(value) }
        data.append(Data("data".utf8))
        add(UInt32(frames * 2))
        for frame in 0..<frames { add(Int16((sin(Double(frame) * 2 * Double.pi * 220 / 48_000) * 6553).rounded())) }
        let count = data.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard descriptor >= 0, count == data.count else {
            throw SceneFilePlayer.Unplayable(
                description:
                    "cannot write a tone to \(FileManager.default.temporaryDirectory.path); make room there, or name a "
                    + "file to play")
        }
        return "/proc/self/fd/\(descriptor)"
    }
}
