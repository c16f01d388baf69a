import EventSchema
import Foundation

/// A line of `--events json`, parsed as another program would parse it.
struct EventLine {
    let time: Double
    /// What happened, without times and places, so that histories can be compared: "player paused user song.wav".
    let summary: String
    /// Seconds into the file.
    let position: Double?

    init?(_ line: String) {
        guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
            let event = object["event"] as? String, let time = object["time"] as? Double
        else { return nil }
        self.time = time
        position = object["position"] as? Double
        func word(_ name: String) -> String { object[name] as? String ?? "?" }
        func file() -> String { word("file").split(separator: "/").last.map(String.init) ?? "" }
        func outputs(_ name: String) -> String {
            let route = object[name] as? [String: Any] ?? [:]
            return (route["outputs"] as? [[String: Any]] ?? []).map { $0["name"] as? String ?? "?" }
                .joined(separator: "+")
        }
        summary =
            switch event {
            case "started": "started on \(word("host")), \(outputs("currentRoute"))"
            case "player": "\(word("state")) (\(word("cause"))) \(file())"
            case "routeChange": "\(word("reason")): \(outputs("previousRoute")) -> \(outputs("currentRoute"))"
            case "interruption":
                word("type") == "began"
                    ? "interruption began (\(word("reason")))"
                    : "interruption ended, \(object["shouldResume"] as? Bool == true ? "resume" : "no resume")"
            case "secondaryAudioHint": "hint \(word("type"))s"
            case "mediaServices": "media services \(word("state"))"
            case "recorder": "recorder \(word("state")) (\(word("cause")))"
            case "deviceChosen":
                "deviceChosen: "
                    + (object["outputs"] as? [[String: Any]] ?? []).map { $0["name"] as? String ?? "?" }
                    .joined(separator: "+")
            case "error": "error \(word("code"))"
            default: event
            }
    }
}

extension ToolRun {
    /// The summaries of its events so far.
    var story: [String] { lines.map { EventLine($0)?.summary ?? "not an event: \($0)" } }

    /// Waits for an event with this summary.
    @discardableResult
    func wait(for summary: String, from start: Int = 0) throws -> Int {
        try wait(forLine: summary, from: start) { EventLine($0)?.summary == summary }
    }

    /// The faults of its lines against the documented schema, and of their times.
    func faults() throws -> [String] {
        let schema = try EventSchema()
        var faults = try lines.flatMap { line in try schema.faults(inLine: line).map { "\($0): \(line)" } }
        let times = lines.compactMap { EventLine($0)?.time }
        if times != times.sorted() { faults.append("times do not ascend: \(times)") }
        return faults
    }
}
