import Glibc

/// A short tune that the program makes itself, so that there is something to play.
///
/// Stereo, 16 bit, 48 kHz; a plucked arpeggio whose notes wander from left to right.
enum SampleTune {
    private static let sampleRate = 48_000
    private static let secondsPerNote = 0.25
    /// MIDI note numbers: C, A minor, F, G, each broken upwards and down again.
    private static let notes = [
        60, 64, 67, 72, 76, 72, 67, 64, 57, 60, 64, 69, 72, 69, 64, 60, 53, 57, 60, 65, 69, 65, 60, 57, 55, 59, 62, 67,
        71, 67, 62, 59,
    ]

    /// The whole tune as the bytes of a WAV file, 8 s long.
    static func wav() -> [UInt8] {
        var mix = [Float](repeating: 0, count: Int(Double(notes.count) * secondsPerNote * Double(sampleRate)) * 2)
        for (index, note) in notes.enumerated() { pluck(note, at: index, into: &mix) }
        let samples = mix.map { Int16((min(max($0, -1), 1) * 32_767).rounded()) }
        return header(dataBytes: samples.count * 2) + samples.flatMap { littleEndian(UInt16(bitPattern: $0)) }
    }

    /// Adds a note that rings over the two after it, fading to the tune's end where that comes first.
    private static func pluck(_ note: Int, at index: Int, into mix: inout [Float]) {
        let frequency = 440 * exp2((Double(note) - 69) / 12)
        let start = Int(Double(index) * secondsPerNote * Double(sampleRate))
        let pan = 0.5 + 0.35 * sin(Double(index) * 0.5)
        let total = mix.count / 2
        let length = min(Int(secondsPerNote * 3 * Double(sampleRate)), total - start)
        for frame in 0..<length {
            let time = Double(frame) / Double(sampleRate)
            let attack = min(1, time / 0.004)
            let release = min(1, Double(length - frame) / (0.05 * Double(sampleRate)))
            let phase = 2 * Double.pi * frequency * time
            let tone = sin(phase) + 0.4 * sin(2 * phase) * exp(-6 * time) + 0.2 * sin(3 * phase) * exp(-9 * time)
            let value = 0.22 * attack * release * exp(-4 * time) * tone
            mix[(start + frame) * 2] += Float(value * (1 - pan) * 1.4)
            mix[(start + frame) * 2 + 1] += Float(value * pan * 1.4)
        }
    }

    /// Source: Microsoft, Multimedia Programming Interface 1.0 (RIFF WAVE, PCM).
    private static func header(dataBytes: Int) -> [UInt8] {
        let (channels, bytesPerSample) = (2, 2)
        return Array("RIFF".utf8) + littleEndian(UInt32(36 + dataBytes)) + Array("WAVEfmt ".utf8)
            + littleEndian(UInt32(16)) + littleEndian(UInt16(1)) + littleEndian(UInt16(channels))
            + littleEndian(UInt32(sampleRate)) + littleEndian(UInt32(sampleRate * channels * bytesPerSample))
            + littleEndian(UInt16(channels * bytesPerSample)) + littleEndian(UInt16(8 * bytesPerSample))
            + Array("data".utf8) + littleEndian(UInt32(dataBytes))
    }

    private static func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
