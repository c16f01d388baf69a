package import CRealtime
import Synchronization

/// What an output plays, mixed to one channel, for the canceller to take out of the microphone's sound.
///
/// A history, not a queue: nothing is taken out of it. Producer: the output's data thread. Consumer: the input's. Full: the
/// oldest frames are overwritten; a consumer that is further behind than the history reads silence.
package struct EchoReference: ~Copyable {
    private let samples: UnsafeMutablePointer<Float>
    /// A power of two.
    private let capacity: Int
    /// Frames so far: the index of the next one.
    private let written = Atomic<Int64>(0)
    /// The last cycle; its sample time is the index of its first frame.
    private let clock = CycleClock()
    private let sampleRate = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - samples: `capacity` floats of silence; the memory stays the owner's.
    ///   - capacity: a power of two.
    @_noLocks @_noAllocation
    package init(samples: UnsafeMutablePointer<Float>, capacity: Int) {
        self.samples = samples
        self.capacity = capacity
    }

    /// Output's data thread, when the cycle has been rendered.
    @_noLocks @_noAllocation
    package func write(_ cycle: UnsafePointer<oav_cycle>) {
        let frames = min(Int(cycle.pointee.frames), capacity / 2)
        let channels = cycle.pointee.outputs == nil ? 0 : Int(cycle.pointee.output_channels)
        let first = written.load(ordering: .relaxed)
        let mask = capacity &- 1
        for frame in 0..<frames { samples[(Int(first) &+ frame) & mask] = 0 }
        for channel in 0..<channels {
            guard let output = cycle.pointee.outputs?[channel] else { continue }
            for frame in 0..<frames { samples[(Int(first) &+ frame) & mask] += output[frame] }
        }
        sampleRate.store(cycle.pointee.sample_rate.bitPattern, ordering: .relaxed)
        clock.note(CycleMoment(cycle, sampleTime: first, isSilenced: false))
        written.store(first &+ Int64(frames), ordering: .releasing)
    }

    // MARK: Input's data thread

    /// The index of the frame that is rendered at an instant of the host's clock, also before the first and after the last;
    /// nil before the first cycle.
    @_noLocks @_noAllocation
    func index(atHostTime hostTime: UInt64) -> Double? {
        guard let last = clock.last() else { return nil }
        let distance = Double(Int64(bitPattern: hostTime &- last.hostTimeNanoseconds)) * rate() / 1e9
        return Double(last.sampleTime) + distance
    }

    /// Hertz; 0 before the first cycle.
    @_noLocks @_noAllocation
    func rate() -> Double { Double(bitPattern: sampleRate.load(ordering: .relaxed)) }

    /// The index after the newest frame.
    @_noLocks @_noAllocation
    func end() -> Int64 { written.load(ordering: .acquiring) }

    /// The sound at an index between frames, on the cubic curve through the four around it (Catmull-Rom).
    ///
    /// At a frame it is that frame, to the bit; silence where the history has none.
    @_noLocks @_noAllocation
    func sample(at index: Double, end: Int64) -> Float {
        guard index >= 1 else { return 0 }
        let first = Int64(index)
        guard first &+ 2 < end, first > end &- Int64(capacity) / 2 else { return 0 }
        let mask = capacity &- 1
        let place = Int(first)
        let share = Float(index - Double(first))
        let b = samples[place & mask]
        if share == 0 { return b }
        let (a, c, d) = (samples[(place &- 1) & mask], samples[(place &+ 1) & mask], samples[(place &+ 2) & mask])
        let slope = 0.5 * (c - a)
        let bend = a - 2.5 * b + 2 * c - 0.5 * d
        let twist = 0.5 * (d - a) + 1.5 * (b - c)
        return ((twist * share + bend) * share + slope) * share + b
    }
}
