import HostSimulated
import OpenAudioSession
import SessionRuntime
import SimulatedControls
import TestAudio
import Testing

@testable import audiosession

/// `play` with the real queue on a real session of the simulated host, in virtual time.
@Suite struct PlaySessionTests {
    private final class Run {
        let host = SimulatedHost(.phone)
        let backend: SessionBackend
        let output = CapturedOutput()
        let errors = CapturedOutput()
        let runner: PlayRunner
        let inbox = Inbox<RunInput<PlayRunner.Report>>()

        init(
            _ paths: [String], before: (SessionBackend) -> Void = { _ in }, change: (inout PlayPlan) -> Void = { _ in }
        )
            throws
        {
            backend = SessionBackend(session: AVAudioSession(runtime: try SessionRuntime(host: host)))
            try backend.configure(SessionSettings())
            var plan = PlayPlan(items: PlayPlan.items(paths))
            plan.policy.onInterruption = .pauseAndResume
            plan.isInteractive = true
            change(&plan)
            runner = PlayRunner(
                RunContext(
                    backend: backend,
                    log: EventLog(display: Display(output: output, errors: errors, style: .text(arrow: "->"))),
                    deliver: { [inbox] in inbox.post($0) }), plan: plan)
            before(backend)
            runner.begin()
        }

        func advance(seconds: Double, inStepsOf step: Double = 0.02) {
            for _ in 0..<Int(seconds / step) {
                backend.simulator?.advance(bySeconds: step)
                for input in inbox.take() { runner.handle(input) }
            }
        }

        func press(_ key: Key) {
            runner.handle(.key(key))
            advance(seconds: 0.1)
        }

        /// The lines of the player, without their times and files.
        var story: [String] {
            output.lines.map { String($0.drop { $0 != "]" }.dropFirst(2)) }
                .filter { $0.hasPrefix("playing") || $0.hasPrefix("paused") || $0.hasPrefix("finished") }
                .map { $0.split(separator: " ").filter { !$0.contains("/") }.joined(separator: " ") }
        }

        func close() {
            runner.close()
            backend.close()
        }
    }

    private func withRun(
        seconds: [Double], before: (SessionBackend) -> Void = { _ in }, change: (inout PlayPlan) -> Void = { _ in },
        _ body: (Run) throws -> Void
    ) throws {
        try withTemporaryDirectory { directory in
            let run = try Run(
                try seconds.map { try TestFile.write(.ramp, seconds: $0, in: directory) }, before: before,
                change: change)
            defer { run.close() }
            try body(run)
        }
    }

    @Test func unplug_isTheCauseOfThePause_andSpacePlaysOn() throws {
        try withRun(seconds: [0.5, 0.5]) { run in
            run.advance(seconds: 0.2)
            run.backend.simulator?.unplugHeadphones()
            run.advance(seconds: 0.1)
            #expect(run.story == ["playing at 0:00", "paused at 0:00: Headphones left"])
            #expect(run.runner.nowPlaying?.blockReason == .outputLeft())
            run.press(.character(" "))
            run.advance(seconds: 1)
            #expect(
                run.story.dropFirst(2) == ["playing at 0:00", "finished", "playing at 0:00", "finished"])
            #expect(run.runner.isDone && !run.runner.hasFailed)
        }
    }

    @Test func unplug_whileAPolicyGoesOn_pausesNothing() throws {
        try withRun(seconds: [0.5], change: { $0.policy.onDeviceLoss = .continue }) { run in
            run.advance(seconds: 0.2)
            run.backend.simulator?.unplugHeadphones()
            run.advance(seconds: 1)
            #expect(run.story == ["playing at 0:00", "finished"])
        }
    }

    /// The second file has a player of its own, and the third one joins it.
    @Test(arguments: 0..<20) func unplug_anywhereNearTheEndsOfFiles_isNotHeardOnTheSpeaker(step: Int) throws {
        try withTemporaryDirectory { directory in
            let run = try Run(
                try [2, 1, 1].map { try TestFile.write(.noise, seconds: 0.1, channels: $0, in: directory) })
            defer { run.close() }
            run.advance(seconds: 0.02 * Double(step))
            let wasDone = run.runner.isDone
            run.backend.simulator?.unplugHeadphones()
            run.advance(seconds: 0.5)
            let speaker = run.backend.simulator?.captures.first { $0.port.kind != .headphones }
            #expect(speaker?.channels.allSatisfy { $0.allSatisfy { $0 == 0 } } ?? true)
            #expect(run.runner.isDone == wasDone)
            run.press(.character(" "))
            run.advance(seconds: 1)
            #expect(run.runner.isDone && !run.runner.hasFailed)
        }
    }

    @Test func stoppedProcess_whoseOutputLeft_staysPaused() throws {
        try withRun(seconds: [2]) { run in
            run.advance(seconds: 0.2)
            run.runner.hold()
            run.advance(seconds: 0.1)
            run.backend.simulator?.unplugHeadphones()
            run.runner.release()
            run.advance(seconds: 0.2)
            #expect(run.runner.nowPlaying?.isPlaying == false)
            #expect(run.story.last == "paused at 0:00: Headphones left")
        }
    }

    @Test func call_refusesTheStart_once() throws {
        try withRun(seconds: [0.5], before: { $0.simulator?.receiveCall() }) { run in
            run.advance(seconds: 0.2)
            #expect(run.errors.lines == ["audiosession: a call is on; nothing else plays or records until it ends."])
            #expect(!run.runner.isDone)
            run.backend.simulator?.endCall()
            run.press(.character(" "))
            run.advance(seconds: 1)
            #expect(run.story.last == "finished")
        }
    }

    @Test func serverThatReturns_isPlayedOn() throws {
        try withRun(seconds: [1.5], change: { $0.onServerLoss = .resume }) { run in
            run.advance(seconds: 1.1)
            run.backend.simulator?.crashServer()
            run.advance(seconds: 0.2)
            #expect(run.runner.nowPlaying?.blockReason == .serverIsLost)
            run.backend.simulator?.restartServer()
            run.advance(seconds: 1)
            #expect(run.story.contains("playing at 0:01"))
            #expect(run.story.last == "finished")
            #expect(run.errors.text.isEmpty)
        }
    }

    /// An output whose driver stands still, and then runs again.
    @Test func outputThatTakesNoSound_isNamedOnce_withWhatToDo() throws {
        try withRun(seconds: [20], change: { $0.isInteractive = false }) { run in
            run.advance(seconds: 1)
            run.host.stall(seconds: 15)
            run.advance(seconds: 14)
            #expect(
                run.errors.lines == [
                    "audiosession: Headphones has taken no sound for 10 s; choose another output with --device, or find out "
                        + "why: audiosession doctor. Playback goes on when it takes sound."
                ])
            #expect(run.runner.nowPlaying?.blockReason == .outputStands)
            run.advance(seconds: 5)
            #expect(run.runner.nowPlaying?.blockReason == nil && run.errors.lines.count == 1)
            #expect(!run.runner.isDone && !run.runner.hasFailed)
        }
    }

    @Test func serverThatSendsNothing_isNamedOnce() throws {
        try withRun(seconds: [20]) { run in
            run.advance(seconds: 1)
            run.host.stallItems(seconds: 7000)
            run.advance(seconds: 1)
            #expect(run.runner.nowPlaying?.blockReason == .waitingForServer)
            // After 600 s, reported by another thread, which may be late.
            for _ in 0..<600 where run.errors.lines.isEmpty {
                run.inbox.wait(atMostSeconds: 0.05)
                run.advance(seconds: 10, inStepsOf: 10)
            }
            run.advance(seconds: 100, inStepsOf: 10)
            #expect(run.errors.lines.count == 1)
            #expect(run.errors.text.contains("no sound comes of '"))
        }
    }

    // MARK: Cue sheets

    private func withSheet(
        _ times: [String], change: (inout PlayPlan) -> Void = { _ in }, _ body: (Run, TemporaryDirectory) throws -> Void
    ) throws {
        try withTemporaryDirectory { directory in
            try TestFile.write(.noise, seconds: 6, format: .flac16, named: "a.flac", in: directory)
            let tracks = times.enumerated().map { "TRACK \($0 + 1) AUDIO\nTITLE T\($0 + 1)\nINDEX 01 \($1)\n" }
            let text = "FILE a.wav WAVE\n" + tracks.joined()
            let sheet = try TestFile.write(bytes: Array(text.utf8), named: "a.cue", in: directory)
            let items = try MediaList.items([FilePath(sheet)])
            let run = try Run(
                [],
                change: {
                    $0.items = items
                    change(&$0)
                })
            defer { run.close() }
            try body(run, directory)
        }
    }

    @Test func tracksOfASheet_countFromTheirOwnBeginning() throws {
        try withSheet(["00:00:00", "00:02:00", "00:04:00"]) { run, _ in
            func track() -> NowPlaying.Track? { run.runner.nowPlaying?.tracks.first }
            func isNear(_ seconds: Double) -> Bool { track().map { abs($0.position - seconds) < 0.3 } ?? false }
            run.advance(seconds: 1)
            #expect(track()?.title == "T1" && track()?.duration == 2 && track()?.place == "1 of 3" && isNear(1))
            run.advance(seconds: 1.5)
            #expect(track()?.title == "T2" && track()?.duration == 2 && isNear(0.5))
            run.press(.character("5"))
            #expect(isNear(1.1))
            // No further than to the last second.
            run.press(.right)
            #expect(track()?.title == "T2" && isNear(1.2))
            run.press(.left)
            #expect(track()?.title == "T2" && isNear(0.1))
            run.press(.character("n"))
            run.advance(seconds: 0.2)
            #expect(track()?.title == "T3" && track()?.duration == 2 && isNear(0.3))
            run.press(.character("b"))
            run.advance(seconds: 0.2)
            #expect(track()?.title == "T2" && isNear(0.3))
            run.backend.simulator?.unplugHeadphones()
            run.advance(seconds: 0.1)
            #expect(run.story.last == "paused at 0:00: Headphones left")
            run.press(.character(" "))
            run.advance(seconds: 4.5)
            #expect(run.runner.isDone && !run.runner.hasFailed)
            #expect(run.story.last == "finished")
        }
    }

    @Test func sheetOfAnotherFile_isAnErrorOfEachTrackBehindTheEnd() throws {
        try withSheet(["00:00:00", "00:05:00", "00:06:00", "99:00:00"]) { run, directory in
            run.advance(seconds: 8)
            #expect(run.runner.isDone && run.runner.hasFailed)
            #expect(run.story == ["playing at 0:00", "finished", "playing at 0:00", "finished"])
            let file = directory.path("a.flac")
            #expect(
                run.errors.lines
                    == ["0:06", "1:39:00"].map {
                        "audiosession: '\(file)' has 0:06, and its cue sheet begins a track at \($0); give the sheet of this file."
                    })
        }
    }

    @Test func resume_isAtTheTrackThatWasLeft() throws {
        try withTemporaryDirectory { directory in
            let memory = directory.path("play.json")
            func keep(_ plan: inout PlayPlan) { (plan.memory, plan.resumes) = (memory, true) }
            try withSheet(["00:00:00", "00:02:00", "00:04:00"], change: keep) { run, sheet in
                run.advance(seconds: 3)
                run.close()
                var plan = PlayPlan(items: try MediaList.items([FilePath(sheet.path("a.cue"))]))
                keep(&plan)
                try plan.takeOver()
                #expect(plan.startIndex == 1 && abs(plan.startSeconds - 1) < 0.3)
            }
        }
    }
}
