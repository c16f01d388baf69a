import Synchronization

/// Carries the frames that one clock captures to a source that another clock plays.
///
/// Frames wait in the source's buffer. At first, and whenever it has run dry, silence of the length of the lead is
/// written before them, so that neither the length of blocks nor a late writer leaves gaps. The clocks drift apart, and
/// the sound is not resampled to follow. If the buffer runs dry, there is a gap of silence, and the lead is longer
/// after that. If more than twice the lead waits, frames are left out until the lead remains. At 100 ppm between the
/// clocks, either happens once in some minutes.
///
/// Source: ours (docs/decisions/0011-input-on-the-outputs-clock.md).
///
/// Any thread except the render thread; a lock separates callers.
package final class CaptureBridge: Sendable {
    /// The first lead in seconds, in addition to a block: three times the interval at which captured frames are read.
    private static let leadSeconds = 0.03
    /// The longest lead in seconds.
    private static let mostLeadSeconds = 0.3

    private let source: SourceFeed
    private let converter: (any FrameConverter)?
    private let mostLeadFrames: Int
    private let state: Mutex<State>

    private struct State {
        /// The lead: frames that wait in addition to a block.
        var leadFrames: Int
        /// The length of the longest block so far, in frames at the renderer's rate.
        var blockFrames = 0
        var isPlaying = false
        /// The number of frames to leave out next.
        var excessFrames = 0
        var converted: FrameQueue

        /// The number of frames that wait after a block has been written.
        var targetFrames: Int { leadFrames + blockFrames }
    }

    /// - Parameters:
    ///   - source: the source; it plays from the first block on, and only this object writes to it.
    ///   - sampleRate: the renderer's rate in hertz.
    ///   - converter: the converter from the captured rate to the renderer's; nil if the rates are equal.
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
            // The queue is moved out and back, because `append` changes the state.
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
