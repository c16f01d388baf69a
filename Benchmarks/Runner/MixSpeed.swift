import EngineCore

/// How long a cycle of many sources takes, beside a loop in C and beside SDL.
enum MixSpeed {
    private static let rounds = 200
    private static let shapes: [(sources: Int, frames: Int)] =
        [64, 256].flatMap { frames in [8, 16, 32, 64].map { (sources: $0, frames: frames) } } + [(32, 1024)]

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
                Nanoseconds a frame, one core, in turns. The C loop (clang -O3) takes each source apart, replaces what is \
                not finite, adds it to its outputs and finds the peak. Ours does the same, obeys the control side of each \
                source, and reads from rings; each reads what was just written. SDL 2 has an audio stream a source, from stereo to 5.1, mixed with \
                SDL_MixAudioFormat; ours has the matrix that SDL uses. A round is \(MixLane.roundFrames) frames; their \
                outputs are compared.
                """,
            columns: ["cycle", "N", "ours", "peer", "ours / peer", "ours, a source"])
        for shape in Shape.allCases {
            var times: [Double] = []
            for (sources, frames) in shapes {
                let lane = MixLane(sources: sources, frames: frames, matrix: shape.matrix(sources))
                let name = "\(sources) sources, \(shape.rawValue), \(frames) frames: C"
                let time = try measure(name, rounds, &report, lane) { round in
                    let time = lane.renderPeer()
                    if round == 1 { try lane.compare() }
                    return time
                }
                times.append(time / Double(sources))
            }
            report.notes.append(linearity(shape, times))
        }
        let gains = try StreamMixer.gains()
        for frames in [64, 256, 1024] {
            let matrix = gains.flatMap { row in (0..<32).flatMap { _ in row } }
            let lane = MixLane(sources: 32, frames: frames, matrix: matrix)
            let peer = try StreamMixer(sources: 32, frames: frames)
            _ = try measure("32 sources, stereo to 5.1, \(frames) frames: SDL", rounds, &report, lane) { round in
                let time = try peer.render(lane)
                if round == 1 { try MixLane.compare(lane.rendered, peer.rendered, 32) }
                return time
            }
        }
        report.notes += [
            "At 48 kHz a frame lasts 20 833 ns.",
            "Wanted: within 1.3 of the C loop, no slower than SDL, and the same time a source for any number of them.",
            """
            In a short cycle with few outputs a source the difference is what each source costs whatever the cycle's \
            length: whether something is wanted of it, its ring, its position, its clock, its end.
            """,
        ]
        return report
    }

    /// How evenly the time of a cycle grows with sources and frames.
    private static func linearity(_ shape: Shape, _ times: [Double]) -> String {
        func spread(_ isMeant: (Int) -> Bool) -> String {
            let costs = zip(shapes, times).filter { isMeant($0.0.frames) }.map { $0.1 }
            return ((costs.max() ?? .nan) / (costs.min() ?? .nan)).text(2)
        }
        return """
            Linearity, \(shape.rawValue): from 8 sources to 64 a source's frame costs the same within \(spread { $0 == 64 }) \
            in cycles of 64 frames, within \(spread { $0 == 256 }) in those of 256, and within \(spread { $0 <= 256 }) in \
            either. It is dearest with few sources in short cycles: they share what the outputs cost.
            """
    }

    /// Appends a row, and returns nanoseconds a frame of ours.
    private static func measure(
        _ name: String, _ rounds: Rounds, _ report: inout Report, _ lane: MixLane, peer: (Int) throws -> Double
    ) throws -> Double {
        var (ours, theirs): ([Double], [Double]) = ([], [])
        // The first round is not counted: memory comes into being.
        try rounds.run(Self.rounds, of: name) { round in
            lane.refill()
            let own = lane.renderOurs()
            lane.refillPeer()
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
        return own.median
    }
}
