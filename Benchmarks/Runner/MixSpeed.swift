import EngineCore

/// How long a cycle of many sources takes, beside a loop in C and beside SDL.
enum MixSpeed {
    private static let rounds = 200

    private enum Shape: String, CaseIterable {
        case mapped = "each to two outputs"
        case full = "each to all six"

        func matrix(_ sources: Int) -> [Float] {
            (0..<MixLane.outputs).flatMap { output in
                (0..<2 * sources).map { column -> Float in
                    let (source, channel) = (column / 2, column % 2)
                    switch self {
                    case .mapped: return output == 2 * (source % 3) + channel ? 0.5 : 0
                    case .full: return 1 / Float(1 + (column + output) % 5)
                    }
                }
            }
        }
    }

    static func measure(_ rounds: Rounds) throws -> Report {
        var report = Report(
            title: "mix: stereo sources on six outputs",
            comparison: """
                Nanoseconds a frame, one core, in turns. The C loop (clang -O2) takes each source apart, replaces what is \
                not finite, adds it to its outputs and finds the peak. Ours does the same, obeys the control side of each \
                source, and reads from rings. SDL 2 has an audio stream a source, from stereo to 5.1, mixed with \
                SDL_MixAudioFormat; ours has the matrix that SDL uses. A round is \(MixLane.roundFrames) frames; their \
                outputs are compared.
                """,
            columns: ["cycle", "N", "ours", "peer", "ours / peer", "ours, a source"])
        for shape in Shape.allCases {
            for (sources, frames) in [(32, 64), (8, 256), (16, 256), (32, 256), (64, 256), (32, 1024)] {
                let lane = MixLane(sources: sources, frames: frames, matrix: shape.matrix(sources))
                let name = "\(sources) sources, \(shape.rawValue), \(frames) frames: C"
                try measure(name, rounds, &report, lane) { round in
                    let time = lane.renderPeer()
                    if round == 1 { try lane.compare() }
                    return time
                }
            }
        }
        let gains = try StreamMixer.gains()
        for frames in [64, 256, 1024] {
            let matrix = gains.flatMap { row in (0..<32).flatMap { _ in row } }
            let lane = MixLane(sources: 32, frames: frames, matrix: matrix)
            let peer = try StreamMixer(sources: 32, frames: frames)
            try measure("32 sources, stereo to 5.1, \(frames) frames: SDL", rounds, &report, lane) { round in
                let time = try peer.render(lane)
                if round == 1 { try MixLane.compare(lane.rendered, peer.rendered, 32) }
                return time
            }
        }
        report.notes = [
            "At 48 kHz a frame lasts 20 833 ns.",
            "Wanted: within 1.3 of the C loop, no slower than SDL, and the same time a source for any number of them.",
            """
            In a short cycle with few outputs a source the difference is what each source costs whatever the cycle's \
            length: what the control side wants of it, its position, its clock, its end.
            """,
        ]
        return report
    }

    private static func measure(
        _ name: String, _ rounds: Rounds, _ report: inout Report, _ lane: MixLane, peer: (Int) throws -> Double
    ) throws {
        var (ours, theirs): ([Double], [Double]) = ([], [])
        // The first round is not counted: memory comes into being.
        try rounds.run(Self.rounds, of: name) { round in
            lane.refill()
            let own = lane.renderOurs()
            let other = try peer(round)
            if round > 1 {
                ours.append(own)
                theirs.append(other)
            }
        }
        let (own, other) = (Distribution(ours), Distribution(theirs))
        report.rows.append([
            name, "\(own.count)", own.median.text(2), other.median.text(2), (own.median / other.median).text(2),
            (own.median / Double(lane.sources)).text(3),
        ])
    }
}
