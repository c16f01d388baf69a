import Testing

@testable import audiosession

@Suite struct DemoTests {
    private func perform(
        _ scene: DemoScene = .headphones, leaking: Bool = false, seconds: Double = 8, faultTime: Double = .infinity
    ) throws -> DemoReport {
        let studio = FakeStudio(files: ["tune.wav": seconds], isSimulated: true)
        let phone = try #require(studio.phone as? FakePhone)
        if leaking { phone.leakToSpeaker() }
        phone.breakFile(atTime: faultTime)
        return try DemoRun(studio: studio, phone: phone, script: scene.script, arrow: "->").perform(
            file: "tune.wav")
    }

    private func text(_ entry: DemoRun.Entry) -> String {
        switch entry.what {
        case .done(let action): action.text
        case .happened(let text): text
        }
    }

    @Test func demo_tellsTheWholeStoryInVirtualTime() throws {
        let report = try perform()
        #expect(
            report.entries.map { "\($0.time.fixed(2)) \(text($0))" } == [
                "0.00 play", "0.00 player plays, 0.00 s into the file",
                "2.00 the headphones are unplugged",
                "2.00 player pauses (oldDeviceUnavailable), 2.00 s into the file",
                "2.00 route changed (oldDeviceUnavailable): Cans (Headphones) -> Speaker",
                "3.50 the headphones are plugged in again",
                "3.50 route changed (newDeviceAvailable): Speaker -> Cans (Headphones)",
                "5.00 the user presses play", "5.00 player plays, 2.00 s into the file",
                "7.00 the user leaves", "7.00 player pauses, 4.00 s into the file",
            ])
        #expect(report.isKept)
    }

    @Test func picture_showsSoundOnTheHeadphonesAndNoneOnTheSpeaker() throws {
        let lines = try perform().lines(glyphs: .ascii)
        let blank = { String(repeating: " ", count: $0) }
        let sound = String(repeating: "@", count: 20)
        #expect(lines.contains("Headphones |\(sound)\(blank(30))\(sound) | 4000 frames sounded"))
        #expect(lines.contains("Speaker    |\(blank(71))| 0 frames sounded"))
        #expect(lines.contains("            0 s       1 s       2 s       3 s       4 s       5 s       6 s       7 s"))
        #expect(
            lines.contains("            ^ play              ^ unplug       ^ plug in      ^ play              ^ leave"))
        #expect(lines.last == "The speaker played 0 frames of it: the music stopped when the headphones went away.")
    }

    @Test func leak_isCountedAndCalledABrokenPromise() throws {
        let report = try perform(leaking: true)
        #expect(report.speakerFrames == 1500)
        #expect(!report.isKept)
        #expect(report.lines(glyphs: .ascii).last?.hasPrefix("BROKEN PROMISE: the speaker played 1500 frames.") == true)
    }

    @Test(arguments: [
        (
            DemoScene.call,
            [
                "2.00 the telephone rings", "2.00 player is silent for now (interruption), 2.00 s into the file",
                "2.00 interrupted (default): another program has the sound", "4.00 the call ends",
                "4.00 the interruption is over: what it stopped may go on (shouldResume)",
                "4.00 player plays, 2.00 s into the file", "6.00 the user leaves",
            ]
        ),
        (
            .takeover,
            [
                "2.00 another app takes the sound",
                "2.00 player is silent for now (interruption), 2.00 s into the file",
                "2.00 interrupted (default): another program has the sound", "4.00 the other app is killed",
                "4.00 the interruption is over: nothing goes on by itself", "5.00 the user presses play",
                "5.00 player plays, 2.00 s into the file", "7.00 the user leaves",
            ]
        ),
        (
            .crash,
            [
                "2.00 the sound server dies", "2.00 player failed: the sound server is gone.",
                "2.00 media services lost: the sound server went away", "3.00 the sound server is started again",
                "3.00 media services reset: the sound server is there again", "5.00 the user presses play",
                "5.00 player plays, 2.00 s into the file", "7.00 the user leaves",
            ]
        ),
    ])
    func scene_tellsItsStoryAndKeepsItsPromise(scene: DemoScene, story: [String]) throws {
        let report = try perform(scene)
        #expect(report.entries.map { "\($0.time.fixed(2)) \(text($0))" }.dropFirst(2).dropLast() == story[...])
        #expect(report.unmet == [])
        #expect(report.isKept)
        #expect(report.lines(glyphs: .ascii).last == scene.script.promise)
    }

    @Test func sound_whereSilenceWasExpected_isABrokenPromise() throws {
        var report = try perform(.call)
        report.script.expectations = [.silent(from: 1, to: 2), .sounding(from: 2.5, to: 3)]
        #expect(report.unmet == report.script.expectations)
        #expect(!report.isKept)
        #expect(
            report.lines(glyphs: .ascii).last?.hasPrefix(
                "BROKEN PROMISE: sound between 1.00 and 2.00 s, silence between 2.50 and 3.00 s.") == true)
    }

    @Test(arguments: [
        (DemoScene.headphones, "the headphones are unplugged"), (.call, "the telephone rings"),
        (.takeover, "another app takes the sound"), (.crash, "the sound server dies"),
    ])
    func fileThatIsOverBefore_endsTheScript_andPromisesNothing(scene: DemoScene, disturbance: String) throws {
        let report = try perform(scene, seconds: 1)
        #expect(report.entries.map(text) == ["play", "player plays, 0.00 s into the file", "player has finished"])
        #expect(report.isKept)
        #expect(
            report.lines(glyphs: .ascii).last
                == "Nothing was shown: \(disturbance) at 2.00 s, and the music was over before that. "
                + "Take another file, of 7 s or more.")
    }

    @Test func fileThatBreaksBefore_endsTheScript_andPromisesNothing() throws {
        let report = try perform(.call, faultTime: 1)
        #expect(
            report.entries.map(text) == [
                "play", "player plays, 0.00 s into the file", "player failed: the file is damaged.",
            ])
        #expect(report.isKept)
        #expect(report.lines(glyphs: .ascii).last?.hasPrefix("Nothing was shown: the telephone rings") == true)
    }

    @Test(arguments: DemoScene.allCases)
    func fileThatIsOverAfterwards_keepsThePromise(scene: DemoScene) throws {
        let report = try perform(scene, seconds: 3)
        #expect(report.entries.last.map(text) == "player has finished")
        #expect(report.isKept)
        #expect(report.lines(glyphs: .ascii).last == scene.script.promise)
    }

    @Test func levels_areRootMeanSquaresOverAllChannels() {
        let recording = PortRecording(
            port: FakeStudio.speaker, sampleRate: 4, channels: [[1, 1, 1, 1, 0, 0, 0, 0, 0.5], [1, -1, 1, -1, 0, 0]])
        let strip = LevelStrip(recording, secondsPerColumn: 1)
        // The last stretch is cut short: 0.5² over 4 frames of 2 channels.
        #expect(strip.levels == [1, 0, (Float(0.25) / 8).squareRoot()])
        #expect(strip.soundingFrames == 5)
        #expect(strip.frames == 9)
    }

    @Test(arguments: [(Float(0), " "), (1e-9, "1"), (0.2, "2"), (0.3, "3"), (0.49, "3"), (0.5, "4"), (2, "4")])
    func marks_areSixDecibelsApartAndSilenceIsBlank(level: Float, mark: String) {
        let strip = LevelStrip(
            PortRecording(port: FakeStudio.speaker, sampleRate: 1, channels: [[level]]), secondsPerColumn: 1)
        #expect(strip.text(marks: [" ", "1", "2", "3", "4"]) == mark)
    }
}
