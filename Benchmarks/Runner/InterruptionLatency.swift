import AudioModel
import Foundation
import HostPipeWire
import OpenAudioSession
import PipeWireRig
import SessionCore
import SessionRuntime
import TestAudio

/// From the activation in one process to the silence, or the lower level, of a player in another.
enum InterruptionLatency {
    private static let rounds = 60
    private static let fewRounds = 10
    /// A fifth of it is just below what the meter calls loud: the last loud frame is the last one that was not yet ducked.
    private static let level = 0.0049

    private typealias Spans = [(from: UInt64, to: UInt64)]

    /// What was measured with one length of the graph's cycle.
    private struct Figures {
        var granted: Spans = []
        var paused: Spans = []
        var silent: Spans = []
        var resumed: Spans = []
        var ducked: Spans = []
        var restored: Spans = []
    }

    static func measure(_ rounds: Rounds) throws -> Report {
        try withTemporaryDirectory { directory in
            let music = try Stage.music(seconds: 300, in: directory)
            let quiet = try TestFile.write(
                .quadrature(hertz: 1000, level: level), seconds: 300, named: "quiet.wav", in: directory)
            return try PrivatePipeWire.withSpeaker { server, speaker in
                let runtime = try SessionRuntime(host: PipeWireHost(remote: server.socketPath))
                defer { runtime.shutdown() }
                let session = AVAudioSession(runtime: runtime)
                var report = Report(
                    title: "interruption-latency: another program takes the sound",
                    comparison: """
                        Milliseconds from the call of `setActive(true)` in one runtime (this one) until `audiosession play` in \
                        another one has paused or lowered its music, and from `setActive(false, \
                        .notifyOthersOnDeactivation)` until it goes on. The player's times are those of its events; the \
                        meter's are the last frame, or the first, above -60 dBFS on the speaker. The second block has a graph \
                        of 256 frames a cycle.
                        """,
                    columns: ["ms since the call", "N", "median", "95 %", "max"])
                var handedOver: [String] = []
                for quantum in [1024, 256] {
                    try server.forceQuantum(quantum)
                    var figures = Figures()
                    try interrupt(&figures, rounds, quantum, server, speaker, session, music)
                    try duck(&figures, rounds, quantum, server, speaker, session, quiet)
                    report.rows += rows(figures, quantum)
                    let silent = Distribution(millisecondsOf: figures.silent).median - Double(quantum) / 48
                    handedOver.append("\(silent.text(1)) ms with \(quantum) frames")
                }
                let peer = try peerPlaysOn(rounds, server, speaker, session, music)
                report.notes = [
                    "Wanted: a median under 20 ms from the activation to silence.",
                    """
                    The meter stands at the speaker's monitor, which comes one cycle late (1024 frames: 21.3 ms; 256: 5.3 ms): what \
                    the player hands to the graph is silent that much earlier, \(handedOver.joined(separator: " and ")) \
                    (medians). Of these most is the wait for the next cycle, half of one on average, and the fade. Hardware \
                    adds its ring.
                    """,
                    """
                    There is no peer to measure against: pw-play played on at its full level in \(peer.playedOn) of \
                    \(peer.rounds) activations of a call's session, for the second that it was listened to.
                    """,
                ]
                return report
            }
        }
    }

    private static func rows(_ figures: Figures, _ quantum: Int) -> [[String]] {
        let all: [(String, Spans)] = [
            ("`setActive(true)` returns", figures.granted),
            ("the player's `paused` event", figures.paused),
            ("the last frame on the meter", figures.silent),
            ("ended, and the first frame on the meter", figures.resumed),
            ("ducked on the meter", figures.ducked),
            ("the first frame at full level again", figures.restored),
        ]
        return all.map { ["\(quantum): \($0.0)"] + Distribution(millisecondsOf: $0.1).cells }
    }

    private static func interrupt(
        _ figures: inout Figures, _ rounds: Rounds, _ quantum: Int, _ server: PrivatePipeWire, _ speaker: VirtualSink,
        _ session: AVAudioSession, _ music: String
    ) throws {
        let player = try ChildProgram.audioSession(music, of: server)
        var calls: [UInt64] = []
        var lines: [String] = []
        do {
            // Also where a round fails: the player must not go on.
            defer { lines = player.end() }
            try session.setCategory(.playback)
            try speaker.meter.wait(loudFrames: 48_000)
            try rounds.run(Self.rounds, of: "interruptions at \(quantum)") { _ in
                speaker.meter.mark()
                try speaker.meter.wait(loudFrames: 9600)
                sleepWithinCycle(of: quantum)
                let call = Clock.nanoseconds
                calls.append(call)
                try session.setActive(true)
                figures.granted.append((call, Clock.nanoseconds))
                figures.silent.append((call, try last(speaker.meter.wait(loudFrames: 1, quietFrames: 9600))))
                speaker.meter.mark()
                let end = Clock.nanoseconds
                try session.setActive(false, options: .notifyOthersOnDeactivation)
                figures.resumed.append((end, try first(speaker.meter.wait(loudFrames: 4800))))
            }
        }
        let pauses = try pauses(in: lines)
        guard pauses.count == calls.count else {
            throw Failure("The player told of \(pauses.count) pauses in \(calls.count) interruptions.")
        }
        figures.paused = zip(calls, pauses).map { ($0, $1) }
    }

    private static func duck(
        _ figures: inout Figures, _ rounds: Rounds, _ quantum: Int, _ server: PrivatePipeWire, _ speaker: VirtualSink,
        _ session: AVAudioSession, _ music: String
    ) throws {
        let player = try ChildProgram.audioSession(music, of: server)
        defer { player.end() }
        try session.setCategory(.playback, options: .duckOthers)
        try speaker.meter.wait(loudFrames: 48_000)
        try rounds.run(Self.rounds, of: "duckings at \(quantum)") { _ in
            speaker.meter.mark()
            try speaker.meter.wait(loudFrames: 9600)
            sleepWithinCycle(of: quantum)
            let call = Clock.nanoseconds
            try session.setActive(true)
            figures.ducked.append((call, try last(speaker.meter.wait(loudFrames: 1, quietFrames: 9600))))
            speaker.meter.mark()
            let end = Clock.nanoseconds
            try session.setActive(false, options: .notifyOthersOnDeactivation)
            figures.restored.append((end, try first(speaker.meter.wait(loudFrames: 4800))))
        }
    }

    /// How often pw-play is still as loud as before, a second after a call's session has become active.
    private static func peerPlaysOn(
        _ rounds: Rounds, _ server: PrivatePipeWire, _ speaker: VirtualSink, _ session: AVAudioSession, _ music: String
    ) throws -> (playedOn: Int, rounds: Int) {
        let peer = try ChildProgram.pwPlay(music, of: server)
        defer { peer.end() }
        try session.setCategory(.playAndRecord, mode: .voiceChat)
        try speaker.meter.wait(loudFrames: 48_000)
        var (playedOn, count) = (0, 0)
        try rounds.run(fewRounds, of: "pw-play") { _ in
            try session.setActive(true)
            speaker.meter.mark()
            let heard = try speaker.meter.wait(frames: 48_000)
            playedOn += heard.loudFrames + heard.missedFrames > 45_000 ? 1 : 0
            count += 1
            try session.setActive(false, options: .notifyOthersOnDeactivation)
        }
        return (playedOn, count)
    }

    /// A meter wakes its waiters at the beginning of a cycle: what follows is to come at any time of it.
    private static func sleepWithinCycle(of frames: Int) {
        usleep(.random(in: 0..<UInt32(frames * 1_000_000 / 48_000)))
    }

    /// By the number of the frame, for the meter's times are those of cycles; by its cycle where the meter missed some.
    private static func last(_ reading: SinkMeter.Reading) throws -> UInt64 {
        guard let first = reading.firstLoudAtNanoseconds, let last = reading.lastLoudAtNanoseconds,
            let span = reading.loudSpan
        else { throw Failure("The meter has no time of the last frame.") }
        if reading.missedFrames > 0 { return last }
        return first + UInt64(span.count) * 1_000_000_000 / 48_000
    }

    private static func first(_ reading: SinkMeter.Reading) throws -> UInt64 {
        guard let time = reading.firstLoudAtNanoseconds else {
            throw Failure("The meter has no time of the first frame.")
        }
        return time
    }

    /// When the player paused for an interruption, by its own events; CLOCK_MONOTONIC in nanoseconds.
    private static func pauses(in lines: [String]) throws -> [UInt64] {
        struct Line: Decodable {
            var time: Double
            var event: String
            var clock: Double?
            var state: String?
            var cause: String?
        }
        let events = try lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        guard let zero = events.first?.clock else { throw Failure("The player's first event names no clock: \(lines)") }
        return events.filter { $0.state == "paused" && $0.cause == "interruption" }
            .map { UInt64(((zero + $0.time) * 1e9).rounded()) }
    }
}
