import Foundation
import HostPipeWire
import OpenAVFAudio
import OpenAudioSession
import PipeWireRig
import SessionRuntime
import Synchronization

/// Whether a long chain of processors keeps up with a short cycle.
///
/// A node that is not ready when the next cycle begins misses that one: the time of its next cycle is then two cycles later.
enum Processors {
    private static let count = 64
    private static let frames = 64
    private static let rate = 48_000.0

    static func measure(_ rounds: Rounds) throws -> Report {
        var report = Report(
            title: "processors: \(count) in a row, \(frames) frames a cycle",
            comparison: """
                A source node, \(count) stereo effects in a row (by turns a two-band equalizer, a delay, a distortion, a \
                peak limiter) and the main mixer, on a private server. The source's block counts the cycles by their time. The \
                processor is that of the whole process.
                """,
            columns: ["run", "seconds", "cycles", "missed", "of a processor"])
        let seconds = rounds.isQuick ? 6 : 60
        let server = try PrivatePipeWire.start()
        defer { server.stop() }
        _ = try server.makeSink(name: "speaker", bus: "usb", priority: 3000)
        let runtime = try SessionRuntime(host: PipeWireHost(remote: server.socketPath))
        defer { runtime.shutdown() }
        let session = AVAudioSession(runtime: runtime)
        try session.setCategory(.playback, mode: .default)
        try session.setPreferredIOBufferDuration(Double(frames) / rate)
        try session.setActive(true)
        try wait(for: "the route") { !session.currentRoute.outputs.isEmpty }
        for processors in [0, count] {
            let engine = AVAudioSession.$taskSession.withValue(session) { AVAudioEngine() }
            let counted = CycleCount()
            try play(through: processors, of: engine, counted)
            defer { engine.stop() }
            sleep(1)
            guard counted.cycles.load(ordering: .relaxed) > 0 else { throw Failure("the engine's block is not called") }
            counted.forget()
            let began = (Clock.nanoseconds, Clock.processorNanoseconds(of: getpid()) ?? 0)
            sleep(UInt32(seconds))
            let share =
                Double((Clock.processorNanoseconds(of: getpid()) ?? 0) - began.1) / Double(Clock.nanoseconds - began.0)
            report.rows.append([
                "\(processors) processors", "\(seconds)", "\(counted.cycles.load(ordering: .relaxed))",
                "\(counted.missed.load(ordering: .relaxed))", "\((share * 100).text(1)) %",
            ])
        }
        report.notes = ["Wanted: none missed. A cycle lasts \((Double(frames) / rate * 1e6).text(0)) µs."]
        return report
    }

    private static func play(through processors: Int, of engine: AVAudioEngine, _ cycles: CycleCount) throws {
        guard let format = AVAudioFormat(standardFormatWithSampleRate: rate, channels: 2) else {
            throw Failure("there is no stereo format")
        }
        var phase = Float(0)
        let source = AVAudioSourceNode(format: format) { _, time, count, list in
            cycles.note(time.pointee.mHostTime, frames: Int(count))
            for buffer in UnsafeMutableAudioBufferListPointer(list) {
                let samples = buffer.mData?.assumingMemoryBound(to: Float.self)
                for frame in 0..<Int(count) {
                    phase += 0.01
                    if phase > 1 { phase -= 2 }
                    samples?[frame] = phase / 4
                }
            }
            return noErr
        }
        engine.attach(source)
        var last: AVAudioNode = source
        for index in 0..<processors {
            let effect = effect(index)
            engine.attach(effect)
            engine.connect(last, to: effect, format: format)
            last = effect
        }
        engine.connect(last, to: engine.mainMixerNode, format: format)
        try engine.start()
    }

    /// Counts by the time of each cycle.
    private final class CycleCount: Sendable {
        let cycles = Atomic<Int>(0)
        let missed = Atomic<Int>(0)
        private let last = Atomic<UInt64>(0)

        func note(_ hostTime: UInt64, frames: Int) {
            cycles.add(1, ordering: .relaxed)
            let before = last.exchange(hostTime, ordering: .relaxed)
            guard before != 0 else { return }
            let elapsed = Double(hostTime &- before) / 1e9 * Processors.rate / Double(frames)
            if elapsed > 1.5 { missed.add(Int(elapsed.rounded()) - 1, ordering: .relaxed) }
        }

        func forget() {
            cycles.store(0, ordering: .relaxed)
            missed.store(0, ordering: .relaxed)
        }
    }

    private static func effect(_ index: Int) -> AVAudioUnitEffect {
        switch index % 4 {
        case 0:
            let equalizer = AVAudioUnitEQ(numberOfBands: 2)
            for band in equalizer.bands { (band.bypass, band.gain) = (false, 3) }
            return equalizer
        case 1:
            let delay = AVAudioUnitDelay()
            delay.wetDryMix = 20
            return delay
        case 2:
            let distortion = AVAudioUnitDistortion()
            distortion.wetDryMix = 10
            return distortion
        default:
            return AVAudioUnitEffect(
                audioComponentDescription: AudioComponentDescription(
                    componentType: kAudioUnitType_Effect, componentSubType: kAudioUnitSubType_PeakLimiter,
                    componentManufacturer: kAudioUnitManufacturer_Apple, componentFlags: 0, componentFlagsMask: 0))
        }
    }
}
