import AudioModel
import AudioRuntime
import OpenAVFAudio
import Synchronization

/// Carries the script out in virtual time and writes down what happened.
///
/// The verb's thread.
struct DemoRun {
    /// A line of the timeline.
    struct Entry: Hashable, Sendable {
        enum What: Hashable, Sendable {
            /// By a person.
            case done(DemoScript.Action)
            /// By the library.
            case happened(String)
        }

        /// Virtual seconds.
        var time: Double
        var what: What
    }

    static let configuration = SessionConfiguration(category: .playback)

    /// Virtual time moves by this much between two looks at the player; events carry times to this precision.
    private static let stepSeconds = 0.01

    var studio: any Studio
    var phone: any SimulatedPhone
    var script: DemoScript
    var arrow: String

    /// - Throws: `StudioError` when the file cannot be played.
    func perform(file: String) throws(StudioError) -> DemoReport {
        let log = DemoLog()
        let (phone, arrow) = (phone, arrow)
        // The news of the preparations is no part of the story.
        phone.advance(bySeconds: 0)
        studio.observe { event in
            let text = Event(time: 0, fact: event.fact).text(arrow: arrow)
            log.add(.init(time: phone.now, what: .happened(text)))
        }
        var player = try makePlayer(file, log)
        let title = player.info.path
        let start = studio.currentRoute
        let begin = phone.now
        for step in script.steps {
            // A failure after the disturbance may be what it is to show.
            let ends: Set<FilePlayer.State> = step.time > script.disturbance.time ? [.finished] : [.finished, .failed]
            while phone.now - begin < step.time - Self.stepSeconds / 2, !ends.contains(player.status.state) {
                phone.advance(bySeconds: min(Self.stepSeconds, step.time - (phone.now - begin)))
            }
            if ends.contains(player.status.state) { break }
            log.add(.init(time: phone.now, what: .done(step.action)))
            if step.action == .resume, player.status.state == .failed {
                player = try replacement(of: player, file, log)
            }
            try perform(step.action, player)
            phone.advance(bySeconds: 0)
        }
        // Time for the fade: nobody else moves time while `close` waits for it.
        phone.advance(bySeconds: Self.stepSeconds)
        player.close()
        return DemoReport(
            file: title, script: script, startRoute: start, begin: begin, entries: log.entries,
            recordings: phone.recordings)
    }

    private func makePlayer(_ file: String, _ log: DemoLog) throws(StudioError) -> any Player {
        try studio.makePlayer(path: file, policy: .init(), role: "Music", volume: 1) { [phone] news in
            guard case .status(let status) = news, status.state != .ready else { return }
            log.add(.init(time: phone.now, what: .happened(DemoReport.line(for: status))))
        }
    }

    /// The new server knows nothing of what was before.
    private func replacement(
        of dead: any Player, _ file: String, _ log: DemoLog
    ) throws(StudioError) -> any Player {
        let position = dead.status.position
        dead.close()
        try studio.configure(Self.configuration)
        let player = try makePlayer(file, log)
        player.seek(toSeconds: position)
        return player
    }

    private func perform(_ action: DemoScript.Action, _ player: any Player) throws(StudioError) {
        switch action {
        case .play, .resume:
            // As a press on play in `audiosession play`: the user wants the sound back.
            if studio.interruption != nil { try studio.activate() }
            do {
                try player.play()
            } catch {
                throw StudioError(code: "\(error.code)", message: error.message)
            }
        case .unplug: phone.unplugHeadphones()
        case .plug: phone.plugHeadphones()
        case .callComes: phone.receiveCall()
        case .callEnds: phone.endCall()
        case .otherAppStarts: phone.startOtherApp()
        case .otherAppDies: phone.killOtherApp()
        case .crash: phone.crashServer()
        case .restart: phone.restartServer()
        case .end: player.pause()
        }
    }
}

/// Entries from the verb's, the main and the poster thread, in the order in which they came.
private final class DemoLog: Sendable {
    private let stored = Mutex<[DemoRun.Entry]>([])

    func add(_ entry: DemoRun.Entry) { stored.withLock { $0.append(entry) } }
    var entries: [DemoRun.Entry] { stored.withLock { $0 } }
}
