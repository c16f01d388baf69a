import Foundation
import PipeWireRig
import TestAudio

/// What playing a two-hour file takes: time to the first sound, memory, processor.
///
/// Ours is the program that `dev/make release` makes.
enum Footprint {
    private static let rounds = 5
    private static let playingSeconds = 10
    private static let processorLimit = 1.0
    private static let memoryLimit = 2.0

    struct Samples {
        var milliseconds: [Double] = []
        var megabytes: [Double] = []
        var ownMegabytes: [Double] = []
        var proportionalMegabytes: [Double] = []
        var processorShare: [Double] = []
        /// To the `playing` event; only ours has one.
        var playingMilliseconds: [Double] = []
    }

    static func measure(_ rounds: Rounds) throws -> Report {
        try withTemporaryDirectory { directory in
            try PrivatePipeWire.withSpeaker { server, speaker in
                var report = Report(
                    title: "footprint: playing a file of two hours",
                    comparison: """
                        `audiosession play`, built by dev/make release, and `pw-play` in turns on the same server; each is \
                        first in every other pair. They play a WAV file of 2 h (16 bit, stereo) at the graph's rate, and one \
                        that must be converted. The columns are medians; the last one is the median of the ratios pair by \
                        pair. From the start of the program to the first frame on the speaker. After \(playingSeconds) s of \
                        playing: the greatest resident size (VmHWM), what is resident with shared pages divided by their \
                        users (PSS), and what no other program can share (RssAnon). Processor time of all threads in these \
                        \(playingSeconds) s.
                        """,
                    columns: ["", "N", "ours", "peer: pw-play", "ours / peer"])
                var (memory, processor) = (0.0, 0.0)
                for rate in [48_000, 44_100] {
                    let file = try longFile(rate: rate, in: directory)
                    var (ours, peer) = (Samples(), Samples())
                    try rounds.run(Self.rounds, of: "\(rate) Hz") { round in
                        let isOursFirst = !round.isMultiple(of: 2)
                        if isOursFirst { try play(server, speaker, &ours) { try .audioSession(file, of: server) } }
                        try play(server, speaker, &peer) { try .pwPlay(file, of: server) }
                        if !isOursFirst { try play(server, speaker, &ours) { try .audioSession(file, of: server) } }
                    }
                    memory = max(memory, ratio(ours.megabytes, peer.megabytes))
                    processor = max(processor, ratio(ours.processorShare, peer.processorShare))
                    report.rows += rows("\(rate) Hz", ours, peer)
                }
                report.notes = [
                    """
                    Wanted: at most \(processorLimit.text(1)) times pw-play's processor time and at most \
                    \(memoryLimit.text(1)) times its peak memory. The greatest ratios were \(processor.text(2)) and \
                    \(memory.text(2)). docs/decisions/0016-small-at-run-time.md says what the memory is.
                    """,
                    "The first frame is that of the speaker's meter, which hears it one cycle (21.3 ms) late in both.",
                    "At 44 100 Hz ours converts with libsoxr at its high quality, the peer with PipeWire's own resampler.",
                    """
                    Both have the same cycle (pw-play --latency=1024): by itself pw-play asks for 2048 frames, wakes up half \
                    as often and sounds later.
                    """,
                ]
                return report
            }
        }
    }

    private static func rows(_ file: String, _ ours: Samples, _ peer: Samples) -> [[String]] {
        let playing = Distribution(ours.playingMilliseconds)
        func row(_ name: String, _ unit: String, _ digits: Int, _ values: (Samples) -> [Double]) -> [String] {
            let (own, other) = (Distribution(values(ours)), Distribution(values(peer)))
            return [
                "\(file): \(name)", "\(own.count)", "\(own.median.text(digits)) \(unit)",
                "\(other.median.text(digits)) \(unit)", ratio(values(ours), values(peer)).text(2),
            ]
        }
        return [
            ["\(file): the `playing` event", "\(playing.count)", "\(playing.median.text(0)) ms", "", ""],
            row("first frame on the speaker", "ms", 0) { $0.milliseconds },
            row("peak memory", "MB", 1) { $0.megabytes },
            row("memory, shared pages in parts", "MB", 1) { $0.proportionalMegabytes },
            row("memory of its own", "MB", 1) { $0.ownMegabytes },
            row("processor", "% of one core", 2) { $0.processorShare.map { $0 * 100 } },
        ]
    }

    /// The median of the ratios pair by pair, which a machine that changes its speed does not move.
    private static func ratio(_ ours: [Double], _ peer: [Double]) -> Double {
        Distribution(zip(ours, peer).map { $0 / $1 }).median
    }

    static func play(
        _ server: PrivatePipeWire, _ speaker: VirtualSink, _ samples: inout Samples,
        _ program: () throws -> ChildProgram
    ) throws {
        try speaker.meter.wait(quietFrames: 4800)
        speaker.meter.mark()
        let child = try program()
        defer { child.end() }
        guard let heard = try speaker.meter.wait(loudFrames: 1).firstLoudAtNanoseconds else {
            throw Failure("The speaker's meter counted loud frames and has no time of the first.")
        }
        let before = try child.processorSeconds()
        try speaker.meter.wait(frames: speaker.meter.reading.frames + playingSeconds * 48_000)
        samples.processorShare.append((try child.processorSeconds() - before) / Double(playingSeconds))
        samples.megabytes.append(Double(try child.peakMemory()) / 1e6)
        samples.ownMegabytes.append(Double(try child.ownMemory()) / 1e6)
        samples.proportionalMegabytes.append(Double(try child.proportionalMemory()) / 1e6)
        samples.milliseconds.append(Double(heard - child.startedAt) / 1e6)
        if let playing = playingTime(in: child.end()) {
            samples.playingMilliseconds.append((playing - Double(child.startedAt) / 1e9) * 1e3)
        }
    }

    /// CLOCK_MONOTONIC in seconds; see docs/events.md.
    private static func playingTime(in lines: [String]) -> Double? {
        var zero: Double?
        for line in lines {
            guard let event = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
                continue
            }
            if let clock = event["clock"] as? Double { zero = clock }
            if event["state"] as? String == "playing", let zero, let time = event["time"] as? Double {
                return zero + time
            }
        }
        return nil
    }

    /// Two hours that begin with a tone; the rest is a hole in the file.
    private static func longFile(rate: Int, in directory: TemporaryDirectory) throws -> String {
        let path = try TestFile.sparse(seconds: 2 * 3600, sampleRate: rate, named: "long-\(rate).wav", in: directory)
        let tone = TestSignal.quadrature(hertz: 1000).samples(frames: 20 * rate, channels: 2, sampleRate: Double(rate))
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: 44)
        try file.write(contentsOf: tone.map { Int16($0 * 32_767).littleEndian }.withUnsafeBytes { Data($0) })
        try file.close()
        return path
    }
}
