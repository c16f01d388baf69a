import PipeWireRig
import SessionCore
import TestAudio

/// From the loss of the headphones to the first frame on the speaker, for a player that is told to continue.
enum ContinueLatency {
    private static let rounds = 100

    static func measure(_ rounds: Rounds) throws -> Report {
        try withTemporaryDirectory { directory in
            let music = try Stage.music(seconds: 300, in: directory)
            let server = try PrivatePipeWire.start()
            defer { server.stop() }
            let speaker = try server.makeSpeaker()
            defer { speaker.destroy() }
            var report = Report(
                title: "continue-latency: the headphones go, the music plays on",
                comparison: """
                    Milliseconds from the call that destroys the headphones' sink to the cycle in which the speaker's \
                    meter hears the first frame above -60 dBFS. The peer is pw-play, which the session manager moves.
                    """,
                columns: ["ms to the first frame", "N", "median", "95 %", "max", "ours / peer"])
            let ours = try continued(rounds, server, speaker, music)
            let peer = try movedByManager(rounds, server, speaker, music)
            report.rows = [
                ["ours, told to continue"] + ours.cells + [(ours.median / peer.median).text(2)],
                ["peer: pw-play"] + peer.cells + ["1"],
            ]
            report.notes = [
                "Wanted: within 50 ms.",
                "The meter is part of the speaker's own cycle, so it adds no cycle of its own; it says in which cycle the "
                    + "frame was, and real hardware then takes its ring's time to sound.",
            ]
            return report
        }
    }

    private static func continued(
        _ rounds: Rounds, _ server: PrivatePipeWire, _ speaker: VirtualSink, _ music: String
    ) throws -> Distribution {
        let stage = try Stage(server: server, music: music, policy: StreamPolicy(onDeviceLoss: .continue))
        defer { stage.end() }
        try stage.player.play()
        var spans: [(from: UInt64, to: UInt64)] = []
        try rounds.run(Self.rounds, of: "continuing") { _ in
            let headphones = try server.plugHeadphones()
            try stage.waitForRoute(to: "headphones")
            spans.append(try unplug(headphones, heardOn: speaker, server))
        }
        return Distribution(millisecondsOf: spans)
    }

    private static func movedByManager(
        _ rounds: Rounds, _ server: PrivatePipeWire, _ speaker: VirtualSink, _ music: String
    ) throws -> Distribution {
        let peer = try ChildProgram("pw-play", [music], of: server)
        defer { peer.end() }
        var spans: [(from: UInt64, to: UInt64)] = []
        try rounds.run(Self.rounds / 5, of: "pw-play") { _ in
            spans.append(try unplug(try server.plugHeadphones(), heardOn: speaker, server))
        }
        return Distribution(millisecondsOf: spans)
    }

    private static func unplug(
        _ headphones: VirtualSink, heardOn speaker: VirtualSink, _ server: PrivatePipeWire
    ) throws -> (from: UInt64, to: UInt64) {
        try headphones.meter.wait(loudFrames: 4800)
        try speaker.meter.wait(quietFrames: 4800)
        speaker.meter.mark()
        let start = headphones.destroy()
        guard let heard = try speaker.meter.wait(loudFrames: 4800).firstLoudAtNanoseconds else {
            throw Failure("The speaker's meter counted loud frames and has no time of the first.")
        }
        try server.waitUntilDefaultSink(is: "speaker")
        return (start, heard)
    }
}
