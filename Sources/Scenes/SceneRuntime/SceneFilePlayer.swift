internal import AudioFiles
internal import AudioModel
internal import AudioRuntime
internal import Foundation
internal import QueueRuntime
package import SceneCore
internal import SessionCore
internal import SessionRest
package import SessionRuntime

/// Runs a scene with the player of `audiosession play` as the app under test.
///
/// The command thread.
package struct SceneFilePlayer {
    /// What it plays, each file with a player of its own; a tone if empty, and nil is an app without a player.
    package var files: [String]?
    /// Whether a file begins again at its end.
    package var loops = false
    /// Reads what each output plays; see `SceneStage.onSound`.
    package var onSound: SceneStage.SoundReader?

    package init(files: [String]? = [], loops: Bool = false) {
        self.files = files
        self.loops = loops
    }

    /// What a scene cannot be run with.
    package struct Unplayable: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameter recorders: see the session besides the stage's own.
    /// - Throws: `Unplayable` if a file cannot be played.
    package func run(_ scene: AudioScene, recorders: [any SessionRecorder] = []) throws -> SceneHistory {
        let stage = SceneStage(scene)
        stage.onSound = onSound
        if scene.asksForPositions { stage.original = try original() }
        let runtime = try SessionRuntime(host: stage.host, recorders: [stage.recorder] + recorders)
        defer { runtime.shutdown() }
        stage.isBusy = { !runtime.isAtRest }
        let isScripted = scene.scriptsSession
        if !isScripted {
            try runtime.perform { call, _ in .configurationRequested(call, SessionConfiguration(category: .playback)) }
        }
        stage.begin { runtime.drain() }
        let tone = files?.isEmpty == true ? try ToneFile.path() : nil
        let app = try ScenePlayers(
            paths: tone.map { [$0] } ?? files ?? [], loops: loops || tone != nil,
            isScripted: isScripted, isQueue: scene.hasSlowItems, runtime: runtime)
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

extension AudioScene {
    /// Whether it takes time to open an item: the app has a queue then, which opens the next one while it plays.
    fileprivate var hasSlowItems: Bool {
        events.lazy.flatMap(\.actions).contains { if case .itemsOpen = $0 { true } else { false } }
    }

    /// Whether the app's first action is one of its session, as in a trace: an app that does so does it wherever it needs it.
    fileprivate var scriptsSession: Bool {
        switch events.lazy.flatMap(\.actions).first(where: \.isOfApp) {
        case .configure?, .activate?: true
        default: false
        }
    }
}

extension SceneFilePlayer {
    /// The mixture where there are several files; nil for an app without a player, and for files of several lengths that begin again.
    ///
    /// All players start and pause together. One that does not go on as the others do makes another mixture.
    private func original() throws -> OriginalSound? {
        guard let files else { return nil }
        guard !files.isEmpty else { return OriginalSound(ToneFile.original) }
        do throws(AudioFileError) {
            var mixture: [Float] = []
            for file in files {
                let samples = try Self.firstChannel(ofFile: file)
                guard !loops || mixture.isEmpty || mixture.count == samples.count else { return nil }
                if mixture.count < samples.count {
                    mixture += repeatElement(0, count: samples.count - mixture.count)
                }
                for index in samples.indices { mixture[index] += samples[index] }
            }
            return OriginalSound(mixture)
        } catch {
            throw Unplayable(description: error.message)
        }
    }

    private static func firstChannel(ofFile path: String) throws(AudioFileError) -> [Float] {
        let reader = try AudioFileReader(path: path, outputSampleRate: 48000)
        let channels = reader.info.channels.count
        var samples: [Float] = []
        let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: 4800 * channels)
        defer { block.deallocate() }
        while true {
            let count = try reader.read(into: block)
            if count == 0 { return samples }
            samples += (0..<count).map { block[$0 * channels] }
        }
    }
}

/// The players of a scene's app.
private final class ScenePlayers {
    private let paths: [String]
    private let loops: Bool
    /// The scene has everything that the app asks its session for.
    private let isScripted: Bool
    private let runtime: SessionRuntime
    private var players: [FilePlayer] = []
    /// In the place of `players`.
    private let queue: QueuePlayer?
    private var hasQueued = false
    private var configuration = SessionConfiguration(category: .playback)

    /// - Parameter isQueue: one player plays the files one after the other, a single one twice.
    init(paths: [String], loops: Bool, isScripted: Bool, isQueue: Bool, runtime: SessionRuntime) throws {
        self.paths = paths
        self.loops = loops
        self.isScripted = isScripted
        self.runtime = runtime
        queue = isQueue ? QueuePlayer(runtime: runtime, onEvent: { _ in }, onTime: { _ in .infinity }) : nil
        if !isScripted, queue == nil { players = try paths.map(makePlayer) }
        for path in isScripted || isQueue ? paths : [] {
            do throws(AudioFileError) {
                _ = try AudioFileReader(path: path, outputSampleRate: nil)
            } catch {
                throw SceneFilePlayer.Unplayable(description: error.message)
            }
        }
    }

    private func makePlayer(_ path: String) throws -> FilePlayer {
        do {
            let player = try FilePlayer(
                path: path, runtime: runtime, policy: StreamPolicy(onInterruption: .pauseAndResume), onChange: { _ in })
            if loops { player.repetitions = -1 }
            return player
        } catch let error as AudioFileError {
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
            // An app may have been traced long before it had a player.
            if players.isEmpty, queue == nil { players = paths.compactMap { try? makePlayer($0) } }
            // Like the space key in `audiosession play`: it takes the sound back. Where that is refused, it plays after the call.
            if !isScripted, runtime.state.interruption != nil {
                try? runtime.perform { call, _ in .activationRequested(call) }
            }
            for player in players { try player.play() }
            // Not before: the scene may say how slow the server is.
            if !hasQueued { queue?.changeItems { $0 = (paths.count == 1 ? paths + paths : paths).map(SceneItem.init) } }
            hasQueued = true
            queue?.setRate(1)
        case .pause:
            for player in players { player.pause() }
            queue?.setRate(0)
        case .seek(let time):
            for player in players { player.seek(toSeconds: time.seconds) }
            if let item = queue?.firstItem { queue?.seek(item, toSeconds: time.seconds) { _ in } }
        case .configure(let claim):
            configuration = claim.configuration
            try runtime.perform { [configuration] call, _ in .configurationRequested(call, configuration) }
        case .activate: try runtime.perform { call, _ in .activationRequested(call) }
        case .deactivate(let notifiesOthers):
            try runtime.perform(isDeactivation: true) { call, _ in
                .deactivationRequested(call, notifyOthers: notifiesOthers)
            }
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
            if !isScripted {
                try runtime.perform { [configuration] call, _ in .configurationRequested(call, configuration) }
            }
            guard let player = try? makePlayer(paths[index]) else { continue }
            player.seek(toSeconds: position)
            players[index] = player
        }
    }

    func close() {
        for player in players { player.close() }
        queue?.close()
    }
}

/// A file of a scene's queue.
private final class SceneItem: QueueItem {
    private let path: String

    init(_ path: String) { self.path = path }

    func open(outputSampleRate: Double) throws(AudioFileError) -> sending AudioFileReader {
        try AudioFileReader(path: path, outputSampleRate: outputSampleRate)
    }
}
