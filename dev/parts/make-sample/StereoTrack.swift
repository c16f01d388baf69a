import Glibc

/// A stereo recording in the making; notes that reach beyond its end are cut there.
struct StereoTrack {
    /// Interleaved, left first.
    private(set) var frames: [Float]
    private let sampleRate: Double

    init(frames count: Int, sampleRate: Double) {
        frames = [Float](repeating: 0, count: 2 * count)
        self.sampleRate = sampleRate
    }

    /// - Parameter pan: -1 (left) to 1 (right), at constant power.
    mutating func add(_ note: [Float], at seconds: Double, level: Double, pan: Double) {
        let angle = (max(-1, min(1, pan)) + 1) * .pi / 4
        let left = Float(level * cos(angle))
        let right = Float(level * sin(angle))
        let start = Int(seconds * sampleRate)
        for index in note.indices.prefix(max(0, frames.count / 2 - start)) {
            frames[2 * (start + index)] += left * note[index]
            frames[2 * (start + index) + 1] += right * note[index]
        }
    }

    /// An echo that changes sides at each repeat and grows duller.
    mutating func addEcho(delaySeconds: Double, level: Float) {
        let delay = Int(delaySeconds * sampleRate)
        var echo = [Float](repeating: 0, count: frames.count)
        var smooth: (Float, Float) = (0, 0)
        for frame in delay..<max(delay, frames.count / 2) {
            let source = 2 * (frame - delay)
            smooth.0 += 0.35 * (frames[source + 1] + echo[source + 1] - smooth.0)
            smooth.1 += 0.35 * (frames[source] + echo[source] - smooth.1)
            echo[2 * frame] = level * smooth.0
            echo[2 * frame + 1] = level * smooth.1
        }
        for index in frames.indices { frames[index] += echo[index] }
    }

    mutating func removeOffset(belowHertz hertz: Double) {
        let keep = Float(exp(-2 * .pi * hertz / sampleRate))
        for channel in 0..<2 {
            var input: Float = 0
            var output: Float = 0
            for index in stride(from: channel, to: frames.count, by: 2) {
                output = frames[index] - input + keep * output
                input = frames[index]
                frames[index] = output
            }
        }
    }

    mutating func fade(inSeconds: Double, outSeconds: Double) {
        let count = frames.count / 2
        for frame in 0..<count {
            let rise = min(1, Double(frame) / (inSeconds * sampleRate))
            let fall = min(1, Double(count - 1 - frame) / (outSeconds * sampleRate))
            let gain = Float(0.25 * (1 - cos(.pi * rise)) * (1 - cos(.pi * fall)))
            frames[2 * frame] *= gain
            frames[2 * frame + 1] *= gain
        }
    }

    mutating func normalise(toPeak peak: Float) {
        let loudest = frames.reduce(0) { max($0, $1.magnitude) }
        guard loudest > 0 else { return }
        for index in frames.indices { frames[index] *= peak / loudest }
    }
}
