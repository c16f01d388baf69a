package import CRealtime
internal import EffectCore
package import RenderCore

/// Receives the frames of an input stream: a reader drains them, and listeners get them in the same cycle.
///
/// Its cycles are those of a renderer without outputs, whose only source is the captured sound.
package final class CaptureFeed: Sendable {
    package let channels: Int
    /// Makes taps and processors for `listen`.
    package let engine: EngineRenderer
    private let input: SourceFeed
    private let feed: TapFeed

    /// - Parameters:
    ///   - channels: the number of drained channels, independent of the input. A mono input fills all of them.
    ///     Otherwise channels that the input lacks are silent, and additional ones are left out.
    ///   - maximumFrames: the longest cycle.
    ///   - seconds: how long frames may stay unread.
    package init(channels: Int, maximumFrames: Int, sampleRate: Double, seconds: Double) {
        self.channels = channels
        engine = EngineRenderer(sampleRate: sampleRate, maximumFrames: maximumFrames)
        // Room for cycles down to 32 frames.
        let frames = max(maximumFrames, Int(sampleRate * seconds)).nextPowerOfTwo
        feed = TapFeed(
            channels: channels, maximumFrames: maximumFrames, frames: frames, blockCapacity: max(16, frames / 32))
        input = engine.makeSource(channels: channels, readAheadSeconds: 0, origin: .inputs)
        input.play()
        listen()
    }

    /// The renderer for the stream's configuration; the feed must live until the stream has been closed.
    package var renderer: oav_renderer { engine.renderer }

    /// Captures silence instead of the input from the next cycle on, or the input again.
    ///
    /// Any thread.
    package func setMuted(_ isMuted: Bool) {
        if isMuted { input.pauseAtOnce() } else { input.play() }
    }

    /// Sets the listeners of the input from the next cycle on.
    ///
    /// Any thread except the data thread.
    ///
    /// - Parameters:
    ///   - taps: taps of `engine`.
    ///   - processors: processors of `engine`, each after the processors that feed it.
    ///   - gains: the matrix of a `MixPlan` without an output, whose only source is the mapped input. If nothing of the
    ///     source is heard, the matrix lacks its columns.
    ///   - shared: a tap that hears the mapped input.
    ///   - map: the channel of the input for each of the source's channels; nil for all channels unchanged.
    package func listen(
        _ taps: [TapFeed] = [], processors: [ProcessorSlot] = [], gains: [Float] = [], shared: TapFeed? = nil,
        of map: [Int]? = nil
    ) {
        let selection = Matrix.selection(map ?? Array(0..<channels), columns: channels)
        let made = processors.reduce(0) { $0 + $1.shape.output.channels.count }
        let rows =
            taps.reduce(0) { $0 + $1.channels }
            + processors.flatMap(\.shape.inputs).reduce(0) { $0 + $1.channels.count }
        let columns = rows == 0 ? 0 : gains.count / rows
        let rest = Matrix(rows: rows, columns: columns, gains: gains)
        // The columns of the input, then those of the processors.
        let heard = (0..<rows).flatMap { row -> [Float] in
            let own = rest.row(row).prefix(columns - made)
            let input =
                own.isEmpty
                ? [Float](repeating: 0, count: channels)
                : Matrix(rows: 1, columns: own.count, gains: Array(own)).times(selection).gains
            return input + rest.row(row).suffix(made)
        }
        let silence = [Float](repeating: 0, count: made)
        func direct(_ matrix: Matrix) -> [Float] { (0..<matrix.rows).flatMap { matrix.row($0) + silence } }
        engine.publish(
            sources: [input], processors: processors, taps: [feed] + [shared].compactMap(\.self) + taps,
            outputChannels: 0,
            matrix: direct(.identity(channels)) + (shared == nil ? [] : direct(selection)) + heard)
    }

    /// A tap for `listen`.
    ///
    /// - Parameters:
    ///   - seconds: how long frames may stay unread before they are lost.
    ///   - call: the block that hears the frames in the cycle.
    package func makeTap(channels: Int, seconds: Double, call: BlockCall?) -> TapFeed {
        engine.makeTap(channels: channels, capacitySeconds: seconds, call: call)
    }

    /// Captures frames of the app in manual rendering, in as many cycles as needed.
    ///
    /// - Parameters:
    ///   - interleaved: the frames, [frame][channel].
    ///   - block: the time of the frames.
    package func capture(_ interleaved: UnsafeBufferPointer<Float>, at block: CycleBlock) {
        let frames = interleaved.count / channels
        let planar = (0..<channels).flatMap { channel in (0..<frames).map { interleaved[$0 * channels + channel] } }
        planar.withUnsafeBufferPointer { planar in
            guard let samples = planar.baseAddress else { return }
            for done in stride(from: 0, to: frames, by: engine.maximumFrames) {
                let rows = (0..<channels).map { Optional(samples + $0 * frames + done) }
                rows.withUnsafeBufferPointer { rows in
                    var cycle = oav_cycle()
                    cycle.inputs = rows.baseAddress
                    cycle.input_channels = UInt32(channels)
                    cycle.frames = UInt32(min(engine.maximumFrames, frames - done))
                    cycle.flags = UInt32(OAV_CYCLE_BY_HAND | OAV_CYCLE_CUTS)
                    cycle.sample_rate = engine.sampleRate
                    cycle.host_time_ns =
                        block.hostTimeNanoseconds + UInt64((Double(done) / engine.sampleRate * 1e9).rounded())
                    var renderer = engine.renderer
                    oav_renderer_call(&renderer, &cycle)
                }
            }
        }
    }

    /// Frees memory that the data thread no longer uses.
    package func reclaim() { engine.reclaim() }

    /// Calls `body` with each block since the last call, in order; see `TapFeed.drain`.
    ///
    /// If frames were lost because they were not read in time, the block's sample time is later than the end of the
    /// block before.
    ///
    /// Any thread except the data thread.
    package func drain(_ body: (CycleBlock, UnsafeBufferPointer<Float>) -> Void) { feed.drain(body) }
}
