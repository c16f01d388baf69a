import SceneTestSupport
import Testing

@testable import SceneCore

@Suite struct SceneTextTests {
    private let headphones = """
        scene 1
        title "The headphones leave"   # a remark
        plugged headphones

        at 0s player plays
        at 2s unplug headphones
        expect player paused within 50ms
        expect speaker silent from 2s to 6s
        at 4s call begins
        at 6s call ends, may resume
        """

    @Test func text_isReadAsItsEventsAndExpectations() throws {
        let scene = try AudioScene(text: headphones)
        #expect(scene.title == "The headphones leave")
        #expect(scene.plugged == ["headphones"])
        #expect(
            scene.lines == [
                .init(.event(.zero, [.play])),
                .init(.event(.init(seconds: 2), [.unplug("headphones")])),
                .init(.expectation(.init(.player(.paused), .within(.init(seconds: 0.05))))),
                .init(
                    .expectation(
                        .init(.silent("speaker", channel: nil), .during(.init(seconds: 2), .init(seconds: 6))))),
                .init(.event(.init(seconds: 4), [.callBegins])),
                .init(.event(.init(seconds: 6), [.callEnds(mayResume: true)])),
            ])
        #expect(scene.lines.map(\.number) == [5, 6, 7, 8, 9, 10])
        #expect(scene.duration == .init(seconds: 6.5))
    }

    @Test func everyPhrase_hasAVerbOfItsOwn() {
        for phrases in [SceneGrammar.header, SceneGrammar.actions, SceneGrammar.expectations] {
            #expect(Set(phrases.map(\.verb)).count == phrases.count)
        }
    }

    @Test func errors_nameTheirPlaceAndWhatWasPossible() {
        func fault(_ line: String) -> String {
            do {
                _ = try AudioScene(text: "scene 1\n" + line)
                return "none"
            } catch { return error.description }
        }
        #expect(
            fault("at 2s unplug hedphones").hasPrefix(
                "line 2, column 14: found \"hedphones\"; possible here: speaker, receiver, microphone, line-out, headphones"
            ))
        #expect(
            fault("at 2x unplug headphones")
                == "line 2, column 4: found \"2x\"; possible here: a time such as 2s, 250ms or 1min")
        #expect(
            fault("expect player pausd within 50ms")
                == "line 2, column 15: found \"pausd\"; possible here: playing, paused, waiting")
        #expect(fault("at 2s call ends, may").hasPrefix("line 2, column 18: found \"may\"; possible here: may resume"))
        #expect(fault("at 2s volume speaker 120%").contains("possible here: a volume such as 50%, 0% to 100%"))
        #expect(
            fault("at 2s wake up").hasPrefix(
                "line 2, column 7: found \"wake\"; possible here: plug, unplug, flap, jack"))
        #expect(fault("at 2s unplug headphones now").hasSuffix("possible here: and, the end of the line"))
        #expect(fault("at 2s unplug").hasPrefix("line 2, column 13: the line ends; possible here: speaker"))
        #expect(fault("title \"a").contains("line 2, column 7: a quotation mark is missing"))
        #expect(fault("at 2s end\nat 1s end").hasPrefix("line 3, column 4: 1s is before 2s"))
        #expect(fault("scene 2").hasPrefix("line 2, column 7: version 2 is not known"))
    }

    /// Also those that were possible: a scene names its devices.
    @Test(arguments: [
        "scene 1\nat 2s unplug \"a\u{1}b\"", "scene 1\n\"\u{1}\u{2028}", "{\"scene\": 1, \"lines\": [{\"\u{1}\": 1}]}",
    ]) func controlCharacters_doNotReachTheMessage(_ text: String) {
        let error = #expect(throws: SceneError.self) { _ = try AudioScene(text: text) }
        #expect(error?.message.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x2028 } == false)
    }

    @Test(arguments: 0..<500) func randomScene_isTheSameAfterItsText(_ seed: UInt64) throws {
        var random = SceneRandom(seed: seed)
        let scene = random.scene()
        #expect(try AudioScene(text: scene.text) == scene, "\(scene.text)")
    }

    @Test func slowServers_areRead() throws {
        let text = "at 1s item takes 2s to open\nat 2s item stalls for 500ms\nat 2s activation takes 4s\n"
        let scene = try AudioScene(text: "scene 1\n" + text)
        #expect(
            scene.lines == [
                .init(.event(.init(seconds: 1), [.itemsOpen(in: .init(seconds: 2))])),
                .init(.event(.init(seconds: 2), [.itemsStall(.init(seconds: 0.5))])),
                .init(.event(.init(seconds: 2), [.activationTakes(.init(seconds: 4))])),
            ])
        #expect(try AudioScene(text: scene.text) == scene)
    }

    // MARK: Bounds

    private func fault(_ text: String) -> String {
        do {
            _ = try AudioScene(text: "scene 1\n" + text)
            return "none"
        } catch { return error.description }
    }

    @Test func tooManyPorts_appsAndPrograms_areRefused() {
        func lines(_ count: Int, _ line: (Int) -> String) -> String {
            (0..<count).map(line).joined(separator: "\n")
        }
        #expect(fault(lines(500) { "port p\($0) output usbAudio" }) == "none")
        let tooMany = fault(lines(501) { "port p\($0) output usbAudio" })
        #expect(tooMany == "line 502, column 1: a scene has at most 500 ports")
        let takes = { (index: Int) in "at 1s app a\(index) takes audio for playback" }
        #expect(fault(lines(500, takes)) == "none")
        #expect(fault(lines(501, takes)).contains("at most 500 other apps at a time"))
        #expect(fault(lines(501) { "at 1s program a\($0) plays" }).contains("at most 500 programs at a time"))
        // One after the other there may be as many as there are lines.
        #expect(fault(lines(600) { takes($0) + " and app a\($0) leaves" }) == "none")
    }

    @Test func lineWithoutEnd_isRefusedBeforeItsCharactersAreLookedAt() {
        let zeros = String(repeating: "\0", count: 10_000_000)
        #expect(fault(zeros) == "line 2, column 1: a line of a scene has at most 200000 bytes")
        #expect(fault("# " + String(repeating: "x", count: 190_000)) == "none")
    }

    @Test func text_hasNothingThatATerminalObeys() throws {
        let scene = AudioScene(title: "a\u{1B}]0;b\u{7}\u{9B}2J\u{202E}c\u{E0001}")
        #expect(!scene.text.unicodeScalars.contains { $0 != "\n" && TextWriter.isInvisible($0) })
        #expect(try AudioScene(text: scene.text) == scene)
    }
}
