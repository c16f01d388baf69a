import Foundation
import HostPipeWire
import OpenAVFAudio
import OpenAudioSession
import PipeWireRig
import SessionRuntime

/// How far apart two outputs of one route play the same frame.
///
/// An engine under multiRoute plays numbered samples on both, by its channel map; what their monitors hear says which
/// frame each of them played at one position of the driver's clock.
enum Alignment {
    private static let rounds = 20
    /// What the meters keep, in frames.
    private static let window = 12_000

    static func measure(_ rounds: Rounds) throws -> Report {
        var report = Report(
            title: "alignment: one engine on two outputs",
            comparison: """
                An AVAudioEngine under multiRoute, started again in each round, plays the same channels on two outputs \
                by its channel map. Frames that one of them is behind the other at the same position of the driver's clock, \
                from the number that each sample carries. Three null sinks on one driver: the first is the clock, the \
                two others are measured, as a sink that drives shows its own frames on its monitor one cycle late.
                """,
            columns: ["frames apart", "N", "least", "median", "greatest"])
        for (name, clocks) in [("one clock name", ["clock.one", "clock.one"]), ("two", ["clock.a", "clock.b"])] {
            let offsets = Distribution(try measure(rounds, "one driver, \(name)", clockNames: clocks).map(Double.init))
            report.rows.append([
                "one driver, \(name)", "\(offsets.count)", offsets.quantile(0).text(0), offsets.median.text(0),
                offsets.max.text(0),
            ])
        }
        report.notes = [
            "Wanted: within 1 frame. Both take the same cycle of one stream, and neither resamples.",
            """
            Two clocks are not in this table. Null sinks that one stream is linked to have one driver, whatever their \
            groups. ALSA's null and file devices can be sinks too, but take frames as fast as they come: they have no \
            clock, and nothing is heard at a time of its own. It needs hardware, or a plug-in built against ALSA's \
            headers; with one it was 43 to 45 frames (0.9 ms) once settled, which is the delay of the resampler with \
            which the server matches the second clock: Sources/Hosts/HostPipeWire/PipeWireTier.md, "Alignment".
            """,
        ]
        return report
    }

    private static func measure(_ rounds: Rounds, _ what: String, clockNames: [String]) throws -> [Int] {
        let server = try PrivatePipeWire.start()
        defer { server.stop() }
        _ = try server.makeSink(name: "clock", bus: "usb", priority: 3000)
        let sinks = try zip(["hdmi", "usb"], clockNames).map { name, clock in
            try server.makeSink(
                name: name, bus: "usb", properties: ["clock.name": clock], capturing: .milliseconds(250))
        }
        let runtime = try SessionRuntime(host: PipeWireHost(remote: server.socketPath))
        defer { runtime.shutdown() }
        let session = AVAudioSession(runtime: runtime)
        try session.setCategory(.multiRoute, mode: .default)
        try session.setActive(true)
        try wait(for: "the route of three outputs") { session.currentRoute.outputs.count == 3 }

        let engine = AVAudioSession.$taskSession.withValue(session) { AVAudioEngine() }
        let player = AVAudioPlayerNode()
        let buffer = try NumberedSamples.buffer()
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: buffer.format)
        var offsets: [Int] = []
        try rounds.run(Self.rounds, of: what) { _ in
            engine.outputNode.auAudioUnit.channelMap = [-1, -1, 0, 1, 0, 1]
            try engine.start()
            player.scheduleBuffer(buffer, at: nil, options: .loops)
            player.play()
            defer {
                player.stop()
                engine.stop()
            }
            offsets.append(try offset(of: sinks))
        }
        return offsets
    }

    /// Frames that the second sink is behind the first.
    private static func offset(of sinks: [VirtualSink]) throws -> Int {
        // What a busy machine keeps from the meters proves nothing.
        for _ in 1...20 {
            for sink in sinks { sink.meter.mark() }
            for sink in sinks { try sink.meter.wait(frames: window, loudFrames: window / 2) }
            let places = sinks.map { sink -> (frame: Int, position: Int)? in
                let (channels, end) = sink.meter.capture()
                return NumberedSamples.lastFrame(of: channels.first ?? []).map { ($0, Int(end)) }
            }
            guard sinks.allSatisfy({ $0.meter.reading.missedFrames == 0 }), let first = places[0],
                let second = places[1]
            else { continue }
            // The meters are read one after the other: the clock tells how much later the second one was.
            return second.position - first.position
                - NumberedSamples.distance(from: first.frame, to: second.frame)
        }
        throw Failure("The meters missed frames in each of 20 rounds; run it on a quieter machine.")
    }
}
