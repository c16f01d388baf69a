import Foundation
import FoundationXML
import Testing

@testable import SceneCore

@Suite struct ScenePictureTests {
    /// A history that says everything, with names that try to be markup.
    private func history(minutes: Int = 1) -> SceneHistory {
        let hostile = "<script>alert(1)</script>\u{202E}\"'&\u{1}"
        var lines: [AudioScene.Line] = []
        var entries: [SceneHistory.Entry] = []
        for second in 0..<(minutes * 60) {
            let time = AudioScene.Time(seconds: Double(second))
            let action: AudioScene.Action = second % 2 == 0 ? .programPlays(hostile, role: nil) : .programStops(hostile)
            lines.append(.init(.event(time, [action]), number: second + 1))
            entries.append(.init(time, .event([action])))
            entries.append(
                .init(
                    time,
                    .player(number: 1, isRecorder: false, second % 2 == 0 ? .playing : .paused, .otherApp(hostile))))
        }
        lines.append(
            .init(
                .expectation(.init(.silent("speaker", channel: nil), .during(.zero, .init(seconds: 1)))), number: 9999))
        var sound = OutputSound(name: "speaker", rate: 1000, channelCount: 1)
        let piece = (0..<1000).map { Float(($0 &* 37) % 100) / 100 }
        for second in stride(from: 0, to: minutes * 60, by: 2) { sound.add([piece], offset: 0, from: second * 1000) }
        return SceneHistory(
            scene: AudioScene(title: hostile, link: "javascript:alert(1)", lines: lines),
            duration: .init(seconds: Double(minutes * 60)), entries: entries, sounds: [sound], objections: [hostile])
    }

    @Test func svg_isXMLWhateverTheNamesAre() throws {
        let parser = XMLParser(data: Data(ScenePicture(history()).svg.utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError)) at line \(parser.lineNumber)")
    }

    @Test func page_runsNoScriptOfAScene_andLoadsNothing() {
        let page = ScenePicture(history()).html
        #expect(!page.contains("<script>alert"))
        #expect(!page.contains("href=\"javascript"))
        let loads = ["src=", "@import", "url(", "fetch(", "XMLHttpRequest"]
        for load in loads { #expect(!page.contains(load), "\(load)") }
        #expect(page.contains("not as expected") || page.contains("Not as expected"))
    }

    @Test func lane_ofTheApp_hasWhatItCouldNotDo() throws {
        let history = SceneHistory(
            scene: AudioScene(), duration: .init(seconds: 4),
            entries: [
                .init(.init(seconds: 1), .appFailed("no file")), .init(.init(seconds: 3), .mistake("a stale tap")),
            ], sounds: [], objections: [])
        let lane = try #require(ScenePicture(history).lanes.first { $0.name == "app" })
        #expect(lane.segments.map(\.label) == ["the app could not: no file", "a stale tap"])
        #expect(lane.segments.map(\.start.seconds) == [1, 3] && lane.segments.allSatisfy { $0.style == .unmet })
    }

    @Test func page_ofAnHour_isSmall() {
        let page = ScenePicture(history(minutes: 60)).html
        #expect(page.utf8.count < 2_000_000)
    }

    @Test func lane_withTooMuch_saysHowMuchIsNotDrawn() throws {
        let lane = try #require(ScenePicture(history(minutes: 60)).lanes.first)
        let last = try #require(lane.segments.last)
        #expect(lane.name == "what happens" && lane.segments.count == ScenePicture.maximumEvents + 1)
        #expect(last.label == "2800 more, too many to draw")
        #expect(last.start.seconds == 800 && last.end.seconds == 3600)
    }

    @Test func json_isJSON_andHasNothingThatATerminalObeys() throws {
        let json = history().json
        for line in json.split(separator: "\n") { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        #expect(!json.unicodeScalars.contains { $0 != "\n" && TextWriter.isInvisible($0) })
    }

    @Test func expectations_thatOverlap_areBelowEachOther() throws {
        let scene = try AudioScene(
            text: """
                scene 1
                expect speaker silent from 0s to 2s
                expect headphones silent from 1s to 3s
                at 4s end
                """)
        let history = SceneHistory(
            scene: scene, duration: .init(seconds: 4), entries: [], sounds: [], objections: [])
        let lanes = ScenePicture(history).lanes
        #expect(lanes.map(\.name) == ["expected", ""])
        #expect(lanes.map { $0.segments.map(\.start.seconds) } == [[0], [1]])
        #expect(history.verdict == "All 2 expectations were met.")
    }

    @Test func sound_isMeasuredByItsFrames() {
        var sound = OutputSound(name: "speaker", rate: 48000, channelCount: 2)
        let loud = [Float](repeating: 0.5, count: 4800)
        sound.add([[Float](repeating: 0, count: 4800), loud], offset: 0, from: 48000)
        #expect(sound.frames == 4800)
        #expect(sound.firstSound(from: .zero, to: .init(seconds: 1)) == nil)
        #expect(sound.firstSound(from: .zero, to: .init(seconds: 2)) == .init(seconds: 1))
        #expect(sound.firstSound(from: .zero, to: .init(seconds: 2), channel: 1) == nil)
        // One of two channels at 0.5: -6.02 dB, and 3.01 dB less for the silent one.
        #expect(abs(sound.decibels(from: .init(seconds: 1), to: .init(seconds: 1.1)) + 9.03) < 0.01)
    }
}
