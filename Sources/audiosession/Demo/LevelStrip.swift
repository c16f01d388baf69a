/// The loudness of a recording over time, one character for each stretch of it.
///
/// Pure.
struct LevelStrip: Hashable, Sendable {
    /// Frames in which any channel is not exactly zero.
    var soundingFrames: Int
    var frames: Int
    /// The root mean square of each stretch, 0...1; a stretch that is cut short by the end counts as whole.
    var levels: [Float]

    init(_ recording: PortRecording, secondsPerColumn: Double) {
        let stretch = max(1, Int((recording.sampleRate * secondsPerColumn).rounded()))
        let count = recording.channels.map(\.count).max() ?? 0
        frames = count
        soundingFrames = (0..<count).count { frame in
            recording.channels.contains { frame < $0.count && $0[frame] != 0 }
        }
        levels = stride(from: 0, to: count, by: stretch).map { start in
            let end = min(start + stretch, count)
            let power = recording.channels.reduce(into: Float(0)) { sum, channel in
                for sample in channel[min(start, channel.count)..<min(end, channel.count)] where sample.isFinite {
                    sum += sample * sample
                }
            }
            return (power / Float(stretch * max(1, recording.channels.count))).squareRoot()
        }
    }

    /// Silence is blank; everything else, however faint, shows at least the lowest mark.
    ///
    /// - Parameter marks: from silence to full scale; each step of the marks between is 6 dB.
    func text(marks: [String]) -> String {
        levels.map { level in
            guard level > 0 else { return marks[0] }
            var (mark, threshold) = (marks.count - 1, Float(0.5))
            while mark > 1, level < threshold {
                mark -= 1
                threshold /= 2
            }
            return marks[mark]
        }.joined()
    }
}
