import AudioModel
import AudioRuntime
import OpenAVFAudio

/// What the demonstration showed: a timeline, and a picture of what each output played.
///
/// Pure.
struct DemoReport {
    private static let secondsPerColumn = 0.1

    var file: String
    var script: DemoScript
    var startRoute: RouteFacts
    /// The virtual time of the script's start.
    var begin: Double
    var entries: [DemoRun.Entry]
    var recordings: [PortRecording]

    /// Frames that reached the built-in speaker, which the script never asked for.
    var speakerFrames: Int {
        recordings.filter { $0.port.portType == "Speaker" }.reduce(0) { sum, recording in
            sum + LevelStrip(recording, secondsPerColumn: Self.secondsPerColumn).soundingFrames
        }
    }

    /// What the script expects and the outputs did not do; expectations that the file was too short for do not count.
    var unmet: [DemoScript.Expectation] {
        let end = entries.last?.time ?? begin
        return script.expectations.filter { expectation in
            switch expectation {
            case .silent(let from, let to): begin + to <= end + 0.001 && soundingFrames(from, to) > 0
            case .sounding(let from, let to): begin + to <= end + 0.001 && soundingFrames(from, to) == 0
            }
        }
    }

    /// The promises that this program is about.
    var isKept: Bool { speakerFrames == 0 && unmet.isEmpty }

    /// Frames in which an output was not exactly silent, between these times of the script.
    private func soundingFrames(_ from: Double, _ to: Double) -> Int {
        recordings.reduce(0) { sum, recording in
            let frames = [from, to].map { Int(((begin + $0) * recording.sampleRate).rounded()) }
            return sum
                + (frames[0]..<frames[1]).count { frame in
                    recording.channels.contains { frame < $0.count && $0[frame] != 0 }
                }
        }
    }

    func lines(glyphs: Glyphs) -> [String] {
        let heading = [
            "Simulated host, virtual time: no sound comes out. Nothing below is canned; it is what the library did.",
            "File: \(file.printable)", "Route: \(startRoute.label)", "",
        ]
        let timeline = Table(
            header: ["TIME", "WHAT PEOPLE DO", "WHAT THE LIBRARY DOES"],
            rows: entries.map { entry in
                let time = entry.time.fixed(3) + " s"
                return switch entry.what {
                case .done(let action): [time, action.text, ""]
                case .happened(let text): [time, "", text]
                }
            })
        return heading + timeline.lines + [""] + picture(glyphs) + ["", verdict]
    }

    /// The player's change as a line of the timeline.
    static func line(for status: FilePlayer.Status) -> String {
        let place = status.position.fixed(2) + " s into the file"
        return switch status.state {
        case .ready: "player is ready"
        case .playing: "player plays, \(place)"
        case .paused where status.cause == .user: "player pauses, \(place)"
        case .paused where status.playWhenReady: "player is silent for now (\(status.cause.rawValue)), \(place)"
        case .paused: "player pauses (\(status.cause.rawValue)), \(place)"
        case .finished: "player has finished"
        case .failed: "player failed: \((status.message ?? "no reason was given").printable)"
        }
    }

    private func picture(_ glyphs: Glyphs) -> [String] {
        let shown = recordings.map { recording in
            (port: recording.port, strip: LevelStrip(recording, secondsPerColumn: Self.secondsPerColumn))
        }.filter { $0.strip.soundingFrames > 0 || ["Speaker", "Headphones"].contains($0.port.portType) }
        let names = shown.map { $0.port.portType.printable }
        let width = max(10, names.map { DisplayWidth.columns(of: $0) }.max() ?? 0)
        let columns = shown.map(\.strip.levels.count).max() ?? 0
        let indent = String(repeating: " ", count: width + 2)
        let strips = zip(names, shown).map { name, item in
            let strip = DisplayWidth.padded(item.strip.text(marks: glyphs.levels), to: columns)
            return "\(DisplayWidth.padded(name, to: width)) |\(strip)| \(item.strip.soundingFrames) frames sounded"
        }
        return [indent + Self.ruler(columns: columns)] + strips + [indent + marks]
    }

    /// "0 s       1 s       2 s": ten columns a second.
    private static func ruler(columns: Int) -> String {
        let perSecond = Int((1 / secondsPerColumn).rounded())
        return stride(from: 0, to: columns, by: perSecond).reduce(into: "") { line, column in
            line = DisplayWidth.padded(line, to: column) + "\(column / perSecond) s"
        }
    }

    /// What people did, under the moment when they did it; a mark without room is left out.
    private var marks: String {
        entries.reduce(into: "") { line, entry in
            guard case .done(let action) = entry.what else { return }
            let column = Int((entry.time / Self.secondsPerColumn).rounded())
            guard column > line.count || line.isEmpty else { return }
            line = DisplayWidth.padded(line, to: column) + action.mark
        }
    }

    private var verdict: String {
        if speakerFrames > 0 {
            return "BROKEN PROMISE: the speaker played \(speakerFrames) frames. "
                + "Please report this with the timeline above."
        }
        let faults = unmet.map { expectation in
            switch expectation {
            case .silent(let from, let to): "sound between \(from.fixed(2)) and \(to.fixed(2)) s"
            case .sounding(let from, let to): "silence between \(from.fixed(2)) and \(to.fixed(2)) s"
            }
        }
        guard faults.isEmpty else {
            return "BROKEN PROMISE: \(faults.joined(separator: ", ")). Please report this with the timeline above."
        }
        let disturbance = script.disturbance
        return entries.contains { $0.what == .done(disturbance.action) }
            ? script.promise
            : "Nothing was shown: \(disturbance.action.text) at \(disturbance.time.fixed(2)) s, and the music was over "
                + "before that. Take another file, of 7 s or more."
    }
}
