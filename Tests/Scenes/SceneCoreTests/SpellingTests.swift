import Foundation
import SceneTestSupport
import TestSupport
import Testing

@testable import SceneCore

/// Words, numbers, times and names, as a scene spells them.
@Suite struct SpellingTests {
    // MARK: Times

    @Test(arguments: [
        ("2s", 2_000_000), ("2.5s", 2_500_000), ("250ms", 250_000), ("1us", 1), ("1min", 60_000_000),
        ("1.5min", 90_000_000), ("1h", 3_600_000_000), ("3", 3_000_000), ("0.000001s", 1), ("0.0000010s", 1),
        ("0s", 0), ("007s", 7_000_000), ("1000000s", 1_000_000_000_000), ("0.1ms", 100), ("277.5h", 999_000_000_000),
    ]) func time_isReadInEachUnit(_ text: String, _ microseconds: Int) {
        #expect(AudioScene.Time(spelling: text)?.microseconds == microseconds)
    }

    @Test(arguments: [
        "", "s", "-1s", "+1s", "1.s", ".5s", "1.2.3s", "1 s", "1S", "1sec", "1e3s", "٣s", "0.0000001s", "0.1us",
        "1000000.000001s", "1000001s", "278h", "99999999999999999999s", "999999999999999999999s", "1s2", "NaN", "inf",
    ]) func textThatIsNoTime_isRefused(_ text: String) {
        #expect(AudioScene.Time(spelling: text) == nil)
    }

    @Test func eachTime_isReadAsItIsWritten() {
        var random = Seeded(seed: 1)
        let limits = [1000, 1_000_000, 60_000_000, 1_000_000_000_000]
        for round in 0..<20_000 {
            let exact = Int.random(in: 0...limits[round % 4], using: &random)
            let time = AudioScene.Time(microseconds: round % 3 == 0 ? exact / 1000 * 1000 : exact)
            #expect(AudioScene.Time(spelling: time.spelling) == time, "\(time.spelling)")
        }
    }

    @Test func times_stayInTheirRange() {
        #expect(AudioScene.Time(microseconds: -1) == .zero)
        #expect(AudioScene.Time(microseconds: .max) == .maximum)
        #expect(AudioScene.Time(seconds: .nan) == .zero && AudioScene.Time(seconds: -.infinity) == .zero)
        #expect(AudioScene.Time(seconds: .infinity) == .maximum && AudioScene.Time(seconds: 1e300) == .maximum)
        #expect(AudioScene.Time.maximum + .maximum == .maximum)
        // The first frame that is not before the time.
        #expect(AudioScene.Time(microseconds: 1).frame(atRate: 48_000) == 1)
        #expect(AudioScene.Time(seconds: 1).frame(atRate: 44_100) == 44_100)
    }

    // MARK: Numbers

    @Test func eachNumber_isReadAsItIsWritten() {
        var random = Seeded(seed: 2)
        let known = [0, 0.1, 1.0 / 3, 37.5, 44_100, 7350.5, 1e15, 1e22, 1.7e308, -1e-300, .leastNonzeroMagnitude]
        let others = (0..<5000).map { _ in Double.random(in: -1e6...1e6, using: &random) }
        for number in known + others {
            #expect(Phrase.ValueType.number(in: number.spelling) == number, "\(number.spelling)")
        }
    }

    @Test(arguments: [
        "", "%", "Hz", "nan", "inf", "-", "e5", "1e", "0x10", "1_000", "5 %", "1e999", "--1", "1,5", "٣", "5%%",
        String(repeating: "1", count: 41), "5dBm",
    ]) func textThatIsNoNumber_isRefused(_ text: String) {
        #expect(Phrase.ValueType.number(in: text) == nil)
    }

    @Test(arguments: [
        ("volume speaker 100%", true), ("volume speaker 100.1%", false), ("volume speaker -1%", false),
        ("rate speaker 1Hz", true), ("rate speaker 0Hz", false), ("rate speaker 768000Hz", true),
        ("rate speaker 768001Hz", false), ("flap speaker 1 times in 1s", true), ("flap speaker 0 times in 1s", false),
        ("flap speaker 1000 times in 1s", true), ("flap speaker 1001 times in 1s", false),
        ("flap speaker 1.5 times in 1s", false),
    ]) func numbers_haveTheRangeOfTheirType(_ action: String, _ isRead: Bool) {
        #expect(((try? AudioScene(text: "scene 1\nat 0s \(action)\n")) != nil) == isRead)
    }

    @Test(arguments: [
        ("-200dB", true), ("-201dB", false), ("20dB", true), ("21dB", false), ("-6.5dB", false),
    ]) func levels_areWholeDecibelsInTheirRange(_ level: String, _ isRead: Bool) {
        #expect(((try? AudioScene(text: "scene 1\nexpect speaker level above \(level)\n")) != nil) == isRead)
    }

    // MARK: Names

    /// Also those that make one character with the quotation marks around them: U+0D4E before one, a tone of skin after one.
    @Test(arguments: [
        "\u{D4E}", "\u{1F3FB}", "\u{E33}", "\u{FF9E}", "\u{301}", "\u{200D}", "\u{600}", "\"", "\\", "\\u", "\r\n",
        "\u{1F1E6}", "👩‍👩‍👧", "#", ",", " ", "\u{0}", "\u{2028}", "\u{E0001}", "and", "expect", "a\u{301}\"",
    ]) func eachName_isReadAsItIsWritten(_ part: String) throws {
        for name in [part, "a" + part, part + "a", "\"" + part + "\"", part + part] {
            let scene = AudioScene(title: name, lines: [.init(.event(.zero, [.programPlays(name, role: name)]))])
            #expect(try AudioScene(text: scene.text) == scene, "\(scene.text)")
        }
    }

    @Test func eachCharacterOfUnicode_isReadAsItIsWritten() throws {
        var random = Seeded(seed: 3)
        for _ in 0..<3000 {
            var name = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                let range: ClosedRange<UInt32> = Bool.random(using: &random) ? 0...0xFFF : 0...0x10FFFF
                if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) { name.append(scalar) }
            }
            let scene = AudioScene(title: String(name))
            guard scene.title.utf8.count <= 200 else { continue }
            let again = try AudioScene(text: scene.text)
            #expect(again.title.unicodeScalars.elementsEqual(name), "\(scene.text)")
        }
    }

    @Test func name_ofMoreThan200Bytes_isRefused() {
        func fault(_ count: Int) -> String? {
            do {
                _ = try AudioScene(text: "scene 1\ntitle " + String(repeating: "a", count: count))
                return nil
            } catch { return error.description }
        }
        #expect(fault(200) == nil)
        #expect(fault(201)?.hasPrefix("line 2, column 7: found \"aaaaaa") == true)
        #expect(fault(201)?.contains("…\"; possible here: a name") == true)
    }

    @Test(arguments: [
        (#"title "a\x""#, "\\x is unknown"), (#"title "a\"#, "\\ is unknown"), (#"title "\u""#, "\\u needs"),
        (#"title "\uD800.""#, "\\u needs"), (#"title "\u110000.""#, "\\u needs"), (#"title "\u200B""#, "\\u needs"),
        (#"title "\u123456789.""#, "\\u needs"), (#"title "\u-1.""#, "\\u needs"), (#"title "a"#, "a quotation mark"),
        (#"title a"b"#, "a quotation mark"),
    ]) func escapesThatSayNothing_areNamed(_ line: String, _ message: String) {
        let error = #expect(throws: SceneError.self) { try AudioScene(text: "scene 1\n" + line) }
        #expect(error?.message.hasPrefix(message) == true, "\(String(describing: error))")
        #expect(error?.line == 2)
    }

    // MARK: Phrases

    @Test func pattern_isWordsValuesAndParts() {
        let phrase = Phrase("volume <device:device> <percent:percent> [, <muted:muted/silent now>] {<more:name>}")
        #expect(
            phrase.pieces == [
                .word("volume"), .value("device", .device), .value("percent", .percent),
                .optional([.word(","), .value("muted", .choice(["muted", "silent now"]))]), .repeated("more", .name),
            ])
        #expect(phrase.verb == "volume")
        #expect(Phrase("<at:time>").verb == "output")
    }

    /// Also a word that other phrases begin with.
    @Test(arguments: [
        ("session is set to playback in default with mixWithOthers duckOthers", 2),
        ("session is set to playAndRecord with defaultToSpeaker", 1), ("session is set to record", 0),
    ]) func options_areAnyNumber(_ action: String, _ count: Int) throws {
        let scene = try AudioScene(text: "scene 1\nat 0s \(action)\n")
        guard case .configure(let claim)? = scene.events.first?.actions.first else {
            Issue.record("\(scene.text)")
            return
        }
        #expect(claim.options.count == count)
        #expect(scene.text.contains("at 0s \(action)\n"))
    }

    @Test func randomScenes_sayAllThatASceneCanSay() {
        var random = SceneRandom(seed: 5)
        var verbs: Set<String> = []
        for _ in 0..<400 {
            for line in random.scene().lines {
                switch line.statement {
                case .event(_, let actions): verbs.formUnion(actions.map(\.spelling.verb))
                case .expectation(let expectation): verbs.insert(expectation.spelling.verb)
                }
            }
        }
        #expect(verbs == Set((SceneGrammar.actions + SceneGrammar.expectations).map(\.verb)))
    }
}
