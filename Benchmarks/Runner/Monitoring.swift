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

    static func measure(_ rounds: Rounds) throws -> Report {
        var report = Report(
            title: "monitoring: from a microphone to a loudspeaker",
            comparison: """
                A burst that a microphone picks up, from the cycle in which a recorder gets it to the cycle in which the \
                monitor of the loudspeaker has it, in cycles of the graph; two null devices, which the server puts under \
                one driver. The engine plays its input node through the main mixer. `pw-loopback` has the same cycle.
                """,
            columns: ["program, frames of a cycle", "N", "least", "median", "greatest", "median in ms"])
        for frames in [256, 1024] {
            for (name, isOurs) in [("AVAudioEngine", true), ("pw-loopback", false)] {
                let cycles = try measure(rounds, "\(name), \(frames)", cycleFrames: frames, isOurs: isOurs)
                let delays = Distribution(cycles)
                report.rows.append([
                    "\(name), \(frames)", "\(delays.count)", delays.quantile(0).text(1), delays.median.text(1),
                    delays.max.text(1), (delays.median * Double(frames) / rate * 1000).text(1),
                ])
            }
        }
        report.notes = [
            "Wanted: 1 cycle, and at most 1.1: the monitor of a sink that drives is one cycle late itself. The time of a cycle is read when it runs, so that a busy machine adds fractions.",
            "The hardware's own buffers come on top; null devices have none.",
        ]
        return report
    }

    private static func measure(
        _ rounds: Rounds, _ what: String, cycleFrames: Int, isOurs: Bool
    ) throws -> [Double] {
        let server = try PrivatePipeWire.start()
        defer { server.stop() }
        let speaker = try server.makeSink(name: "speaker", bus: "usb", priority: 3000)
        let microphone = try server.makeSource(name: "microphone", bus: "usb", priority: 3000)
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
        let captured = Atomic<UInt64>(0)
        let sink = AVAudioSinkNode { _, count, list in
            let samples = list.pointee.mBuffers.mData?.assumingMemoryBound(to: Float.self)
            guard captured.load(ordering: .relaxed) == 0, (0..<Int(count)).contains(where: { samples?[$0] != 0 })
            else { return noErr }
            captured.store(Clock.nanoseconds, ordering: .relaxed)
            return noErr
        }
        engine.attach(sink)
        var points = [AVAudioConnectionPoint(node: sink, bus: 0)]
        if isOurs { points.append(AVAudioConnectionPoint(node: engine.mainMixerNode, bus: 0)) }
        engine.connect(engine.inputNode, to: points, fromBus: 0, format: nil)
        let loopback =
            try isOurs
            ? nil
            : server.spawn([
                "env", "PIPEWIRE_LATENCY=\(cycleFrames)/48000", "pw-loopback", "-C", "microphone", "-P", "speaker",
            ])
        defer { loopback?.terminate() }
        try engine.start()
        defer { engine.stop() }
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
