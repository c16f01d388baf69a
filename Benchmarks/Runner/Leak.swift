import PipeWireRig
import TestAudio

/// How much of the music the rest of the room hears when the headphones go.
enum Leak {
    private static let rounds = 5
    private static let listeningSeconds = 3

    static func measure(_ rounds: Rounds) throws -> Report {
        try withTemporaryDirectory { directory in
            let music = try Stage.music(seconds: 60, in: directory)
            return try PrivatePipeWire.withSpeaker { server, speaker in
                var ours: [Int] = []
                var peers: [Int] = []
                try rounds.run(Self.rounds, of: "unplugs") { _ in
                    ours.append(try leak(server, speaker) { try .audioSession(music, of: server) })
                    peers.append(try leak(server, speaker) { try .pwPlay(music, of: server) })
                }
                var report = Report(
                    title: "leak: what the speaker plays after the headphones have gone",
                    comparison: """
                        Frames above -60 dBFS on the speaker in the \(listeningSeconds) s after the headphones' sink was \
                        destroyed, of \(listeningSeconds * 48_000); one program at a time, in turns, on the same server.
                        """,
                    columns: ["frames on the speaker", "N", "median", "max", "ours / peer"])
                let (own, other) = (Distribution(ours.map(Double.init)), Distribution(peers.map(Double.init)))
                report.rows = [
                    [
                        "audiosession play", "\(own.count)", own.median.text(0), own.max.text(0),
                        (own.median / other.median).text(2),
                    ],
                    ["peer: pw-play", "\(other.count)", other.median.text(0), other.max.text(0), "1"],
                ]
                return report
            }
        }
    }

    private static func leak(
        _ server: PrivatePipeWire, _ speaker: VirtualSink, _ program: () throws -> ChildProgram
    ) throws -> Int {
        let headphones = try server.plugHeadphones()
        let child = try program()
        defer { child.end() }
        try headphones.meter.wait(loudFrames: 24_000)
        speaker.meter.mark()
        headphones.destroy()
        let heard = try speaker.meter.wait(frames: listeningSeconds * 48_000)
        guard heard.missedFrames == 0 else {
            throw Failure("The speaker's meter missed \(heard.missedFrames) frames; run it on a quieter machine.")
        }
        headphones.meter.stop()
        try server.waitUntilDefaultSink(is: "speaker")
        return heard.loudFrames
    }
}
