import AudioRuntime
import OpenAVFAudio
import Synchronization

/// Runs the script in virtual time and records what happens.
///
/// The command thread.
struct DemoRun {
    /// A line of the timeline.
    struct Entry: Hashable, Sendable {
        enum What: Hashable, Sendable {
            case action(DemoScript.Action)
            /// What the library did.
            case result(String)
        }

        /// Virtual seconds.
        var time: Double
        var what: What
    }

    /// The step of virtual time, and the precision of the times of events.
    private static let stepSeconds = 0.01

    var backend: any AudioBackend
    var simulator: any SimulatorControls
    var script: DemoScript
    var arrow: String

    /// - Throws: `BackendError` if the file cannot be played.
    func perform(file: String) throws(BackendError) -> DemoReport {
        let log = DemoLog()
        let (simulator, arrow) = (simulator, arrow)
        // Notifications of the setup do not belong to the demo.
        simulator.advance(bySeconds: 0)
        backend.observe { event in
            let text = Event(time: 0, fact: .session(event)).text(arrow: arrow)
            log.add(.init(time: simulator.now, what: .result(text)))
        }
        var player = try makePlayer(file, log)
        let title = player.info.path
        let start = backend.currentRoute
        let begin = simulator.now
        for step in script.steps {
            // After the disturbance, a failure may be part of the demo.
            let ends: Set<FilePlayer.State> = step.time > script.disturbance.time ? [.finished] : [.finished, .failed]
            while simulator.now - begin < step.time - Self.stepSeconds / 2, !ends.contains(player.status.state) {
                simulator.advance(bySeconds: min(Self.stepSeconds, step.time - (simulator.now - begin)))
            }
            if ends.contains(player.status.state) { break }
            log.add(.init(time: simulator.now, what: .action(step.action)))
            if step.action == .resume, player.status.state == .failed {
                player = try replacement(of: player, file, log)
            }
            try perform(step.action, player)
            simulator.advance(bySeconds: 0)
        }
        // Time for the fade: virtual time does not advance while `close` waits for it.
        simulator.advance(bySeconds: Self.stepSeconds)
        player.close()
        return DemoReport(
            file: title, script: script, startRoute: start, begin: begin, entries: log.entries,
            captures: simulator.captures)
    }

    private func makePlayer(_ file: String, _ log: DemoLog) throws(BackendError) -> any Player {
        let player = try backend.makePlayer(
            path: file, trust: .init(), policy: FilePlayer.Policy(onInterruption: .pauseAndResume), role: "Music",
            volume: 1, effects: []
        ) { [simulator] event in
            guard case .status(let status) = event, status.state != .ready else { return }
            log.add(.init(time: simulator.now, what: .result(DemoReport.line(for: status))))
        }
        // A short file lasts to the end of the scene.
        player.repetitions = -1
        return player
    }

    /// The new server has none of the old state.
    private func replacement(
        of failed: any Player, _ file: String, _ log: DemoLog
    ) throws(BackendError) -> any Player {
        let position = failed.status.position
        failed.close()
        try backend.configure(SessionSettings())
        let player = try makePlayer(file, log)
        player.seek(toSeconds: position)
        return player
    }

    private func perform(_ action: DemoScript.Action, _ player: any Player) throws(BackendError) {
        switch action {
        case .play, .resume:
            // Like the space key in `audiosession play`.
            if backend.interruption != nil { try backend.activate() }
            try backend.explaining { () throws(FilePlayer.PlaybackError) in try player.play() }
        case .unplug: simulator.unplugHeadphones()
        case .plug: simulator.plugHeadphones()
        case .callComes: simulator.receiveCall()
        case .callEnds: simulator.endCall()
        case .otherAppStarts: simulator.startOtherApp()
        case .otherAppDies: simulator.killOtherApp()
        case .crash: simulator.crashServer()
        case .restart: simulator.restartServer()
        case .end: player.pause()
        }
    }
}

/// Entries from the command, main and poster threads, in the order in which they came.
private final class DemoLog: Sendable {
    private let stored = Mutex<[DemoRun.Entry]>([])

    func add(_ entry: DemoRun.Entry) { stored.withLock { $0.append(entry) } }
    var entries: [DemoRun.Entry] { stored.withLock { $0 } }
}
