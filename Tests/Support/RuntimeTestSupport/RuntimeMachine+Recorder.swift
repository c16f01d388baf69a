import AudioFiles
package import AudioModel
package import AudioRuntime
package import HostSimulated
internal import SimulatedControls
import TestAudio
import TestSupport

extension RuntimeMachine {
    /// A machine that is prepared to record.
    package convenience init(recordingOn machine: SimulatedMachine) throws {
        try self.init(machine, devices: [])
        try prepareRecording()
    }

    /// Sets category playAndRecord; the microphones pick up `sample` of each frame, the headset's negated.
    package func prepareRecording() throws {
        try configure(.playAndRecord)
        host.setInput(of: "simulated.microphone") { frame, _ in Self.sample(frame) }
        host.setInput(of: "simulated.headset/input") { frame, _ in -Self.sample(frame) }
    }

    /// Exact in 16 bits, and never 0.
    private static func sample(_ frame: Int) -> Float { Float(frame % 32_000 + 1) / 32_768 }
    package func sample(_ frame: Int) -> Float { Self.sample(frame) }

    /// The recording's file.
    package var path: String { directory.path("recording.wav") }

    package func recorder(channels: [ChannelLabel] = [.mono]) throws -> FileRecorder {
        try FileRecorder(
            path: path, type: AudioFileType(container: .wav, coding: .integer(bits: 16)), sampleRate: 48_000,
            channels: channels, runtime: runtime
        ) { [changes] status in
            // In the words of `docs/events.md`.
            let state = status.state == .playing ? "recording" : status.state.rawValue
            changes.append("\(state) (\(status.cause == .endOfFile ? "endOfRecording" : status.cause.rawValue))")
        }
    }

    /// The file's samples, interleaved.
    package func recorded() throws -> [Float] {
        let reader = try AudioFileReader(path: path, outputSampleRate: 48_000)
        let channels = reader.info.channels.count
        var samples: [Float] = []
        var block = [Float](repeating: 0, count: 4096 * channels)
        while true {
            let frames = try block.withUnsafeMutableBufferPointer { try reader.read(into: $0) }
            if frames == 0 { return samples }
            samples += block.prefix(frames * channels)
        }
    }
}
