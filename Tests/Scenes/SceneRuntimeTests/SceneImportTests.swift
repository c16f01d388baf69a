import Foundation
import OpenAVFAudioTestKit
import SceneCore
import TestAudio
import TestSupport
import Testing

@testable import SceneRuntime

/// What a file is taken for by its beginning, and files that somebody else wrote.
@Suite struct SceneImportTests {
    private func fault(_ text: String) -> String? {
        do {
            _ = try SceneImport.scene(text)
            return nil
        } catch { return error.description }
    }

    @Test(arguments: ["{\"scene\": 1, \"lines\": []}", " \n{", "{}", "{\"lines\""])
    func json_isNoFormOfScenes(_ text: String) {
        #expect(
            fault(text)
                == "line 1, column 1: JSON is not a form of scenes; use lines of text: \"scene 1\", then one event a line "
                + "such as \"at 2s unplug headphones\"")
    }

    @Test func textBehindSpace_isAScene() throws {
        #expect(try SceneImport.scene("\n  scene 1\nat 1s end\n").duration == .init(seconds: 1))
        #expect(fault("scene 2") == "line 1, column 7: version 2 is not known; this library reads version 1")
    }

    // MARK: Traces

    @Test func lineThatIsNoneOfATrace_isNamed() throws {
        let head =
            "{\"trace\":{\"format\":\"open-avfaudio trace\",\"hasNames\":false,\"library\":\"1.0.0\","
            + "\"stability\":\"unstable\",\"version\":1}}\n"
        let message = "no line of a trace that this version of the library writes"
        for (text, line) in [
            (head + "\n{\"event\":", 3), (head + "scene 1\n", 2), (head + "{\"event\":{\"fact\":{}}}\n", 2),
            (head + "{\"event\":{\"fact\":{\"unknown\":{}},\"time\":{\"nanoseconds\":1}}}", 2), ("{\"trace\"", 1),
            (head + String(repeating: "[", count: 100_000), 2), (head + "\u{0}", 2),
        ] {
            #expect(fault(text) == "line \(line), column 1: \(message)")
        }
        #expect(try SceneImport.scene(head).lines.count == 1)
    }

    // MARK: Dumps

    /// As `pw-dump --monitor` prints them: a list for each update.
    private func dump(_ updates: [[[String: Any]]]) throws -> String {
        try updates.map { objects in
            let data = try JSONSerialization.data(withJSONObject: objects, options: [.sortedKeys])
            return String(decoding: data, as: UTF8.self) + "\n"
        }.joined()
    }

    private func node(_ id: Int, _ kind: String, _ props: [String: Any] = [:], state: String = "running") -> [String:
        Any]
    {
        let props = props.merging(["media.class": kind]) { first, _ in first }
        return ["id": id, "info": ["state": state, "props": props]]
    }

    @Test func dump_isAScene() throws {
        let sink = node(
            40, "Audio/Sink",
            ["node.name": "alsa_output.usb", "node.description": "A card", "device.bus": "usb", "audio.channels": 8])
        let program = node(60, "Stream/Output/Audio", ["application.name": "Browser", "media.role": "Movie"])
        let choice: [String: Any] = [
            "id": 30, "metadata": [["key": "default.audio.sink", "value": ["name": "alsa_output.usb"]]],
        ]
        let scene = try SceneImport.scene(
            try dump([
                [sink, node(41, "Audio/Source", ["node.name": "mic"])], [program], [choice], [choice],
                [node(60, "Stream/Output/Audio", state: "idle")], [["id": 40]],
            ]))
        #expect(
            scene.text.split(separator: "\n").map(String.init) == [
                "scene 1", "title \"A dump of PipeWire\"", "machine bare",
                "port alsa_output.usb output usbAudio called \"A card\" channels 8", "port mic input builtInMic",
                "plugged alsa_output.usb mic", "at 1s program \"Browser 60\" plays as Movie",
                "at 2s default output alsa_output.usb", "at 4s program \"Browser 60\" stops",
                "at 5s unplug alsa_output.usb", "at 6s end",
            ])
        #expect(try AudioScene(text: scene.text) == scene)
    }

    @Test func dump_thatIsNoListOfObjects_isNamedByItsLine() {
        for (text, line) in [
            ("[", 1), ("[1]", 1), ("[{}]\n[{]\n", 2), ("[]\n\n[\n{\"id\": 1,\n", 3), ("[{}]\u{0}", 1),
            (String(repeating: "[", count: 100_000), 1), ("[{\"id\":1e999}]", 1),
        ] {
            #expect(
                fault(text) == "line \(line), column 1: no list of objects as pw-dump prints it", "\(text.prefix(40))")
        }
    }

    @Test func dump_withValuesOfAnotherType_isReadWithoutThem() throws {
        let odd: [Any] = [NSNull(), "", 1e300, -1, true, [1], ["name": 7]]
        for value in odd {
            let objects: [[String: Any]] = [
                ["id": value], ["id": 1, "info": value], ["id": 2, "info": ["props": value]],
                ["id": 3, "metadata": value],
                ["id": 4, "metadata": [["key": "default.audio.sink", "value": value]]],
                node(5, "Audio/Sink", ["node.name": value]),
                node(6, "Audio/Sink", ["node.name": "a", "audio.channels": value]),
                node(7, "Stream/Output/Audio", ["application.name": value, "media.role": value]),
            ]
            let scene = try SceneImport.scene(try dump([objects, objects.reversed()]))
            #expect(scene.ports.allSatisfy { (1...64).contains($0.channels) })
            #expect(try AudioScene(text: scene.text) == scene, "\(scene.text)")
        }
    }

    @Test func dump_ofManyDevicesOrPrograms_isRefused() throws {
        func sinks(_ count: Int) throws -> String {
            try dump([(0..<count).map { node($0, "Audio/Sink", ["node.name": "sink \($0)"]) }])
        }
        func programs(_ count: Int) throws -> String {
            try dump([[]] + [(0..<count).map { node($0, "Stream/Output/Audio") }])
        }
        #expect(try fault(sinks(500)) == nil)
        #expect(try fault(programs(500)) == nil)
        let message = "a scene has at most 500 devices, and as many programs at a time"
        #expect(try fault(sinks(501)) == "line 1, column 1: \(message)")
        #expect(try fault(programs(501)) == "line 2, column 1: \(message)")
    }

    /// Whatever a file has, it ends with a scene or an error.
    @Test(arguments: 0..<100) func changedFile_isAScene_orHasAnError(_ seed: UInt64) throws {
        var random = Seeded(seed: seed)
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Support/GuestTraces")
        let trace = try Data(contentsOf: folder.appending(path: "trixie-jack.trace")).prefix(6000)
        let list = try dump([[node(1, "Audio/Sink", ["node.name": "a"])], [["id": 1]]])
        var bytes = Bool.random(using: &random) ? Array(trace) : Array(list.utf8)
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: place)
            default: bytes.insert(contentsOf: "[]{}\":,\n0".utf8.shuffled(using: &random).prefix(3), at: place)
            }
        }
        do {
            let scene = try SceneImport.scene(String(decoding: bytes, as: UTF8.self))
            #expect((try? AudioScene(text: scene.text)) == scene, "\(scene.text)")
        } catch {
            #expect(error.line > 0 && error.column > 0 && !error.message.isEmpty)
        }
    }

    @Test func file_isReadByWhatItHas_notByItsName() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("desk.json")
        try dump([[node(1, "Audio/Sink", ["node.name": "a"])]]).write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try AudioScene(contentsOfFile: path).plugged == ["a"])
        try "{\"scene\": 1}".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(throws: SceneError.self) { try AudioScene(contentsOfFile: path) }
    }
}
