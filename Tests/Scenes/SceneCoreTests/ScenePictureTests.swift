import Foundation
import FoundationXML
import TestSupport
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

    @Test func manyChanges_areOneBarWithTheirNumber() throws {
        let lane = try #require(ScenePicture(history(minutes: 60)).lanes.first)
        let bar = try #require(lane.segments.first)
        #expect(lane.name == "what happens" && lane.segments.count == 1)
        #expect(bar.style == .many && bar.label.hasPrefix("3600 changes in 3600s: program "))
        #expect(bar.start == .zero && bar.end.seconds == 3600)
        // A minute of changes, each of which can be seen.
        #expect(try #require(ScenePicture(history(minutes: 1)).lanes.first).segments.count == 1)
    }

    // MARK: Labels

    private typealias Segment = ScenePicture.Lane.Segment

    /// Segments of any lengths in a scene of 10 s.
    private func segments(_ seed: UInt64) -> [Segment] {
        var random = Seeded(seed: seed)
        let times = (0..<Int.random(in: 1...30, using: &random)).map { _ in
            AudioScene.Time(microseconds: Int.random(in: 0..<10_000_000, using: &random))
        }.sorted()
        return zip(times.indices, zip(times, times.dropFirst() + [.init(seconds: 10)])).map { index, time in
            let words = (0..<Int.random(in: 1...30, using: &random)).map { _ in
                String(repeating: "w", count: Int.random(in: 1...12, using: &random))
            }
            // No label is part of another one.
            let label = "<\(index) \(words.joined(separator: " "))>"
            return Segment(start: time.0, end: time.1, style: .event, label: label)
        }
    }

    /// Each label is whole, in its bar or below it, and none is over another in the narrowest picture.
    @Test(arguments: 0..<100) func labels_areWhole_andApart(_ seed: UInt64) {
        let segments = segments(seed)
        let labels = LaneLabels(segments, seconds: 10)
        let below = segments.indices.filter { !labels.inside.contains($0) }
        for index in labels.inside {
            let length = (segments[index].end.seconds - segments[index].start.seconds) / 10 * LaneLabels.narrowest
            #expect(LaneLabels.width(segments[index].label) < length)
        }
        let shown = labels.lines.filter { !$0.text.hasPrefix("and ") }.map(\.text).joined(separator: " ")
        let whole = below.filter { shown.contains(segments[$0].label) }.count
        let counted = labels.lines.last.map { $0.text.hasPrefix("and ") ? $0.text : "" } ?? ""
        #expect(whole == below.count || counted == "and \(below.count - whole) more")
        for (_, lines) in Dictionary(grouping: labels.lines, by: \.row) {
            var end = -1.0
            for line in lines {
                let width = LaneLabels.width(line.text)
                let start = line.start.seconds / 10 * LaneLabels.narrowest
                let x = line.endsAtEdge ? LaneLabels.narrowest - width : start
                #expect(x >= end && x >= 0 && x + width <= LaneLabels.narrowest, "\(line)")
                end = x + width
            }
        }
    }

    @Test func longText_isBrokenBetweenWords_andALongWordAnywhere() {
        let words = Array(repeating: "seventeen letters", count: 12).joined(separator: " ")
        let pieces = LaneLabels.pieces(of: words)
        #expect(pieces.count > 1 && pieces.joined(separator: " ") == words)
        let word = String(repeating: "字", count: 200)
        let parts = LaneLabels.pieces(of: word)
        #expect(parts.joined() == word && parts.allSatisfy { LaneLabels.width($0) <= LaneLabels.narrowest })
    }

    // MARK: What a file of its own says

    @Test func svg_saysItsTitle_whatWasNotMet_andWhereItComesFrom() throws {
        let scene = try AudioScene(
            text: "scene 1\ntitle \"A song\"\nat 0s player plays\nexpect player playing within 1s\nat 4s end\n")
        let sounds = ["speaker", "receiver"].map { OutputSound(name: $0, rate: 1000, channelCount: 1) }
        let history = SceneHistory(
            scene: scene, duration: .init(seconds: 4),
            entries: [.init(.init(seconds: 2), .player(number: 1, isRecorder: false, .playing, .none))], sounds: sounds,
            objections: [])
        let svg = ScenePicture(history, caption: "song.scene, audiosession 1.0.0").svg
        let failure = try #require(history.failures.first)
        #expect(svg.contains(">A song</text>") && svg.contains(">song.scene, audiosession 1.0.0</text>"))
        #expect(svg.contains(">✗ \(failure)</text>") && svg.contains("class=\"unmet-line\""))
        // Outputs that never sounded take one line.
        #expect(svg.contains(">silent all the time: speaker, receiver</text>"))
        // Not every viewer of SVG knows variables.
        #expect(!svg.contains("var("))
        #expect(ScenePicture(history).reasons.isEmpty)
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
