package import CRealtime
import Synchronization

/// What an input stream's cycles work on: their frames go into a tap's ring; `oav_renderer.context` points to one.
///
/// Producer: the host's data thread, by `capture(_:_:)` at the end of this file. Consumer: the owner's control side, by the
/// tap. Full: the whole cycle is left out, which the sample time of the next one shows; no side waits.
package struct CaptureRing: ~Copyable {
    private let tap: UnsafeMutablePointer<RenderTap>
    /// Frames of all cycles, those that were left out too: the sample time of the next one.
    private let captured = Atomic<Int64>(0)
    private let isMuted = Atomic<Bool>(false)

    /// - Parameter tap: stays its owner's, and must outlive the ring.
    @_noLocks @_noAllocation
    package init(tap: UnsafeMutablePointer<RenderTap>) { self.tap = tap }

    /// A muted ring takes silence in place of the input.
    ///
    /// Any thread.
    @_noLocks @_noAllocation
    package func setMuted(_ muted: Bool) { isMuted.store(muted, ordering: .relaxed) }

    // MARK: Data thread

    /// A mono input fills every channel of the tap.
    ///
    /// Else channels that the input lacks are silent, and those that the tap lacks are left out. Samples that are not finite
    /// become 0.
    @_noLocks @_noAllocation
    func run(_ cycle: UnsafePointer<oav_cycle>) {
        let frames = Int(cycle.pointee.frames)
        let inputs = cycle.pointee.inputs == nil ? 0 : Int(cycle.pointee.input_channels)
        guard frames > 0, inputs > 0, cycle.pointee.flags & UInt32(OAV_CYCLE_GATED) == 0 else { return }
        let sampleTime = captured.load(ordering: .relaxed)
        captured.store(sampleTime &+ Int64(frames), ordering: .relaxed)
        let maximumFrames = tap.pointee.maximumFrames
        guard frames <= maximumFrames else { return }
        let muted = isMuted.load(ordering: .relaxed)
        for channel in 0..<tap.pointee.channels {
            let row = tap.pointee.rows + channel &* maximumFrames
            let source = inputs == 1 ? 0 : channel
            if !muted, source < inputs, let input = cycle.pointee.inputs?[source] {
                Kernels.copy(input, into: row, frames)
                Kernels.replaceNonFinite(row, frames)
            } else {
                Kernels.silence(row, frames)
            }
        }
        tap.pointee.send(CycleMoment(cycle, sampleTime: sampleTime, isSilenced: false))
    }
}

/// Takes one cycle of an input stream; the function that hosts get with a `CaptureRing`'s address.
///
/// Data thread. Takes no lock, allocates nothing.
@c(oav_capture_cycle) @_noLocks @_noAllocation
package func capture(_ context: UnsafeMutableRawPointer?, _ cycle: UnsafePointer<oav_cycle>?) {
    guard let context, let cycle else { return }
    context.assumingMemoryBound(to: CaptureRing.self).pointee.run(cycle)
}
