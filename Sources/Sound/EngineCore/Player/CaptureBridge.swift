import Synchronization

/// Carries what one clock captures to a source that another clock plays.
///
/// Frames wait in the source's buffer: at first, and whenever it has run dry, behind silence of the lead, so that neither
/// blocks nor a writer that is a little late leave gaps. The clocks drift apart, and nothing here bends the sound to
/// follow: where the buffer runs dry there is a gap of silence, and the lead is longer from then on; where more than twice
/// the lead waits, frames are left out, back to the lead. At 100 ppm between the clocks either happens once in some minutes.
///
/// Source: ours (docs/decisions/0011-input-on-the-outputs-clock.md).
///
/// Any thread but the render thread; a lock keeps callers apart.
package final class CaptureBridge: Sendable {
    /// Seconds that wait at first, beside a block: three times the interval at which captured frames are looked for.
    private static let leadSeconds = 0.03
    /// The longest lead that starving leads to.
    private static let mostLeadSeconds = 0.3

    private let source: SourceFeed
    private let converter: (any FrameConverter)?
    private let mostLeadFrames: Int
    private let state: Mutex<State>

    private struct State {
        /// Frames that are to wait, beside a block.
        var leadFrames: Int
        /// Frames of the longest block so far, at the renderer's rate.
        var blockFrames = 0
        var isPlaying = false
        /// To be left out of what comes next.
        var excessFrames = 0
        var converted: FrameQueue

        /// Frames that are to wait when a block has been written behind them.
        var targetFrames: Int { leadFrames + blockFrames }
    }

    /// - Parameters:
    ///   - source: plays from the first block on; this is its only writer.
    ///   - sampleRate: the renderer's, in hertz.
    ///   - converter: from the rate of what is captured to the renderer's; nil where they are the same.
    package init(source: SourceFeed, sampleRate: Double, converter: (any FrameConverter)?) {
        self.source = source
        self.converter = converter
        source.readAheadFrames = source.capacityFrames
        mostLeadFrames = min(Int(sampleRate * Self.mostLeadSeconds), source.capacityFrames / 4)
        state = Mutex(
            State(
                leadFrames: min(Int(sampleRate * Self.leadSeconds), mostLeadFrames),
                converted: FrameQueue(channels: source.channels)))
    }

    /// - Parameter interleaved: the next captured frames, in the source's channels.
    package func write(interleaved: UnsafeBufferPointer<Float>) {
        state.withLock { state in
            guard let converter else { return append(interleaved, &state) }
            // Moved out and back, as `append` changes the state.
            var converted = FrameQueue(channels: source.channels)
            swap(&converted, &state.converted)
            defer { swap(&converted, &state.converted) }
            guard converter.convertAll(interleaved, channels: source.channels, into: &converted) else {
                return converted.removeAll()
            }
            _ = converted.consume { frames in
                append(frames, &state)
                return frames.count / source.channels
            }
        }
    }

    private func append(_ samples: UnsafeBufferPointer<Float>, _ state: inout State) {
        let channels = source.channels
        let frames = samples.count / channels
        guard frames > 0 else { return }
        state.blockFrames = max(state.blockFrames, frames)
        let waiting = source.capacityFrames - source.writableFrames
        if waiting == 0 {
            if state.isPlaying { state.leadFrames = min(state.leadFrames * 2, mostLeadFrames) }
            state.excessFrames = 0
            let silence = [Float](repeating: 0, count: state.targetFrames * channels)
            _ = silence.withUnsafeBufferPointer { source.write(interleaved: $0) }
        } else if waiting > 2 * state.targetFrames, state.excessFrames == 0 {
            state.excessFrames = waiting - state.targetFrames
        }
        let left = min(frames, state.excessFrames)
        state.excessFrames -= left
        _ = source.write(interleaved: UnsafeBufferPointer(rebasing: samples[(left * channels)...]))
        if !state.isPlaying {
            state.isPlaying = true
            source.play()
        }
    }
}
