import Foundation
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
            let asleep = try continuedOnSleepingSpeaker(rounds, music)
            report.rows = [
                ["ours, told to continue"] + ours.cells + [(ours.median / peer.median).text(2)],
                ["ours, the speaker was suspended"] + asleep.cells + [""],
                ["peer: pw-play"] + peer.cells + ["1"],
            ]
            report.notes = [
                "Wanted: within 50 ms.",
                "The meter is part of the speaker's own cycle, so it adds no cycle of its own; it says in which cycle the "
                    + "frame was, and real hardware then takes its ring's time to sound.",
                "A speaker that nobody has used for a while is suspended by the session manager, and must be opened "
                    + "first. Its meter would keep it awake, so here the time is that of the cycle in which the player "
                    + "renders on, looked up every 0.1 ms; a null sink opens at once, real hardware takes longer.",
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

    /// Without a meter, which would keep the speaker awake: the player's position tells when it renders again.
    private static func continuedOnSleepingSpeaker(_ rounds: Rounds, _ music: String) throws -> Distribution {
        let server = try PrivatePipeWire.start()
        defer { server.stop() }
        let speaker = try server.makeSpeaker(properties: ["session.suspend-timeout-seconds": "1"])
        defer { speaker.destroy() }
        speaker.meter.stop()
        let stage = try Stage(server: server, music: music, policy: StreamPolicy(onDeviceLoss: .continue))
        defer { stage.end() }
        try stage.player.play()
        var spans: [(from: UInt64, to: UInt64)] = []
        try rounds.run(Self.rounds / 5, of: "continuing on a suspended speaker") { _ in
            let headphones = try server.plugHeadphones()
            try stage.waitForRoute(to: "headphones")
            try headphones.meter.wait(loudFrames: 2 * 48_000)
            stage.arm()
            let start = headphones.destroy()
            _ = try stage.silenced.wait(for: "the stream to be silenced")
            let position = stage.player.status.position
            while stage.player.status.position == position {
                guard Clock.nanoseconds < start + 10_000_000_000 else { throw Failure("The player did not go on.") }
                usleep(100)
            }
            spans.append((start, Clock.nanoseconds))
            headphones.meter.stop()
            try server.waitUntilDefaultSink(is: "speaker")
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
        headphones.meter.stop()
        try server.waitUntilDefaultSink(is: "speaker")
        return (start, heard)
    }
}
