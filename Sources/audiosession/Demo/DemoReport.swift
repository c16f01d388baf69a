import AudioRuntime
import OpenAVFAudio

/// The result of a demo: a timeline, and a level strip of what each output played.
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
    var captures: [SimulatedMachineControls.Capture]

    /// Frames that the built-in speaker played; no script expects any.
    var speakerFrames: Int {
        captures.filter { $0.portType == "Speaker" }.reduce(0) { sum, recording in
            sum + recording.soundingFrames(in: 0..<recording.frameCount)
        }
    }

    /// The expectations that were not met, except those after a failure of the file.
    var unmet: [DemoScript.Expectation] {
        let end = entries.last?.time ?? begin
        return script.expectations.filter {
            begin + $0.to <= end + 0.001 && $0.isSilent == (soundingFrames($0.from, $0.to) > 0)
        }
    }

    enum Outcome: Hashable {
        /// The library behaved as the script expects.
        case passed
        case failed
        /// Playback ended before the script's event, so that nothing was shown.
        case ended
    }

    var outcome: Outcome {
        guard speakerFrames == 0, unmet.isEmpty else { return .failed }
        return entries.contains { $0.what == .action(script.disturbance.action) } ? .passed : .ended
    }

    /// Frames in which an output was not exactly silent, between these times of the script.
    private func soundingFrames(_ from: Double, _ to: Double) -> Int {
        captures.reduce(0) { sum, recording in
            let frames = [from, to].map { Int(((begin + $0) * recording.sampleRate).rounded()) }
            return sum + recording.soundingFrames(in: frames[0]..<frames[1])
        }
    }

    func lines(glyphs: Glyphs) -> [String] {
        let heading = [
            "Simulated host, virtual time: no audio output. All results below were measured in this run.",
            "File: \(file.printable)", "Route: \(startRoute.label)", "",
        ]
        let timeline = Table(
            header: ["TIME", "ACTION", "RESULT"],
            rows: entries.map { entry in
                let time = entry.time.fixed(3) + " s"
                return switch entry.what {
                case .action(let action): [time, action.text, ""]
                case .result(let text): [time, "", text]
                }
            })
        let conclusion = outcome == .passed ? ["", verdict] : []
        return heading + timeline.lines + [""] + strips(glyphs) + conclusion
    }

    /// The player's status as a line of the timeline.
    static func line(for status: FilePlayer.Status) -> String {
        let place = "at \(status.position.fixed(2)) s of the file"
        return switch status.state {
        case .ready: "player is ready"
        case .playing: "player plays \(place)"
        case .paused where status.cause == .user: "player pauses \(place)"
        case .paused where status.playWhenReady:
            "player pauses until it may resume (\(status.cause.rawValue)) \(place)"
        case .paused: "player pauses (\(status.cause.rawValue)) \(place)"
        case .finished: "player finished"
        case .failed: "player failed: \((status.message ?? "unknown reason").printable)"
        }
    }

    private func strips(_ glyphs: Glyphs) -> [String] {
        let shown = captures.map { recording in
            (portType: recording.portType, strip: LevelStrip(recording, secondsPerColumn: Self.secondsPerColumn))
        }.filter { $0.strip.soundingFrames > 0 || ["Speaker", "Headphones"].contains($0.portType) }
        let names = shown.map(\.portType)
        let width = max(10, names.map { DisplayWidth.columns(of: $0) }.max() ?? 0)
        let columns = shown.map(\.strip.levels.count).max() ?? 0
        let indent = String(repeating: " ", count: width + 2)
        let lines = zip(names, shown).map { name, item in
            let strip = DisplayWidth.padded(item.strip.levels.map(glyphs.level).joined(), to: columns)
            return "\(DisplayWidth.padded(name, to: width)) |\(strip)| \(item.strip.soundingFrames) frames played"
        }
        return [indent + Self.ruler(columns: columns)] + lines + [indent + marks]
    }

    /// "0 s       1 s       2 s": ten columns a second.
    private static func ruler(columns: Int) -> String {
        let perSecond = Int((1 / secondsPerColumn).rounded())
        return stride(from: 0, to: columns, by: perSecond).reduce(into: "") { line, column in
            line = DisplayWidth.padded(line, to: column) + "\(column / perSecond) s"
        }
    }

    /// The actions at their times; a mark that does not fit is left out.
    private var marks: String {
        entries.reduce(into: "") { line, entry in
            guard case .action(let action) = entry.what else { return }
            let column = Int((entry.time / Self.secondsPerColumn).rounded())
            guard column > line.count || line.isEmpty else { return }
            line = DisplayWidth.padded(line, to: column) + action.mark
        }
    }

    private var verdict: String {
        if speakerFrames > 0 {
            return "the speaker played \(speakerFrames) frames. Please report this with the timeline above."
        }
        let faults = unmet.map {
            "\($0.isSilent ? "sound" : "silence") between \($0.from.fixed(2)) and \($0.to.fixed(2)) s"
        }
        guard faults.isEmpty else {
            return "\(faults.joined(separator: ", ")). Please report this with the timeline above."
        }
        let disturbance = script.disturbance
        return outcome == .passed
            ? script.conclusion
            : "the demo did not get to \(disturbance.time.fixed(2)) s (\(disturbance.action.text)): playback ended "
                + "before that. Use another file."
    }

    /// The verdict as an error where there is nothing to conclude from.
    func check() throws(BackendError) {
        switch outcome {
        case .passed: return
        case .failed: throw BackendError(code: .program(.demoFailed), message: verdict)
        case .ended: throw BackendError(code: .program(.tooShort), message: verdict)
        }
    }
}

/// The level of a recording over time, one character per stretch of time.
///
/// Pure.
struct LevelStrip: Hashable, Sendable {
    /// Frames in which any channel is not exactly zero.
    var soundingFrames: Int
    var frames: Int
    /// The root mean square of each stretch, 0...1; the last stretch counts as complete.
    var levels: [Float]

    init(_ recording: SimulatedMachineControls.Capture, secondsPerColumn: Double) {
        let stretch = max(1, Int((recording.sampleRate * secondsPerColumn).rounded()))
        let count = recording.frameCount
        frames = count
        soundingFrames = recording.soundingFrames(in: 0..<count)
        levels = stride(from: 0, to: count, by: stretch).map { start in
            let end = min(start + stretch, count)
            let power = recording.channels.reduce(into: Float(0)) { sum, channel in
                for sample in channel[min(start, channel.count)..<min(end, channel.count)] where sample.isFinite {
                    sum += sample * sample
                }
            }
            return (power / Float(stretch * max(1, recording.channels.count))).squareRoot()
        }
    }
}

extension SimulatedMachineControls.Capture {
    fileprivate var portType: String { AVAudioSessionPortDescription(port).portType.rawValue }

    var frameCount: Int { channels.map(\.count).max() ?? 0 }

    /// Frames in which any channel is not exactly zero.
    func soundingFrames(in frames: Range<Int>) -> Int {
        frames.count { frame in channels.contains { frame < $0.count && $0[frame] != 0 } }
    }
}
