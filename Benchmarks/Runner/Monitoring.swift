import Foundation
import HostPipeWire
import OpenAVFAudio
import OpenAudioSession
import PipeWireRig
import SessionRuntime
import Synchronization

/// How long the way is from a microphone through a program to a loudspeaker.
///
/// A microphone picks up a burst of a tone. A sink node notes when a recorder got its first frame, a meter when the
/// loudspeaker's monitor has it; both are of the same graph, and a burst begins with a cycle.
enum Monitoring {
    private static let rounds = 20
    private static let burst = 4800
    private static let rate = 48_000.0

    private enum Program: String, CaseIterable {
        case engine = "AVAudioEngine"
        /// Bypassed, so that a tone is not taken for an echo.
        case voice = "AVAudioEngine with voice processing"
        case loopback = "pw-loopback"
    }

    static func measure(_ rounds: Rounds) throws -> Report {
        var report = Report(
            title: "monitoring: from a microphone to a loudspeaker",
            comparison: """
                A burst that a microphone picks up, from the cycle in which a recorder gets it to the cycle in which the \
                monitor of the loudspeaker has it, in cycles of the graph; two null devices, which the server puts under \
                one driver. The engine plays its input node through the main mixer. `pw-loopback` has the same cycle.
                """,
            columns: [
                "program, frames of a cycle", "N", "least", "median", "greatest", "median in frames", "median in ms",
            ])
        let hasJack = ChildProgram.hasJackDelay
        for frames in [256, 1024] {
            for program in Program.allCases {
                let what = "\(program.rawValue), \(frames)"
                if program != .voice {
                    let cycles = try measure(rounds, what, cycleFrames: frames, program)
                    report.rows.append(cells(what, Distribution(cycles), frames))
                }
                guard hasJack else { continue }
                let trips = try roundTrips(rounds, "jack_iodelay: \(what)", cycleFrames: frames, program)
                report.rows.append(cells("jack_iodelay: \(what)", Distribution(trips), frames))
            }
        }
        report.notes = [
            "Wanted: 1 cycle, and at most 1.1: the monitor of a sink that drives is one cycle late itself. The time of a cycle is read when it runs, so that a busy machine adds fractions.",
            "The hardware's own buffers come on top; null devices have none.",
            hasJack
                ? "jack_iodelay, of JACK and run by pw-jack, plays a tone to the microphone and hears the loudspeaker's monitor; its rows have what it reads, four times a second. Voice processing, bypassed here, takes blocks of 10 ms: 480 frames more."
                : "jack_iodelay was not asked: install pipewire-jack and jackd2 (or jack-example-tools).",
        ]
        return report
    }

    private static func cells(_ what: String, _ delays: Distribution, _ frames: Int) -> [String] {
        [
            what, "\(delays.count)", delays.quantile(0).text(1), delays.median.text(1), delays.max.text(1),
            (delays.median * Double(frames)).text(1), (delays.median * Double(frames) / rate * 1000).text(1),
        ]
    }

    private static func measure(
        _ rounds: Rounds, _ what: String, cycleFrames: Int, _ program: Program
    ) throws -> [Double] {
        let server = try PrivatePipeWire.start()
        defer { server.stop() }
        let speaker = try server.makeSink(name: "speaker", bus: "usb", priority: 3000)
        let microphone = try server.makeSource(name: "microphone", bus: "usb", priority: 3000)
        let captured = Atomic<UInt64>(0)
        let sink = AVAudioSinkNode { _, count, list in
            let samples = list.pointee.mBuffers.mData?.assumingMemoryBound(to: Float.self)
            guard captured.load(ordering: .relaxed) == 0, (0..<Int(count)).contains(where: { samples?[$0] != 0 })
            else { return noErr }
            captured.store(Clock.nanoseconds, ordering: .relaxed)
            return noErr
        }
        return try withProgram(on: server, cycleFrames: cycleFrames, program, recorder: sink) {
            // Whatever has to find its place does so with the first burst.
            try wait(for: "sound on the loudspeaker") {
                microphone.play(frames: burst)
                usleep(200_000)
                return speaker.meter.reading.loudFrames > 0
            }
            var delays: [Double] = []
            try rounds.run(Self.rounds, of: what) { _ in
                try speaker.meter.wait(quietFrames: burst)
                speaker.meter.mark()
                captured.store(0, ordering: .relaxed)
                microphone.play(frames: burst)
                let heard = try speaker.meter.wait(loudFrames: burst / 2, quietFrames: burst)
                try wait(for: "the recorder") { captured.load(ordering: .relaxed) != 0 }
                guard let first = heard.firstLoudAtNanoseconds else { return }
                let nanoseconds = Double(first) - Double(captured.load(ordering: .relaxed))
                delays.append(nanoseconds / 1e9 * rate / Double(cycleFrames))
            }
            return delays
        }
    }

    /// What jack_iodelay reads, in cycles, four times a second: it plays to the microphone and hears the loudspeaker's monitor.
    private static func roundTrips(
        _ rounds: Rounds, _ what: String, cycleFrames: Int, _ program: Program
    ) throws -> [Double] {
        let server = try PrivatePipeWire.start()
        defer { server.stop() }
        _ = try server.makeSink(name: "speaker", bus: "usb", priority: 3000)
        try server.run([
            "pw-cli", "create-node", "adapter",
            """
            { factory.name=support.null-audio-sink media.class=Audio/Source/Virtual node.name=microphone \
            audio.position=[ FL FR ] audio.rate=48000 priority.session=2000 priority.driver=2000 object.linger=true }
            """,
        ])
        return try withProgram(on: server, cycleFrames: cycleFrames, program) {
            let tool = try ChildProgram.jackDelay(cycleFrames: cycleFrames, of: server)
            try server.waitUntil("jack_iodelay's ports") { graph in
                let node = graph.node(named: "jack_delay")?.id
                return graph.ports.count { $0.node == node } == 2
            }
            try server.run(["pw-link", "jack_delay:out", "microphone:input_FL"])
            try server.run(["pw-link", "speaker:monitor_FL", "jack_delay:in"])
            rounds.run(Self.rounds, of: what) { _ in usleep(250_000) }
            // The tone fades in with the first.
            return tool.end().filter { $0.contains("roundtrip") }.dropFirst()
                .compactMap { $0.split(separator: " ").first.flatMap { Double($0) } }.map { $0 / Double(cycleFrames) }
        }
    }

    /// Runs the engine, or `pw-loopback` beside an engine that at most records.
    private static func withProgram(
        on server: PrivatePipeWire, cycleFrames: Int, _ program: Program, recorder: AVAudioSinkNode? = nil,
        _ body: () throws -> [Double]
    ) throws -> [Double] {
        let runtime = try SessionRuntime(host: PipeWireHost(remote: server.socketPath))
        defer { runtime.shutdown() }
        let session = AVAudioSession(runtime: runtime)
        try session.setCategory(.playAndRecord, mode: .default)
        try session.setPreferredIOBufferDuration(Double(cycleFrames) / rate)
        try session.setActive(true)
        try wait(for: "the route") {
            !session.currentRoute.outputs.isEmpty && !session.currentRoute.inputs.isEmpty
        }
        let engine = AVAudioSession.$taskSession.withValue(session) { AVAudioEngine() }
        var points: [AVAudioConnectionPoint] = []
        if let recorder {
            engine.attach(recorder)
            points.append(AVAudioConnectionPoint(node: recorder, bus: 0))
        }
        if program == .voice {
            try engine.inputNode.setVoiceProcessingEnabled(true)
            engine.inputNode.isVoiceProcessingBypassed = true
        }
        if program != .loopback { points.append(AVAudioConnectionPoint(node: engine.mainMixerNode, bus: 0)) }
        if !points.isEmpty { engine.connect(engine.inputNode, to: points, fromBus: 0, format: nil) }
        let latency = "PIPEWIRE_LATENCY=\(cycleFrames)/48000"
        let loopback =
            try program == .loopback
            ? server.spawn(["env", latency, "pw-loopback", "-C", "microphone", "-P", "speaker"]) : nil
        defer { loopback?.terminate() }
        if !points.isEmpty { try engine.start() }
        defer { engine.stop() }
        return try body()
    }
}
