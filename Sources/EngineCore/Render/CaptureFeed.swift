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
    private let engine: EngineRenderer
    private let input: SourceFeed
    private let feed: TapFeed

    /// Hears some of the input in the cycle.
    package struct Listener {
        let tap: TapFeed
        /// Row-major, [tap's channel][channel of the map], linear; empty for silence, nil for all as they are.
        let gains: [Float]?
        /// Which channel of the input each of its channels is; nil for all as they are.
        let map: [Int]?

        package init(_ tap: TapFeed, gains: [Float]?, of map: [Int]?) {
            (self.tap, self.gains, self.map) = (tap, gains, map)
        }

        fileprivate func matrix(inputs: Int) -> [Float] {
            let selection = Matrix.selection(map ?? Array(0..<inputs), columns: inputs)
            guard let gains else { return selection.gains }
            guard !gains.isEmpty else { return Matrix(rows: tap.channels, columns: inputs).gains }
            return Matrix(rows: tap.channels, columns: selection.rows, gains: gains).times(selection).gains
        }
    }

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
        listen([])
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
    package func listen(_ listeners: [Listener]) {
        engine.publish(
            sources: [input], taps: [feed] + listeners.map(\.tap), outputChannels: 0,
            matrix: Matrix.identity(channels).gains + listeners.flatMap { $0.matrix(inputs: channels) })
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
                    cycle.flags = UInt32(OAV_CYCLE_BY_HAND)
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
