import Foundation
import PipeWireRig
import TestAudio

/// What playing an AAC file and a FLAC file of two hours takes, beside mpv and pw-play.
enum FileFootprint {
    private static let rounds = 5

    private typealias Program = (_ file: String, _ server: PrivatePipeWire) throws -> ChildProgram

    static func measure(_ rounds: Rounds) throws -> Report {
        try withTemporaryDirectory { directory in
            try PrivatePipeWire.withSpeaker { server, speaker in
                var report = Report(
                    title: "file-footprint: playing AAC and two hours of FLAC",
                    comparison: """
                        `audiosession play`, built by dev/make release, `mpv` (no video, no configuration, its PipeWire \
                        output) and, for FLAC, `pw-play`, in turns on the same server; medians. Both files are of 2 h, stereo, \
                        48 kHz. Start, memory and processor as in footprint.
                        """,
                    columns: ["", "N", "ours", "mpv", "pw-play"])
                let all: [Program] = [ChildProgram.audioSession, ChildProgram.mpv, ChildProgram.pwPlay]
                for (name, file, programs) in [
                    ("M4A", try file("aac", "m4a", in: directory), Array(all.prefix(2))),
                    ("FLAC", try file("flac", "flac", in: directory), all),
                ] {
                    var samples = programs.map { _ in Footprint.Samples() }
                    try rounds.run(Self.rounds, of: name) { round in
                        for index in programs.indices {
                            let turn = (index + round) % programs.count
                            try Footprint.play(server, speaker, &samples[turn]) { try programs[turn](file, server) }
                        }
                    }
                    func row(_ text: String, _ unit: String, _ digits: Int, _ values: (Footprint.Samples) -> [Double]) {
                        let cells = samples.map { "\(Distribution(values($0)).median.text(digits)) \(unit)" }
                        report.rows.append(
                            ["\(name): \(text)", "\(values(samples[0]).count)"] + cells
                                + [String](repeating: "–", count: 3 - cells.count))
                    }
                    row("start to first frame", "ms", 0) { $0.milliseconds }
                    row("peak memory", "MB", 1) { $0.megabytes }
                    row("proportional memory", "MB", 1) { $0.proportionalMegabytes }
                    row("own memory", "MB", 1) { $0.ownMegabytes }
                    row("processor", "%", 2) { $0.processorShare.map { $0 * 100 } }
                }
                report.notes = [
                    "Wanted: at or below the better of both in processor, and at most half of mpv's memory.",
                    "pw-play does not play AAC.",
                ]
                return report
            }
        }
    }

    private static func file(_ codec: String, _ ending: String, in directory: TemporaryDirectory) throws -> String {
        let path = directory.path("long.\(ending)")
        let process = Process()
        process.executableURL = URL(filePath: EncodedFile.encoder)
        process.arguments = [
            "-v", "error", "-nostdin", "-f", "lavfi", "-i", "sine=frequency=1000:sample_rate=48000:duration=7200",
            "-ac",
            "2", "-c:a", codec, path,
        ]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure("ffmpeg could not make \(path).") }
        return path
    }
}
