import Testing

@testable import audiosession

@Suite struct DemoTests {
    private func perform(leaking: Bool = false, seconds: Double = 8) throws -> DemoReport {
        let studio = FakeStudio(files: ["tune.wav": seconds], isSimulated: true)
        let phone = try #require(studio.phone as? FakePhone)
        if leaking { phone.leakToSpeaker() }
        return try DemoRun(studio: studio, phone: phone, script: .headphonesLeave, arrow: "->").perform(
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

    @Test func shortFile_endsTheScriptWhenItEnds() throws {
        let report = try perform(seconds: 1)
        #expect(report.entries.map(text) == ["play", "player plays, 0.00 s into the file", "player has finished"])
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
