import Foundation
import SceneTestSupport
import TestSupport
import Testing

@testable import SceneCore

/// Scenes that were written otherwise than by this library, by mistake or on purpose.
@Suite struct HostileSceneTests {
    /// What a text is read as: a scene that is the same again, or an error with a place in the text and a short message.
    private func check(_ text: String) {
        do {
            let scene = try AudioScene(text: text)
            #expect((try? AudioScene(text: scene.text)) == scene, "\(text)")
            #expect(scene.duration >= .zero)
        } catch {
            let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            let length = lines.indices.contains(error.line - 1) ? lines[error.line - 1].count : -1
            #expect((1...(length + 1)).contains(error.column), "\(error.description)\n\(text)")
            #expect(!error.message.isEmpty && error.message.count < 3000)
            #expect(!error.message.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "\(text)")
        }
    }

    private static let words = [
        "at", "expect", "and", "within", "from", "to", "scene", "title", "port", "plugged", "2s", "50%", "44100Hz",
        "-20dB",
        "speaker", "headphones", ",", "\"", "\\", "\\u", "#", "\n", "\r\n", "\u{2028}", "\u{0}", "\u{1B}[2J", "\u{301}",
        "\u{202E}", "99999999999999999999", "-1s", "1e999", "{", "[", "]", "}", "<", "may resume", "🎧", "\u{1F3FB}",
        String(repeating: "9", count: 300),
    ]

    @Test(arguments: 0..<300) func changedScene_isAScene_orHasAnErrorWithItsPlace(_ seed: UInt64) {
        var (random, scenes) = (Seeded(seed: seed), SceneRandom(seed: seed))
        var text = Array(scenes.scene().text)
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let place = Int.random(in: 0...text.count, using: &random)
            let length = min(text.count - place, Int.random(in: 0...12, using: &random))
            switch Int.random(in: 0..<4, using: &random) {
            case 0: text.removeSubrange(place..<place + length)
            case 1: text.insert(contentsOf: Self.words.randomElement(using: &random) ?? "", at: place)
            case 2: text.insert(contentsOf: Array(text[place..<place + length]), at: text.count - length)
            default:
                text.insert(contentsOf: " " + (Self.words.randomElement(using: &random) ?? "") + " ", at: place)
            }
        }
        check(String(text))
    }

    @Test(arguments: 0..<300) func wordsInAnyOrder_areAScene_orHaveAnErrorWithItsPlace(_ seed: UInt64) {
        var random = Seeded(seed: seed)
        let count = Int.random(in: 1...40, using: &random)
        let text = (0..<count).map { _ in Self.words.randomElement(using: &random) ?? "" }.joined(separator: " ")
        check("scene 1\n" + text)
        check(text)
    }

    @Test(arguments: 0..<100) func bytesInAnyOrder_areAScene_orHaveAnErrorWithItsPlace(_ seed: UInt64) {
        var random = Seeded(seed: seed)
        let bytes = (0..<Int.random(in: 0...400, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        check(String(decoding: bytes, as: UTF8.self))
    }

    /// Spaces, tabs, remarks and empty lines say nothing; the lines have the numbers of the text.
    @Test(arguments: 0..<100) func spaceAndRemarks_sayNothing(_ seed: UInt64) throws {
        var (random, scenes) = (Seeded(seed: seed), SceneRandom(seed: seed))
        let scene = scenes.scene()
        var lines: [String] = []
        for line in scene.text.split(separator: "\n") {
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                lines.append(
                    ["", "  \t", "# a remark \"", "   # and another, at 2s"].randomElement(using: &random) ?? "")
            }
            lines.append(
                (Bool.random(using: &random) ? "\t " : "") + line + (Bool.random(using: &random) ? "  # why" : ""))
        }
        let ending = Bool.random(using: &random) ? "\n" : "\r\n"
        let again = try AudioScene(text: lines.joined(separator: ending))
        #expect(again == scene)
        for line in again.lines {
            let text = lines[line.number - 1].drop { $0.isWhitespace }
            if case .event = line.statement {
                #expect(text.hasPrefix("at "))
            } else {
                #expect(text.hasPrefix("expect "))
            }
        }
    }

    @Test(arguments: 0..<50) func eventsWhoseTimesGoBack_areNamedByTheirLine(_ seed: UInt64) throws {
        var random = SceneRandom(seed: seed)
        let events = random.scene().lines.filter { if case .event = $0.statement { true } else { false } }
        let times = events.compactMap { line in if case .event(let time, _) = line.statement { time } else { nil } }
        guard let fall = times.indices.dropFirst().last(where: { times[$0] > times[$0 - 1] }) else { return }
        let end = { (time: AudioScene.Time) in "at \(time.spelling) end" }
        let text = (["scene 1"] + times[..<(fall - 1)].map(end) + [end(times[fall]), end(times[fall - 1])])
        let error = #expect(throws: SceneError.self) { try AudioScene(text: text.joined(separator: "\n")) }
        #expect(error?.line == text.count && error?.column == 4)
        #expect(error?.message.hasPrefix("\(times[fall - 1].spelling) is before \(times[fall].spelling)") == true)
    }

    // MARK: Ports

    private func fault(_ lines: String) -> String {
        do {
            _ = try AudioScene(text: "scene 1\n" + lines)
            return "none"
        } catch { return error.description }
    }

    @Test func names_standForOnePort() {
        #expect(
            fault("port a output usbAudio\nport a output hdmi").hasSuffix(
                "stands for a port already; give this one another"))
        #expect(fault("port speaker output hdmi").contains("the name \"speaker\" stands for a port already"))
        #expect(fault("port a output usbAudio of speaker").contains("give the device another"))
        #expect(fault("port a output usbAudio\nport b output hdmi of a") == "none")
        #expect(fault("port a output usbAudio of x\nport b output hdmi of a").contains("give the device another"))
        #expect(fault("port a output usbAudio of box\nport b input usbAudio of box\nplugged box") == "none")
    }

    @Test func ports_haveASocketThatIsThere_andFewChannels() {
        #expect(fault("port a output headphones in jack of speaker") == "none")
        #expect(
            fault("port a output headphones in jack of nothing").contains("found \"nothing\"; possible here: speaker"))
        #expect(fault("port a output usbAudio channels 64") == "none")
        #expect(fault("port a output usbAudio channels 65").contains("65 channels; possible here: 1 to 64"))
        #expect(fault("at 1s plug a\nport a output usbAudio").contains("found \"a\""))
    }

    @Test func version_isTheFirstThingThatIsMissed() {
        for text in ["", "\n\n", "# nothing", "title x"] {
            let error = #expect(throws: SceneError.self) { try AudioScene(text: text) }
            #expect(error?.description.hasPrefix("line 1, column 1: a scene begins with its version") == true)
        }
        let nested = String(repeating: "{", count: 100_000)
        #expect(throws: SceneError.self) { try AudioScene(text: nested) }
    }

    @Test func windows_haveALength() {
        #expect(fault("expect player playing from 2s to 2s").contains("has no length; write the earlier time first"))
        #expect(fault("expect player playing from 2s to 1s").contains("from 2s to 1s has no length"))
        #expect(fault("expect player playing within 1s from 1s to 2s").contains("not both"))
        #expect(fault("expect player playing from 1s").contains("possible here: to"))
    }

    @Test func manyLines_areRefused() throws {
        var builder = SceneBuilder()
        let time = Fields(Phrase("<at:time>"), at: SourcePosition(line: 7, column: 4))
        let end = Fields(SceneGrammar.phrase("end", in: SceneGrammar.actions), at: .start)
        for number in 1...AudioScene.maximumLines { try builder.add(event: time, [end], number) }
        let error = #expect(throws: SceneError.self) { try builder.add(event: time, [end], 100_001) }
        #expect(error?.description == "line 7, column 4: a scene has at most 100000 lines")
    }

    // MARK: Coding

    @Test(arguments: 0..<20) func codedScene_isItsText(_ seed: UInt64) throws {
        var random = SceneRandom(seed: seed)
        let scene = random.scene()
        let data = try JSONEncoder().encode([scene])
        #expect(try JSONDecoder().decode([String].self, from: data) == [scene.text])
        #expect(try JSONDecoder().decode([AudioScene].self, from: data) == [scene])
    }

    @Test func codedTextThatIsNoScene_isADecodingError() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([AudioScene].self, from: Data("[\"scene 2\"]".utf8))
        }
    }
}
