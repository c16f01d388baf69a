import CPeer
import EffectCore

/// How long effects take, two of them beside loops in C.
enum EffectSpeed {
    private static let rounds = 200

    static func measure(_ rounds: Rounds) throws -> Report {
        var report = Report(
            title: "effects: stereo at 48 kHz",
            comparison: """
                Nanoseconds a frame, one core, in turns. The equalizer has ten peaks; the C loop (clang -O3) runs the same \
                ten filters as biquads, one after the other; their outputs are compared. The reverb is the medium hall; the \
                C loop is Freeverb. A round is a second of noise.
                """,
            columns: ["effect", "N", "ours", "peer: C", "ours / peer"])
        for frames in [64, 256, 1024] {
            try equalizer(frames, rounds, &report)
            try reverb(frames, rounds, &report)
        }
        for kind in [EffectKind.delay, .distortion, .dynamics, .peakLimiter, .lowPass] {
            let lane = EffectLane(EffectParameters(kind), frames: 256)
            var times: [Double] = []
            rounds.run(Self.rounds, of: kind.name) { round in
                let time = lane.render()
                if round > 1 { times.append(time) }
            }
            let own = Distribution(times)
            report.rows.append(["\(kind.name), 256 frames", "\(own.count)", own.median.text(2), "–", "–"])
        }
        report.notes = [
            "At 48 kHz a frame lasts 20 833 ns.", "Wanted: the equalizer within 1.2, the reverb within 1.5.",
        ]
        return report
    }

    private static func equalizer(_ frames: Int, _ rounds: Rounds, _ report: inout Report) throws {
        let frequencies = (0..<10).map { 31.25 * Float(1 << $0) }
        let gains = (0..<10).map { Float($0 % 3 - 1) * 6 }
        let parameters = EffectParameters(.equalizer, bands: 10)
        for band in 0..<10 {
            let address = UInt64(band)
            parameters.set([
                1000 + address: 0, 3000 + address: frequencies[band], 4000 + address: gains[band], 5000 + address: 1,
            ])
        }
        guard let peer = cpeer_equalizer_open(10, frequencies, gains, 1, 48_000) else {
            throw Failure("there is no memory for the filters of the C loop")
        }
        defer { cpeer_equalizer_close(peer) }
        try measure("ten-band equalizer, \(frames) frames", parameters, frames, rounds, &report) {
            cpeer_equalizer_run(peer, $0, $1, $2)
        }
    }

    private static func reverb(_ frames: Int, _ rounds: Rounds, _ report: inout Report) throws {
        let parameters = EffectParameters(.reverb)
        parameters.set(ReverbPreset.mediumHall.values)
        guard let peer = cpeer_freeverb_open() else { throw Failure("there is no memory for Freeverb") }
        defer { cpeer_freeverb_close(peer) }
        try measure("reverb, \(frames) frames", parameters, frames, rounds, &report) {
            cpeer_freeverb_run(peer, $0, $1, $2)
        }
    }

    private static func measure(
        _ name: String, _ parameters: EffectParameters, _ frames: Int, _ rounds: Rounds, _ report: inout Report,
        peer: (UnsafePointer<UnsafePointer<Float>>, UnsafePointer<UnsafeMutablePointer<Float>>, UInt32) -> Void
    ) throws {
        let lane = EffectLane(parameters, frames: frames)
        var (ours, theirs): ([Double], [Double]) = ([], [])
        // The first round is not counted: memory comes into being.
        try rounds.run(Self.rounds, of: name) { round in
            let own = lane.render()
            let sound = round == 1 && parameters.kind == .equalizer ? lane.rendered : []
            let other = lane.render(peer)
            if !sound.isEmpty { try compare(sound, lane.rendered) }
            guard round > 1 else { return }
            ours.append(own)
            theirs.append(other)
        }
        let (own, other) = (Distribution(ours), Distribution(theirs))
        report.rows.append([
            name, "\(own.count)", own.median.text(2), other.median.text(2), (own.median / other.median).text(2),
        ])
    }

    private static func compare(_ ours: [[Float]], _ theirs: [[Float]]) throws {
        for (a, b) in zip(ours.joined(), theirs.joined()) where abs(a - b) > 0.01 {
            throw Failure("the C loop gave \(b) where the equalizer gave \(a)")
        }
    }
}
