package import CRealtime
import Synchronization

/// A matrix mixer at work on input busses of one shape: owns its memory.
///
/// Control threads make it, one render thread at a time uses `processor`; the owner keeps this alive meanwhile.
///
/// `@unchecked Sendable` by rule: nothing of it changes but what the render thread alone uses.
package final class MatrixProcessor: @unchecked Sendable {
    /// Valid as long as this object lives.
    package let processor: oav_processor
    package let latencyFrames = 0
    private let levels: MatrixLevels
    private let memory = RenderMemory()

    /// - Parameters:
    ///   - inputChannels: of all input busses together, at most `MatrixLevels.mostChannels`.
    ///   - outputChannels: at most as many.
    ///   - sampleRate: hertz, above 0.
    package init(_ levels: MatrixLevels, inputChannels: Int, outputChannels: Int, sampleRate: Double) {
        precondition(
            max(inputChannels, outputChannels) <= MatrixLevels.mostChannels,
            "A matrix mixer has at most 64 channels on a side, not \(inputChannels) and \(outputChannels).")
        self.levels = levels
        let gains: UnsafeMutablePointer<Ramp> = memory.room(inputChannels * outputChannels)
        gains.initialize(repeating: Ramp(0), count: inputChannels * outputChannels)
        let state = memory.block(
            of: MatrixState(
                cells: levels.cells, gains: gains, inputChannels: inputChannels, outputChannels: outputChannels,
                slideFrames: max(1, Int(0.005 * sampleRate))))
        processor = oav_processor(
            process: processMatrix, reset: resetMatrix, context: UnsafeMutableRawPointer(state), quiet_frames: 0)
    }
}

/// The render thread's side of a matrix mixer.
///
/// A changed level slides for 5 ms.
private struct MatrixState {
    let cells: UnsafeMutablePointer<Atomic<UInt32>>
    /// [input][output], where they are now.
    let gains: UnsafeMutablePointer<Ramp>
    let inputChannels: Int
    let outputChannels: Int
    let slideFrames: Int
    /// Nothing has sounded that a change of levels could make click.
    var isFresh = true

    @_noLocks @_noAllocation
    private func level(_ cell: Int) -> Float { Float(bitPattern: cells[cell].load(ordering: .relaxed)) }

    @_noLocks @_noAllocation
    mutating func process(_ process: UnsafePointer<oav_process>) {
        let frames = Int(process.pointee.frames)
        let outputs = process.pointee.output
        for channel in 0..<Int(outputs.channel_count) { Samples.silence(outputs.channels[channel], frames) }
        var input = 0
        for bus in 0..<Int(process.pointee.input_count) {
            let channels = process.pointee.inputs[bus]
            for channel in 0..<Int(channels.channel_count) where input < inputChannels {
                for output in 0..<min(outputChannels, Int(outputs.channel_count)) {
                    mix(channels.channels[channel], input, to: outputs.channels[output], output, frames)
                }
                input &+= 1
            }
        }
        isFresh = false
    }

    @_noLocks @_noAllocation
    private func mix(
        _ samples: UnsafePointer<Float>, _ input: Int, to mixed: UnsafeMutablePointer<Float>, _ output: Int,
        _ frames: Int
    ) {
        let wanted =
            level(0) * level(MatrixCells.input(input)) * level(MatrixCells.output(output))
            * level(MatrixCells.crosspoint(input, output))
        let gain = gains + (input &* outputChannels &+ output)
        if isFresh { gain.pointee = Ramp(wanted) }
        gain.pointee.slide(to: wanted, frames: slideFrames)
        if gain.pointee.frames > 0 {
            for frame in 0..<frames { mixed[frame] += samples[frame] * gain.pointee.next() }
        } else if wanted != 0 {
            for frame in 0..<frames { mixed[frame] += samples[frame] * wanted }
        }
    }
}

/// What the host calls.
@_noLocks @_noAllocation
private func processMatrix(_ context: UnsafeMutableRawPointer?, _ process: UnsafePointer<oav_process>) {
    context?.assumingMemoryBound(to: MatrixState.self).pointee.process(process)
}

/// What the host calls.
@_noLocks @_noAllocation
private func resetMatrix(_ context: UnsafeMutableRawPointer?) {
    context?.assumingMemoryBound(to: MatrixState.self).pointee.isFresh = true
}
