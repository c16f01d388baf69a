package import CRealtime
internal import EffectCore
package import RenderCore
import Synchronization

/// The receiving end of an input stream: what the host's data thread captures, for a reader to drain, and for listeners in the
/// same cycle.
///
/// Its cycles are those of a renderer without outputs, whose one source is what they bring.
package final class CaptureFeed: Sendable {
    package let channels: Int
    /// Makes taps and processors for `listen`.
    package let engine: EngineRenderer
    private let input: SourceFeed
    private let feed: TapFeed

    /// - Parameters:
    ///   - channels: of what is drained, whatever the input has: a mono input fills each, else those that it lacks are
    ///     silent, and those beyond are left out.
    ///   - maximumFrames: of one cycle.
    ///   - seconds: how long the frames may stay unread.
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

    /// For the stream's configuration; the feed must live until the stream has been closed.
    package var renderer: oav_renderer { engine.renderer }

    /// From the next cycle on, silence is captured in place of the input, or the input again.
    ///
    /// Any thread.
    package func setMuted(_ isMuted: Bool) {
        if isMuted { input.pauseAtOnce() } else { input.play() }
    }

    /// Lets these hear the input from the next cycle on, and no others.
    ///
    /// Any thread but the data thread.
    ///
    /// - Parameters:
    ///   - taps: of `engine`.
    ///   - processors: of `engine`, each after all whose sound it gets.
    ///   - gains: of a `MixPlan` without an output, whose one source is what `map` makes of the input; without the source's columns
    ///     where nothing of it is heard.
    ///   - shared: hears what `map` makes of the input.
    ///   - map: which channel of the input each of the source's channels is; nil for all as they are.
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
        // Every column of the input, then those of the processors.
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
    ///   - call: hears them in the cycle.
    package func makeTap(channels: Int, seconds: Double, call: BlockCall?) -> TapFeed {
        engine.makeTap(channels: channels, capacitySeconds: seconds, call: call)
    }

    /// Captures what the app gives by hand, in as many cycles as it takes.
    ///
    /// - Parameters:
    ///   - interleaved: in its channels.
    ///   - block: their time.
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

    /// Frees what the data thread is done with.
    package func reclaim() { engine.reclaim() }

    /// Calls `body` with each block since the last call, in order; see `TapFeed.drain`.
    ///
    /// Where frames were lost, because they were not read in time, the block's sample time is later than the end of the
    /// block before.
    ///
    /// Any thread but the data thread.
    package func drain(_ body: (CycleBlock, UnsafeBufferPointer<Float>) -> Void) { feed.drain(body) }
}
