/// An allpass filter: every frequency as strong as before, spread over time.
///
///     line[n] = x[n] + gain · line[n - length]
///     y[n] = line[n - length] - gain · line[n]
///
/// Render thread. The memory belongs to the owner of the processor.
///
/// Source: M. R. Schroeder, "Natural sounding artificial reverberation", JAES 10, 1962.
struct Diffuser: BitwiseCopyable {
    let line: UnsafeMutablePointer<Float>
    let length: Int
    let gain: Float
    private var position = 0

    /// - Parameter line: `length` frames, silent.
    @_noLocks @_noAllocation
    init(line: UnsafeMutablePointer<Float>, length: Int, gain: Float) {
        self.line = line
        self.length = length
        self.gain = gain
    }

    /// In place.
    @_noLocks @_noAllocation
    mutating func process(_ samples: UnsafeMutablePointer<Float>, _ frames: Int) {
        var done = 0
        while done < frames {
            // A place is read before it is written, so that the frames of a piece do not depend on each other.
            let count = min(frames &- done, length &- position)
            let (own, sound) = (line + position, samples + done)
            for i in 0..<count {
                let late = own[i]
                let sum = Samples.flushed(sound[i] + gain * late)
                own[i] = sum
                sound[i] = late - gain * sum
            }
            position = position &+ count == length ? 0 : position &+ count
            done &+= count
        }
    }

    @_noLocks @_noAllocation
    mutating func reset() {
        Samples.silence(line, length)
        position = 0
    }
}
