import Foundation
import FoundationXML
import SceneTestSupport
import TestSupport
import Testing

@testable import SceneCore

/// A history in words and as a picture.
@Suite struct HistoryTextTests {
    private typealias Cause = SceneHistory.Cause

    private static let speaker = SceneHistory.RouteNames(outputs: ["speaker"], inputs: [])
    private static let both = SceneHistory.RouteNames(outputs: ["headphones", "hdmi"], inputs: ["microphone"])

    @Test func text_isALineAnEntry_thenAStripOfEachOutput() throws {
        var sound = OutputSound(name: "speaker", rate: 1000, channelCount: 1)
        sound.add([[Float](repeating: 0.5, count: 1000)], offset: 0, from: 0)
        let entries = [
            SceneHistory.Entry(.zero, .event([.play, .callBegins])), .init(.zero, .session(.active)),
            .init(.zero, .player(number: 1, isRecorder: false, .playing, .none)),
            .init(.init(seconds: 2), .session(.interrupted)),
            .init(.init(seconds: 2), .interruptionBegins(because: .otherApp("Video"))),
            .init(.init(seconds: 2.5), .player(number: 1, isRecorder: false, .paused, .otherApp("Video"))),
        ]
        let history = SceneHistory(
            scene: try AudioScene(text: "scene 1\nat 0s player plays and call begins\nexpect speaker silent within 1s"),
            duration: .init(seconds: 4), entries: entries,
            sounds: [sound, OutputSound(name: "hdmi", rate: 1000, channelCount: 2)], objections: [])
        let gap = String(repeating: " ", count: 16)
        #expect(
            history.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) == [
                "    0.000000s  scene       player plays and call begins", "    0.000000s  session     active",
                "    0.000000s  player 1    plays",
                "    2.000000s  session     interrupted because Video took the sound",
                "    2.500000s  player 1    paused because Video took the sound; will not resume by itself", "",
                "         0s\(gap)1s\(gap)2s\(gap)3s",
                "speaker |" + String(repeating: "+", count: 18) + String(repeating: " ", count: 54) + "| 1000 frames",
                "hdmi    |" + String(repeating: " ", count: 72) + "| silent", "",
                "failed: line 3: expected speaker silent within 1s, but speaker played from 0s", "",
            ])
        #expect(!history.playersEnded)
    }

    // MARK: Words

    /// What a player's pause says: the cause, and what comes next.
    @Test func pause_hasItsCause_andWhatComesNext() {
        let causes: [(Cause, String)] = [
            (.none, "paused"), (.user, "paused by its user"), (.endOfSound, "finished"),
            (.deviceLeft("headphones"), "paused because headphones left; will not resume by itself"),
            (.deviceLeft(""), "paused because its device left; will not resume by itself"),
            (.deviceCame, "paused because a device came; will not resume by itself"),
            (.noRoute, "paused because there is nowhere to play; will not resume by itself"),
            (.otherApp(""), "paused because another app took the sound; will not resume by itself"),
            (.call("Phone"), "paused because of a call; will not resume by itself"),
            (.sleep, "paused because the machine goes to sleep; will not resume by itself"),
            (.sessionManager, "paused because the session manager holds its sound; will not resume by itself"),
            (.claimLost, "paused because another program removed its claim; will not resume by itself"),
            (.serverLost, "paused because the sound server is gone; the app has to make a new one"),
            (.deactivation, "paused because the app deactivated its session; will not resume by itself"),
            (.interruption, "paused because the session is interrupted; will not resume by itself"),
            (
                .notGivenBack,
                "paused because the interruption ended without the advice to resume; will not resume by itself"
            ), (.refusal, "paused because the sound was refused: a call is on; will not resume by itself"),
            (.failure("no room"), "paused because it failed: no room; the app has to make a new one"),
        ]
        for (cause, words) in causes {
            #expect(SceneHistory.What.player(number: 1, isRecorder: false, .paused, cause).words == words)
        }
    }

    @Test func start_saysWhy_whereItWasNotTheUser() {
        func words(_ cause: Cause, isRecorder: Bool = false, _ state: AudioScene.PlayerState = .playing) -> String {
            let what = SceneHistory.What.player(number: 2, isRecorder: isRecorder, state, cause)
            #expect(what.lane == (isRecorder ? "recorder 2" : "player 2") && what.notice == nil)
            return what.words
        }
        #expect(words(.user) == "plays" && words(.none, isRecorder: true) == "records")
        #expect(words(.interruption) == "plays again, because the interruption is over")
        #expect(words(.noRoute, isRecorder: true) == "records again, because there is an output")
        #expect(words(.call("Phone"), .waiting) == "waits because of a call; goes on by itself when it may")
    }

    @Test func notices_haveApplesNames() {
        let whats: [(SceneHistory.What, String?, String)] = [
            (.routeChange(reason: "override", from: Self.speaker, to: Self.both), "routeChange override", "route"),
            (.interruptionBegins(because: .sleep), "interruption began", "session"),
            (.interruptionEnds(mayResume: true), "interruption ended shouldResume", "session"),
            (.interruptionEnds(mayResume: false), "interruption ended", "session"),
            (.mediaServicesLost, "mediaServicesWereLost", "session"),
            (.mediaServicesReset, "mediaServicesWereReset", "session"),
            (.secondaryAudioHint(begins: true), "silenceSecondaryAudioHint begin", "session"),
            (.secondaryAudioHint(begins: false), "silenceSecondaryAudioHint end", "session"),
            (.availableInputsChange, "availableInputsChange", "session"),
            (.resumptionRecommended, "resumptionRecommended", "session"), (.event([.play]), nil, "scene"),
            (.startRoute(Self.both), nil, "route"), (.session(.ducked), nil, "session"), (.appFailed("x"), nil, "app"),
            (.mistake("it hangs"), nil, "app"),
        ]
        for (what, notice, lane) in whats {
            #expect(what.notice == notice && what.lane == lane && !what.words.isEmpty)
        }
        #expect(Set(whats.map(\.0.words)).count == whats.count)
        #expect(whats[0].0.words == "changed (override): speaker -> headphones + hdmi, input microphone")
        #expect(SceneHistory.RouteNames(outputs: [], inputs: []).text == "no output")
    }

    @Test(arguments: [
        (1, "0s"), (4, "0s                1s                2s                3s"), (9, "0s              2s"),
        (100, "0s            20s"), (100_000, "0s"),
    ]) func ruler_hasWholeSeconds(_ seconds: Double, _ begin: String) {
        let ruler = AudioScene.Time(seconds: seconds).ruler(columns: 72)
        #expect(ruler.hasPrefix(begin) && ruler.count <= 80, "\(ruler)")
    }

    // MARK: Pictures

    /// A history of a scene's own events, and of states that change at random.
    private func history(_ seed: UInt64) -> SceneHistory {
        var (random, scenes) = (Seeded(seed: seed), SceneRandom(seed: seed))
        let scene = scenes.scene()
        let end = scene.duration
        var entries: [SceneHistory.Entry] = [.init(.zero, .startRoute(Self.speaker))]
        for (time, actions, _) in scene.events where time <= end { entries.append(.init(time, .event(actions))) }
        for _ in 0..<Int.random(in: 0...40, using: &random) {
            let time = AudioScene.Time(microseconds: Int.random(in: 0...end.microseconds, using: &random))
            let player = AudioScene.PlayerState.allCases.randomElement(using: &random) ?? .paused
            let state = AudioScene.SessionState.allCases.randomElement(using: &random) ?? .active
            let whats: [SceneHistory.What] = [
                .player(number: Int.random(in: 1...2, using: &random), isRecorder: false, player, .otherApp("<b>&\"")),
                .session(state), .routeChange(reason: "override", from: Self.speaker, to: Self.both),
                .interruptionBegins(because: .call("Phone")),
            ]
            entries.append(.init(time, whats.randomElement(using: &random) ?? .mediaServicesLost))
        }
        var sound = OutputSound(name: "a <speaker>", rate: 8000, channelCount: 1)
        sound.add([tone(440, frames: 4000)], offset: 0, from: 800)
        return SceneHistory(
            scene: scene, duration: end, entries: entries.sorted { $0.time < $1.time }, sounds: [sound],
            objections: ["an <objection>"])
    }

    @Test(arguments: 0..<60) func lanes_areWithinTheScene_andStatesHaveNoGaps(_ seed: UInt64) {
        let history = history(seed)
        for lane in ScenePicture(history).lanes {
            for segment in lane.segments {
                #expect(segment.start <= segment.end && segment.end <= history.duration, "\(lane)")
            }
            guard ["route", "session", "player 1", "player 2", "what happens"].contains(lane.name) else { continue }
            #expect(lane.segments.last?.end == history.duration)
            for (segment, next) in zip(lane.segments, lane.segments.dropFirst()) {
                #expect(segment.end == next.start && segment.start < segment.end, "\(lane)")
            }
        }
    }

    /// No two expectations of a row are at one time.
    @Test(arguments: 0..<60) func expectations_haveRowsOfTheirOwn_whereTheyOverlap(_ seed: UInt64) {
        let history = history(seed)
        let lanes = ScenePicture(history).lanes
        let rows = lanes.drop { $0.name != "expected" }
        for row in rows {
            for (segment, next) in zip(row.segments, row.segments.dropFirst()) { #expect(segment.end <= next.start) }
        }
        let shown = rows.reduce(0) { $0 + $1.segments.count }
        #expect(shown == history.expectationCount || rows.count == 12)
        let unmet = rows.flatMap(\.segments).filter { $0.style == .unmet }
        #expect(unmet.isEmpty == history.failures.isEmpty || rows.count == 12)
    }

    @Test(arguments: 0..<60) func pictureOfAnyHistory_isXML_andItsPageHasOneScript(_ seed: UInt64) {
        let picture = ScenePicture(history(seed))
        let parser = XMLParser(data: Data(picture.svg.utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError)) at line \(parser.lineNumber)")
        let page = picture.html
        #expect(page.components(separatedBy: "<script").count == 2)
        #expect(!page.contains("<b>&\"") && !page.contains("<objection>") && !page.contains("<speaker>"))
    }

    @Test(arguments: 0..<60) func json_isALineForEachEntry_thenTheResult(_ seed: UInt64) throws {
        let history = history(seed)
        let objects = try history.json.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.dropLast().map { $0["what"] as? String } == history.entries.map(\.what.words))
        #expect(objects.dropLast().map { $0["who"] as? String } == history.entries.map(\.what.lane))
        #expect(objects.dropLast().map { $0["notice"] as? String } == history.entries.map(\.what.notice))
        #expect(objects.dropLast().map { $0["time"] as? Double } == history.entries.map(\.time.seconds))
        let result = try #require(objects.last)
        #expect(result["failures"] as? [String] == history.failures.map(\.description))
        #expect(result["objections"] as? [String] == ["an <objection>"])
        #expect((result["outputs"] as? [[String: Any]])?.map { $0["name"] as? String } == ["a <speaker>"])
    }

    @Test func percent_hasThreeDigits() {
        let scene = AudioScene()
        let picture = ScenePicture(
            SceneHistory(scene: scene, duration: .init(seconds: 3), entries: [], sounds: [], objections: []))
        #expect(picture.percent(.zero) == "0.000%" && picture.percent(.init(seconds: 1)) == "33.333%")
        #expect(picture.percent(.init(seconds: 3)) == "100.000%" && picture.percent(.init(seconds: 0.03)) == "1.000%")
        let empty = ScenePicture(SceneHistory(scene: scene, duration: .zero, entries: [], sounds: [], objections: []))
        #expect(XMLParser(data: Data(empty.svg.utf8)).parse())
    }

    @Test func markup_isText() {
        #expect(XML.text("<a href=\"x\">&'") == "&lt;a href=&quot;x&quot;&gt;&amp;&#39;")
        #expect(XML.text("a\u{0}\u{202E}\u{FFFE}\u{1FFFF}\u{7F}é🎧") == "a\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}é🎧")
    }
}
