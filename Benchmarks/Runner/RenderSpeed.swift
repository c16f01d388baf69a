import AudioModel
import CPeer
import CRealtime
import EngineCore

/// How long a cycle of the renderer takes, beside a loop in C that does the same to the same samples.
enum RenderSpeed {
    private static let rounds = 200

    static func measure(_ rounds: Rounds) throws -> Report {
        var report = Report(
            title: "render: one cycle of RenderCore",
            comparison: """
                Nanoseconds a frame, one core, in turns with one plain C loop (clang -O3) that takes the same interleaved \
                frames apart, replaces what is not finite, mixes, and finds the peak. Ours also obeys the control side, \
                keeps ramps, position and counts, and reads from a ring. A round is 1 s of audio; their outputs are \
                compared.
                """,
            columns: ["cycle", "N", "ours", "peer: C", "ours / peer"])
        for (name, channels) in [("stereo to stereo", 2), ("5.1 to stereo", 6)] {
            for frames in [64, 256, 1024] {
                let lane = RenderLane(channels: channels, frames: frames)
                var (ours, peer): ([Double], [Double]) = ([], [])
                try rounds.run(Self.rounds, of: "\(name), \(frames) frames") { round in
                    lane.refill()
                    ours.append(lane.renderOurs())
                    peer.append(lane.renderPeer())
                    if round == 1 { try lane.compare() }
                }
                let (own, other) = (Distribution(ours), Distribution(peer))
                report.rows.append([
                    "\(name), \(frames) frames", "\(own.count)", own.median.text(3), other.median.text(3),
                    (own.median / other.median).text(2),
                ])
            }
        }
        report.notes = [
            "10 ns a frame would be 0.05 % of a core at 48 kHz.",
            """
            The C loop does all in one pass for a shape that it knows beforehand; ours makes a pass for each step, for \
            any number of sources and channels.
            """,
        ]
        return report
    }
}
