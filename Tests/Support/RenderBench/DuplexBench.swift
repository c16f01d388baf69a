package import CRealtime

/// A loudspeaker and a microphone with a cycle each, called as a host does.
package final class DuplexBench {
    package let quantum: Int
    package let sampleRate: Double
    /// By how many millionths the microphone's clock is faster.
    package var drift = 0.0
    /// Asked before each cycle; otherwise the output is called first.
    package var isInputFirst: () -> Bool = { false }
    package private(set) var heard: [[Float]] = []
    private var played: [Float] = []
    private var playedFrames = 0
    private var capturedFrames = 0

    package init(quantum: Int, sampleRate: Double = 48_000) {
        (self.quantum, self.sampleRate) = (quantum, sampleRate)
    }

    /// Plays what `run` is given, on every channel.
    package var player: oav_renderer {
        oav_renderer(
            render: { context, cycle in
                guard let context, let cycle = cycle?.pointee, let outputs = cycle.outputs else { return }
                let bench = Unmanaged<DuplexBench>.fromOpaque(context).takeUnretainedValue()
                for channel in 0..<Int(cycle.output_channels) {
                    for frame in 0..<Int(cycle.frames) {
                        let index = bench.playedFrames + frame
                        outputs[channel]?[frame] = index < bench.played.count ? bench.played[index] : 0
                    }
                }
            }, context: Unmanaged.passUnretained(self).toOpaque())
    }

    /// Keeps what it hears: [channel][frame].
    package var recorder: oav_renderer {
        oav_renderer(
            render: { context, cycle in
                guard let context, let cycle = cycle?.pointee, let inputs = cycle.inputs else { return }
                let bench = Unmanaged<DuplexBench>.fromOpaque(context).takeUnretainedValue()
                let channels = Int(cycle.input_channels)
                // The memory of the test grows here, which is no matter of the cycle's.
                oav_realtime_exit()
                defer { oav_realtime_enter() }
                if bench.heard.isEmpty { bench.heard = [[Float]](repeating: [], count: channels) }
                for channel in 0..<channels {
                    bench.heard[channel] += UnsafeBufferPointer(start: inputs[channel], count: Int(cycle.frames))
                }
            }, context: Unmanaged.passUnretained(self).toOpaque())
    }

    /// Runs cycles until all of `captured` has been captured.
    ///
    /// - Parameters:
    ///   - output: stands before `player`, and `input` before `recorder`.
    ///   - captured: [channel][frame]
    package func run(
        output: oav_renderer, input: oav_renderer, played: [Float], captured: [[Float]], flags: UInt32 = 0
    ) {
        self.played = played
        (playedFrames, capturedFrames) = (0, 0)
        heard = []
        let rows = captured.map { row -> UnsafeMutablePointer<Float> in
            let memory = UnsafeMutablePointer<Float>.allocate(capacity: row.count)
            memory.initialize(from: row, count: row.count)
            return memory
        }
        let speaker = UnsafeMutablePointer<Float>.allocate(capacity: 2 * quantum)
        speaker.initialize(repeating: 0, count: 2 * quantum)
        defer {
            for row in rows { row.deallocate() }
            speaker.deallocate()
        }
        let outputs: [UnsafeMutablePointer<Float>?] = [speaker, speaker + quantum]
        func play() {
            outputs.withUnsafeBufferPointer { outputs in
                var cycle = oav_cycle()
                cycle.outputs = outputs.baseAddress
                cycle.output_channels = UInt32(outputs.count)
                cycle.frames = UInt32(quantum)
                cycle.sample_rate = sampleRate
                cycle.host_time_ns = nanoseconds(Double(playedFrames) / sampleRate)
                withUnsafePointer(to: output) { oav_renderer_call($0, &cycle) }
            }
            playedFrames += quantum
        }
        func capture() {
            let inputs = rows.map { UnsafePointer($0 + capturedFrames) as UnsafePointer<Float>? }
            inputs.withUnsafeBufferPointer { inputs in
                var cycle = oav_cycle()
                cycle.inputs = inputs.baseAddress
                cycle.input_channels = UInt32(inputs.count)
                cycle.frames = UInt32(quantum)
                cycle.flags = flags
                cycle.sample_rate = sampleRate
                cycle.host_time_ns = nanoseconds(Double(capturedFrames) / (sampleRate * (1 + drift * 1e-6)))
                withUnsafePointer(to: input) { oav_renderer_call($0, &cycle) }
            }
            capturedFrames += quantum
        }
        while capturedFrames + quantum <= (captured.first?.count ?? 0) {
            let calls = isInputFirst() ? [capture, play] : [play, capture]
            for call in calls { call() }
        }
    }

    private func nanoseconds(_ seconds: Double) -> UInt64 { UInt64((1 + seconds) * 1e9) }
}
