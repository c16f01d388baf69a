import AudioRuntime
import Foundation
import PipeWireRig
import SessionCore
import TestAudio

/// From the loss of the headphones to the first frame on the speaker, for a player that is told to continue.
enum ContinueLatency {
    private static let rounds = 100
    private static let fewRounds = 20

    private typealias Spans = [(from: UInt64, to: UInt64)]

    static func measure(_ rounds: Rounds) throws -> Report {
        try withTemporaryDirectory { directory in
            let music = try Stage.music(seconds: 300, in: directory)
            var report = Report(
                title: "continue-latency: the headphones go, the music plays on",
                comparison: """
                    Milliseconds from the call that destroys the headphones' sink: until the player renders on (its \
                    position, looked up every 0.1 ms), and until the speaker's meter hears a frame above -60 dBFS. The \
                    peer is pw-play, which the session manager moves.
                    """,
                columns: ["ms since the loss", "N", "median", "95 %", "max", "ours / peer"])
            let (ours, peer) = try PrivatePipeWire.withSpeaker { server, speaker in
                (
                    try continued(rounds, server, speaker, music),
                    try movedByManager(rounds, server, speaker, music)
                )
            }
            let asleep = try continuedOnSleepingSpeaker(rounds, music)
            report.rows = [
                ["ours, renders on; the speaker was suspended"] + asleep.cells + [""],
                ["ours, renders on; the speaker was running"] + ours.rendered.cells + [""],
                ["ours, on the speaker's meter"] + ours.heard.cells + [(ours.heard.median / peer.median).text(2)],
                ["peer: pw-play, on the speaker's meter"] + peer.cells + ["1"],
            ]
            report.notes = [
                "Wanted: within 50 ms.",
                """
                The meter's own delay is in its rows: the monitor of a sink that drives its graph comes one cycle late, \
                here 1024 frames or 21.3 ms.
                """,
                """
                A running speaker makes a stream wait for its next cycle; one that the session manager has suspended, \
                because no program used it for a while, begins a cycle at once. Real hardware takes time to open, and \
                then its ring's time to sound; neither is in these figures.
                """,
            ]
            return report
        }
    }

    private static func continued(
        _ rounds: Rounds, _ server: PrivatePipeWire, _ speaker: VirtualSink, _ music: String
    ) throws -> (rendered: Distribution, heard: Distribution) {
        let stage = try Stage(server: server, music: music, policy: StreamPolicy(onDeviceLoss: .continue))
        defer { stage.end() }
        try stage.player.play()
        var (rendered, heard): (Spans, Spans) = ([], [])
        try rounds.run(Self.rounds, of: "continuing") { _ in
            let headphones = try server.plugHeadphones()
            try stage.waitForRoute(to: "headphones")
            try headphones.meter.wait(loudFrames: 4800)
            try speaker.meter.wait(quietFrames: 4800)
            speaker.meter.mark()
            rendered.append(try untilRendering(stage, without: headphones))
            heard.append((rendered[rendered.count - 1].from, try firstFrame(on: speaker)))
            headphones.meter.stop()
            try server.waitUntilDefaultSink(is: "speaker")
        }
        return (Distribution(millisecondsOf: rendered), Distribution(millisecondsOf: heard))
    }

    /// Without a meter, which would keep the speaker awake.
    private static func continuedOnSleepingSpeaker(_ rounds: Rounds, _ music: String) throws -> Distribution {
        try PrivatePipeWire.withSpeaker(properties: ["session.suspend-timeout-seconds": "1"]) { server, speaker in
            speaker.meter.stop()
            let stage = try Stage(server: server, music: music, policy: StreamPolicy(onDeviceLoss: .continue))
            defer { stage.end() }
            try stage.player.play()
            var spans: Spans = []
            try rounds.run(Self.fewRounds, of: "continuing on a suspended speaker") { _ in
                let headphones = try server.plugHeadphones()
                try stage.waitForRoute(to: "headphones")
                // Twice the time after which the speaker is suspended.
                try headphones.meter.wait(loudFrames: 2 * 48_000)
                spans.append(try untilRendering(stage, without: headphones))
                headphones.meter.stop()
                try server.waitUntilDefaultSink(is: "speaker")
            }
            return Distribution(millisecondsOf: spans)
        }
    }

    private static func movedByManager(
        _ rounds: Rounds, _ server: PrivatePipeWire, _ speaker: VirtualSink, _ music: String
    ) throws -> Distribution {
        let peer = try ChildProgram.pwPlay(music, of: server)
        defer { peer.end() }
        var spans: Spans = []
        try rounds.run(Self.fewRounds, of: "pw-play") { _ in
            let headphones = try server.plugHeadphones()
            try headphones.meter.wait(loudFrames: 4800)
            try speaker.meter.wait(quietFrames: 4800)
            speaker.meter.mark()
            let start = headphones.destroy()
            spans.append((start, try firstFrame(on: speaker)))
            headphones.meter.stop()
            try server.waitUntilDefaultSink(is: "speaker")
        }
        return Distribution(millisecondsOf: spans)
    }

    /// Takes the headphones away, and returns when the player's position moves on.
    private static func untilRendering(
        _ stage: Stage, without headphones: VirtualSink
    ) throws -> (from: UInt64, to: UInt64) {
        stage.arm()
        let start = headphones.destroy()
        _ = try stage.silenced.wait(for: "the stream to be silenced")
        let position = stage.player.status.position
        while stage.player.status.position == position {
            guard Clock.nanoseconds < start + 10_000_000_000 else { throw Failure("The player did not go on in 10 s.") }
            usleep(100)
        }
        return (start, Clock.nanoseconds)
    }

    private static func firstFrame(on sink: VirtualSink) throws -> UInt64 {
        guard let heard = try sink.meter.wait(loudFrames: 4800).firstLoudAtNanoseconds else {
            throw Failure("The meter counted loud frames and has no time of the first.")
        }
        return heard
    }
}
