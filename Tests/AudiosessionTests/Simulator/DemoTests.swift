import Testing

@testable import AudioRuntime
@testable import audiosession

@Suite struct DemoTests {
    private func perform(
        _ scene: DemoScene = .unplug, leaking: Bool = false, seconds: Double = 8, faultTime: Double = .infinity
    ) throws -> DemoReport {
        let backend = FakeBackend(files: ["tune.wav": seconds], isSimulated: true)
        let simulator = try #require(backend.simulator as? FakeSimulator)
        if leaking { simulator.leakToSpeaker() }
        simulator.breakFile(atTime: faultTime)
        return try DemoRun(backend: backend, simulator: simulator, script: scene.script, arrow: "->").perform(
            file: "tune.wav")
    }

    private func text(_ entry: DemoRun.Entry) -> String {
        switch entry.what {
        case .action(let action): action.text
        case .result(let text): text
        }
    }

    @Test func demo_hasItsTimelineInVirtualTime() throws {
        let report = try perform()
        #expect(
            report.entries.map { "\($0.time.fixed(2)) \(text($0))" } == [
                "0.00 play", "0.00 player plays at 0.00 s of the file",
                "2.00 the headphones are unplugged",
                "2.00 player pauses (oldDeviceUnavailable) at 2.00 s of the file",
                "2.00 route changed (oldDeviceUnavailable): Cans (Headphones) -> Speaker",
                "3.50 the headphones are plugged in again",
                "3.50 route changed (newDeviceAvailable): Speaker -> Cans (Headphones)",
                "5.00 the user presses play", "5.00 player plays at 2.00 s of the file",
                "7.00 the user quits", "7.00 player pauses at 4.00 s of the file",
            ])
        #expect(report.outcome == .passed)
    }

    @Test func picture_showsSoundOnTheHeadphonesAndNoneOnTheSpeaker() throws {
        let lines = try perform().lines(glyphs: .ascii)
        let blank = { String(repeating: " ", count: $0) }
        let sound = String(repeating: "@", count: 20)
        #expect(lines.contains("Headphones |\(sound)\(blank(30))\(sound) | 4000 frames played"))
        #expect(lines.contains("Speaker    |\(blank(71))| 0 frames played"))
        #expect(lines.contains("            0 s       1 s       2 s       3 s       4 s       5 s       6 s       7 s"))
        #expect(
            lines.contains("            ^ play              ^ unplug       ^ plug in      ^ play              ^ quit"))
        #expect(lines.last == "The speaker played 0 frames: playback paused when the headphones were unplugged.")
    }

    @Test func leak_isCountedAndAFailure() throws {
        let report = try perform(leaking: true)
        #expect(report.speakerFrames == 1500)
        #expect(report.outcome == .failed)
        let error = #expect(throws: BackendError.self) { try report.check() }
        #expect(error?.message.hasPrefix("the speaker played 1500 frames.") == true)
    }

    @Test(arguments: [
        (
            DemoScene.call,
            [
                "2.00 a call comes in", "2.00 player pauses until it may resume (interruption) at 2.00 s of the file",
                "2.00 interrupted (default): another program took over the audio", "4.00 the call ends",
                "4.00 interruption ended (shouldResume): interrupted players may resume",
                "4.00 player plays at 2.00 s of the file", "6.00 the user quits",
            ]
        ),
        (
            .takeover,
            [
                "2.00 another app starts to play",
                "2.00 player pauses until it may resume (interruption) at 2.00 s of the file",
                "2.00 interrupted (default): another program took over the audio", "4.00 the other app is killed",
                "4.00 interruption ended: no player resumes automatically", "5.00 the user presses play",
                "5.00 player plays at 2.00 s of the file", "7.00 the user quits",
            ]
        ),
        (
            .crash,
            [
                "2.00 the sound server crashes", "2.00 player failed: the sound server is gone.",
                "2.00 media services lost: the sound server stopped", "3.00 the sound server restarts",
                "3.00 media services reset: the sound server is running again", "5.00 the user presses play",
                "5.00 player plays at 2.00 s of the file", "7.00 the user quits",
            ]
        ),
    ])
    func scene_hasItsTimelineAndPasses(scene: DemoScene, story: [String]) throws {
        let report = try perform(scene)
        #expect(report.entries.map { "\($0.time.fixed(2)) \(text($0))" }.dropFirst(2).dropLast() == story[...])
        #expect(report.unmet == [])
        #expect(report.outcome == .passed)
        #expect(report.lines(glyphs: .ascii).last == scene.script.conclusion)
    }

    @Test func sound_whereSilenceWasExpected_isAFailure() throws {
        var report = try perform(.call)
        report.script.expectations = [.silent(from: 1, to: 2), .sounding(from: 2.5, to: 3)]
        #expect(report.unmet == report.script.expectations)
        let error = #expect(throws: BackendError.self) { try report.check() }
        #expect(error?.message.hasPrefix("sound between 1.00 and 2.00 s, silence between 2.50 and 3.00 s.") == true)
    }

    @Test(arguments: DemoScene.allCases)
    func shortFile_repeatsToTheEndOfTheScene(scene: DemoScene) throws {
        let report = try perform(scene, seconds: 1)
        #expect(report.entries.contains { $0.what == .action(.end) })
        #expect(report.unmet == [])
        #expect(report.outcome == .passed)
    }

    @Test func fileThatFailsBefore_endsTheScript_withoutAConclusion() throws {
        let report = try perform(.call, faultTime: 1)
        #expect(
            report.entries.map(text) == [
                "play", "player plays at 0.00 s of the file", "player failed: the file is damaged.",
            ])
        let error = #expect(throws: BackendError.self) { try report.check() }
        #expect(error?.message.hasPrefix("the demo did not get to 2.00 s (a call comes in)") == true)
    }

    @Test func levels_areRootMeanSquaresOverAllChannels() {
        let recording = SimulatedMachineControls.Capture(
            port: FakeSimulator.port(.builtInSpeaker), sampleRate: 4,
            channels: [[1, 1, 1, 1, 0, 0, 0, 0, 0.5], [1, -1, 1, -1, 0, 0]])
        let strip = LevelStrip(recording, secondsPerColumn: 1)
        // The last stretch is cut short: 0.5² over 4 frames of 2 channels.
        #expect(strip.levels == [1, 0, (Float(0.25) / 8).squareRoot()])
        #expect(strip.soundingFrames == 5)
        #expect(strip.frames == 9)
    }

    @Test(arguments: [(Float(0), " "), (1e-9, "1"), (0.2, "2"), (0.3, "3"), (0.49, "3"), (0.5, "4"), (2, "4")])
    func marks_areSixDecibelsApartAndSilenceIsBlank(level: Float, mark: String) {
        let strip = LevelStrip(
            SimulatedMachineControls.Capture(
                port: FakeSimulator.port(.builtInSpeaker), sampleRate: 1, channels: [[level]]), secondsPerColumn: 1)
        var glyphs = Glyphs.ascii
        glyphs.levels = [" ", "1", "2", "3", "4"]
        #expect(strip.levels.map(glyphs.level).joined() == mark)
    }
}
