/// Converts between frames of a stream and frames of the machine when their rates differ.
///
/// Whole numbers only, so that no cycle boundary ever gains or loses a frame. The products stay below 2^63 for a year
/// of virtual time at 192 kHz.
package struct StreamClock: Hashable, Sendable {
    /// Hertz, rounded to whole ones.
    let streamRate: Int
    let machineRate: Int

    package var isUnity: Bool { streamRate == machineRate }

    /// The stream's frame that is current at a frame of the machine.
    func streamFrame(at frame: Int) -> Int { isUnity ? frame : frame * streamRate / machineRate }

    /// How many frames must have been rendered when the machine reaches `frame`.
    func framesRendered(before frame: Int) -> Int { frame <= 0 ? 0 : streamFrame(at: frame - 1) + 1 }

    /// For each of the stream's frames in a cycle, the machine's frame at which it begins or that it follows.
    func machineFrames(in cycle: Range<Int>) -> [Int] {
        (framesRendered(before: cycle.lowerBound)..<framesRendered(before: cycle.upperBound)).map { frame in
            isUnity ? frame : (frame * machineRate + streamRate - 1) / streamRate
        }
    }

    func frames(in cycle: Range<Int>) -> Int {
        framesRendered(before: cycle.upperBound) - framesRendered(before: cycle.lowerBound)
    }

    /// The longest cycle of the machine for which the stream never renders more than `frames`.
    func machineFrames(forAtMost frames: Int) -> Int { max(1, frames * machineRate / streamRate) }

    /// The stream's frames in this many of the machine's, rounded up.
    func streamFrames(in machineFrames: Int) -> Int {
        (machineFrames * streamRate + machineRate - 1) / machineRate
    }
}
