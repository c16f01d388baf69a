import TestSupport
import Testing

@testable import SceneCore

/// What a history says of the expectations of its scene.
@Suite struct SceneJudgeTests {
    private typealias Entry = SceneHistory.Entry
    private typealias Time = AudioScene.Time

    private static let ends = Time(seconds: 10)

    private func entry(_ seconds: Double, _ what: SceneHistory.What) -> Entry { Entry(Time(seconds: seconds), what) }

    private func player(_ seconds: Double, _ state: AudioScene.PlayerState, number: Int = 1) -> Entry {
        entry(seconds, .player(number: number, isRecorder: false, state, .none))
    }

    /// A time as scenes are written.
    private func tenths(_ number: Int) -> String { Time(microseconds: number * 100_000).spelling }

    private func route(_ outputs: String...) -> SceneHistory.RouteNames { .init(outputs: outputs, inputs: []) }

    private func history(_ lines: String, _ entries: [Entry], _ sounds: [OutputSound] = []) throws -> SceneHistory {
        SceneHistory(
            scene: try AudioScene(text: "scene 1\n" + lines), duration: Self.ends, entries: entries, sounds: sounds,
            objections: [])
    }

    /// What was the case instead of an expectation; nil where it is met.
    private func fault(_ expectation: String, _ entries: [Entry], _ sounds: [OutputSound] = []) throws -> String? {
        let history = try history("at 1s end\nexpect \(expectation)", entries, sounds)
        #expect(history.failures.count <= 1 && history.expectationCount == 1)
        #expect(history.failures.allSatisfy { $0.line == 3 && $0.expectation == expectation })
        return history.failures.first?.message
    }

    // MARK: States

    @Test func player_withinATime_isInTheStateOnce() throws {
        let entries = [player(0.5, .playing), player(1.5, .paused), player(3, .waiting)]
        #expect(try fault("player playing within 500ms", entries) == nil)
        #expect(try fault("player paused within 500ms", entries) == nil)
        #expect(try fault("player paused within 499ms", entries) == "the player was playing from 1s")
        #expect(
            try fault("player waiting within 1s", entries) == "the player was playing from 1s, paused from 1.5s")
        #expect(try fault("player waiting", entries) == nil)
        #expect(try fault("player paused", []) == nil)
    }

    @Test func player_throughout_isInNoOtherState() throws {
        let entries = [player(2, .playing), player(4, .paused)]
        #expect(try fault("player playing from 2s to 4s", entries) == nil)
        #expect(try fault("player playing from 1.9s to 4s", entries) == "the player was paused at 1.9s")
        #expect(try fault("player playing from 2s to 4.1s", entries) == "the player was paused at 4s")
        #expect(try fault("player paused from 5s to 9s", entries) == nil)
        #expect(try fault("player waiting from 5s to 9s", entries) == "the player was paused at 5s")
    }

    @Test func ofSeveralChangesAtOneTime_theLastCountsAtTheStart() throws {
        let entries = [player(2, .playing), player(2, .waiting), player(2, .paused)]
        #expect(try fault("player paused from 2s to 3s", entries) == nil)
        #expect(try fault("player playing from 2s to 3s", entries) == "the player was paused at 2s")
    }

    @Test func players_playWhereOneDoes_andRecordersAreNone() throws {
        let entries = [
            player(2, .playing), player(3, .playing, number: 2), player(4, .paused), player(5, .waiting, number: 2),
            entry(6, .player(number: 1, isRecorder: true, .playing, .none)),
        ]
        #expect(try fault("player playing from 2s to 5s", entries) == nil)
        #expect(try fault("player waiting from 5s to 10s", entries) == nil)
        #expect(try fault("recorder recording from 6s to 10s", entries) == nil)
        #expect(try fault("recorder recording from 5s to 10s", entries) == "the recorder was paused at 5s")
        #expect(try fault("recorder waiting from 6s to 10s", entries) == "the recorder was recording at 6s")
    }

    @Test func session_isInItsState() throws {
        let entries = [entry(1, .session(.active)), entry(2, .session(.ducked)), entry(3, .session(.interrupted))]
        #expect(try fault("session active within 1s", entries) == nil)
        #expect(try fault("session ducked from 2s to 3s", entries) == nil)
        #expect(try fault("session inactive from 0s to 1s", entries) == nil)
        #expect(
            try fault("session inactive within 1s", entries) == "the session was active from 1s, ducked from 2s")
        #expect(try fault("session ducked from 2s to 4s", entries) == "the session was interrupted at 3s")
    }

    @Test func route_hasTheOutput() throws {
        let (one, both) = (route("headphones"), route("headphones", "hdmi"))
        let entries = [
            entry(0, .startRoute(one)), entry(2, .routeChange(reason: "newDeviceAvailable", from: one, to: both)),
            entry(4, .routeChange(reason: "oldDeviceUnavailable", from: both, to: route())),
        ]
        #expect(try fault("route headphones from 0s to 3s", entries) == nil)
        #expect(try fault("route hdmi within 1s", entries) == nil)
        #expect(
            try fault("route hdmi from 0s to 5s", entries)
                == "the route was headphones, then headphones + hdmi, then no output")
        #expect(try fault("route speaker within 500ms", entries) == "the route was headphones")
        #expect(try fault("route speaker from 5s to 6s", entries) == "the route was no output")
    }

    /// A state that is held for a time was there at each time of it.
    @Test(arguments: 0..<200) func stateThroughoutAWindow_isThereInEachPartOfIt(_ seed: UInt64) throws {
        var random = Seeded(seed: seed)
        let times = (0..<Int.random(in: 0...12, using: &random)).map { _ in Int.random(in: 0...100, using: &random) }
        let entries = times.sorted().map { time in
            player(Double(time) / 10, AudioScene.PlayerState.allCases.randomElement(using: &random) ?? .paused)
        }
        let window = (0..<4).map { _ in Int.random(in: 0...100, using: &random) }.sorted()
        guard Set(window).count == 4 else { return }
        let (a, b, c, d) = (window[0], window[1], window[2], window[3])
        func part(_ from: Int, _ to: Int) -> String { "from \(tenths(from)) to \(tenths(to))" }
        for state in AudioScene.PlayerState.allCases {
            guard try fault("player \(state.rawValue) \(part(a, d))", entries) == nil else { continue }
            #expect(try fault("player \(state.rawValue) \(part(b, c))", entries) == nil)
            for other in AudioScene.PlayerState.allCases where other != state {
                #expect(try fault("player \(other.rawValue) \(part(b, c))", entries) != nil)
            }
        }
    }

    // MARK: Notices

    @Test func interruption_isToldWithItsAdvice() throws {
        let entries = [
            entry(2, .interruptionBegins(because: .call("Phone"))), entry(3, .interruptionEnds(mayResume: true)),
        ]
        #expect(try fault("interruption begins within 1s", entries) == nil)
        #expect(try fault("interruption ends", entries) == nil)
        #expect(try fault("interruption ends, may resume within 2s", entries) == nil)
        #expect(
            try fault("interruption ends, must not resume within 2s", entries)
                == "it did not come; the app was told: interruption began, interruption ended shouldResume")
        #expect(
            try fault("interruption begins within 999ms", entries) == "it did not come; the app was told nothing then")
        #expect(try fault("no interruption", entries) == "at 2s: interrupted because of a call")
        #expect(try fault("no interruption from 3s to 9s", entries) == nil)
        #expect(
            try fault("no end of interruption", entries) == "at 3s: the interruption is over; the app may resume")
    }

    @Test func routeChange_hasItsReason() throws {
        let change = SceneHistory.What.routeChange(
            reason: "oldDeviceUnavailable", from: route("headphones"), to: route("speaker"))
        let entries = [entry(2, change)]
        #expect(try fault("route change", entries) == nil)
        #expect(try fault("route change oldDeviceUnavailable within 1s", entries) == nil)
        #expect(
            try fault("route change newDeviceAvailable", entries)
                == "it did not come; the app was told: routeChange oldDeviceUnavailable")
        #expect(try fault("no route change newDeviceAvailable", entries) == nil)
        #expect(
            try fault("no route change", entries)
                == "at 2s: changed (oldDeviceUnavailable): headphones -> speaker")
    }

    @Test func mediaServices_areToldOf() throws {
        let entries = [entry(2, .mediaServicesLost), entry(3, .mediaServicesReset)]
        #expect(try fault("media services lost within 1s", entries) == nil)
        #expect(try fault("media services reset within 2s", entries) == nil)
        #expect(
            try fault("media services reset within 1s", entries)
                == "it did not come; the app was told: mediaServicesWereLost")
        #expect(
            try fault("no media services reset", entries)
                == "at 3s: a new sound server is there; the app sets up everything again")
    }

    /// Of a fact and its opposite in the same window, one is met.
    @Test(arguments: 0..<200) func oppositeExpectations_areNeverBothMet_norBothFail(_ seed: UInt64) throws {
        var random = Seeded(seed: seed)
        let whats: [SceneHistory.What] = [
            .interruptionBegins(because: .sleep), .interruptionEnds(mayResume: true),
            .interruptionEnds(mayResume: false),
            .routeChange(reason: "override", from: route("speaker"), to: route("receiver")),
            .routeChange(reason: "categoryChange", from: route("receiver"), to: route("speaker")), .mediaServicesReset,
            .session(.active), .availableInputsChange,
        ]
        let times = (0..<Int.random(in: 0...8, using: &random)).map { _ in Int.random(in: 0...100, using: &random) }
        let entries = times.sorted().map {
            entry(Double($0) / 10, whats.randomElement(using: &random) ?? .mediaServicesLost)
        }
        var sound = OutputSound(name: "speaker", rate: 1000, channelCount: 1)
        for second in 0..<10 where Bool.random(using: &random) {
            sound.add([[Float](repeating: 0.5, count: 500)], offset: 0, from: second * 1000)
        }
        let start = Int.random(in: 0...99, using: &random)
        let end = Int.random(in: start + 1...100, using: &random)
        let window = ["", " within \(tenths(end))", " from \(tenths(start)) to \(tenths(end))"].randomElement(
            using: &random)
        for (fact, opposite) in [
            ("interruption begins", "no interruption"), ("interruption ends", "no end of interruption"),
            ("route change", "no route change"), ("route change override", "no route change override"),
            ("media services reset", "no media services reset"), ("speaker heard", "speaker silent"),
            ("everything heard", "everything silent"), ("speaker channel 1 heard", "speaker channel 1 silent"),
        ] {
            // An output is heard throughout a window by its level, and silent by each of its samples.
            if fact == "speaker heard" || fact == "everything heard", window?.contains("from") == true { continue }
            let faults = [
                try fault(fact + (window ?? ""), entries, [sound]),
                try fault(opposite + (window ?? ""), entries, [sound]),
            ]
            #expect(faults.count { $0 == nil } == 1, "\(fact)\(window ?? ""): \(faults)")
        }
    }

    // MARK: Sound

    /// At 1 kHz, with what it plays from each second on, for a second.
    private func sound(_ name: String, _ seconds: [Int: [Float]], channels: Int = 1) -> OutputSound {
        var sound = OutputSound(name: name, rate: 1000, channelCount: channels)
        for (second, levels) in seconds.sorted(by: { $0.key < $1.key }) {
            sound.add(levels.map { [Float](repeating: $0, count: 1000) }, offset: 0, from: second * 1000)
        }
        return sound
    }

    @Test func silence_isNotOneFrameOfSound() throws {
        var quiet = OutputSound(name: "speaker", rate: 1000, channelCount: 1)
        quiet.add([[1e-30]], offset: 0, from: 2500)
        let sounds = [quiet, sound("headphones", [4: [0.5]])]
        #expect(try fault("speaker silent from 0s to 2.5s", [], sounds) == nil)
        #expect(try fault("speaker silent from 0s to 2.501s", [], sounds) == "speaker played from 2.5s")
        #expect(try fault("everything silent from 3s to 5s", [], sounds) == "headphones played from 4s")
        #expect(try fault("everything silent", [], sounds) == "speaker played from 2.5s")
        #expect(try fault("hdmi silent", [], sounds) == nil)
    }

    @Test func output_isHeardThroughout_aboveMinus60() throws {
        let sounds = [sound("speaker", [2: [0.5], 3: [0.0009], 4: [0.5]])]
        #expect(try fault("speaker heard from 2s to 5s", [], sounds) == nil)
        #expect(try fault("speaker heard from 3s to 4s", [], sounds) == "its level was below -60 dBFS")
        #expect(try fault("speaker heard within 500ms", [], sounds) == "it was silent")
        #expect(try fault("everything heard within 1.1s", [], sounds) == nil)
        #expect(try fault("headphones heard", [], sounds) == "it was silent")
    }

    @Test func channel_isHeardAlone() throws {
        let sounds = [sound("speaker", [2: [0, 0.5]], channels: 2)]
        #expect(try fault("speaker channel 2 heard from 2s to 3s", [], sounds) == nil)
        #expect(try fault("speaker channel 1 silent", [], sounds) == nil)
        #expect(try fault("speaker channel 1 heard", [], sounds) == "it was silent")
        #expect(try fault("speaker channel 3 heard", [], sounds) == "it was silent")
    }

    @Test func level_isThatOfTheWindow() throws {
        let sounds = [sound("speaker", [2: [0.5], 4: [0.05]])]
        #expect(try fault("speaker level above -7dB from 2s to 3s", [], sounds) == nil)
        #expect(try fault("speaker level below -7dB from 2s to 3s", [], sounds) == "its level was -6.0 dBFS")
        #expect(try fault("speaker level above -20dB from 4s to 5s", [], sounds) == "its level was -26.0 dBFS")
        #expect(try fault("speaker level above -200dB from 6s to 7s", [], sounds) == "it was silent")
        #expect(try fault("speaker level below -200dB from 6s to 7s", [], sounds) == nil)
        #expect(try fault("hdmi level above -200dB", [], sounds) == "it was not there")
    }

    @Test func click_isASoundThatBeginsOrEndsWithoutAFade() throws {
        var clicked = OutputSound(name: "speaker", rate: 1000, channelCount: 1)
        clicked.add(
            [[0] + [Float](repeating: 0.5, count: 100) + [Float](repeating: 0, count: 99)], offset: 0, from: 2000)
        var faded = OutputSound(name: "headphones", rate: 1000, channelCount: 1)
        let fade = (0..<100).map { Float($0) / 200 }
        faded.add([[0] + fade + fade.reversed() + [Float](repeating: 0, count: 99)], offset: 0, from: 2000)
        let sounds = [clicked, faded]
        #expect(
            try fault("no click on speaker", [], sounds) == "speaker began or ended without a fade at 2.001s")
        #expect(
            try fault("no click from 2.05s to 3s", [], sounds) == "speaker began or ended without a fade at 2.1s")
        #expect(try fault("no click from 2.2s to 3s", [], sounds) == nil)
        #expect(try fault("no click on headphones", [], sounds) == nil)
    }

    // MARK: Windows

    @Test func windowAfterTheEnd_isNotMet() throws {
        let late = try history("at 11s end\nexpect no interruption\nexpect player paused from 12s to 13s", [])
        #expect(late.failures.map(\.message) == ["the scene ended at 10s", "the scene ended at 10s"])
        #expect(late.verdict == "2 of 2 expectations were not met.")
    }

    @Test func window_countsFromTheEventAboveTheLine() throws {
        let history = try history(
            """
            expect player playing within 1s
            at 2s player plays
            expect player playing within 1s
            at 5s player pauses
            expect player playing within 1s
            expect player playing from 2.5s to 5s
            """, [player(2.5, .playing), player(5, .paused)])
        #expect(
            history.failures.map(\.description) == [
                "line 2: expected player playing within 1s, but the player was paused from 0s",
                "line 6: expected player playing within 1s, but the player was paused from 5s",
            ])
        #expect(history.verdict == "2 of 4 expectations were not met.")
    }

    @Test func verdict_isASentence() throws {
        #expect(try history("at 1s end", []).verdict == "The scene expects nothing.")
        #expect(try history("expect player paused", []).verdict == "The expectation was met.")
        #expect(try history("expect player playing", []).verdict == "The expectation was not met.")
        let scene = try AudioScene(text: "scene 1\nexpect player paused")
        let objected = SceneHistory(
            scene: scene, duration: .zero, entries: [], sounds: [], objections: ["headphones are not plugged in"])
        #expect(objected.verdict == "Not all that the scene asks for could be done: see its objections.")
        #expect(objected.text.contains("objection: headphones are not plugged in\n"))
        let made = SceneHistory.Failure(line: 0, expectation: "player paused", message: "it played")
        #expect(made.description == "expected player paused, but it played")
    }
}
