package import AudioModel
package import CRealtime
package import RenderCore
import Synchronization

/// Renders one stream from one source: the memory that the render thread works on, and the two sides that feed it.
///
/// - **Control side**: `play`, `pause`, `pauseAtOnce`, `setVolume`, `setOutputChannels`, `setOutputs`,
///   `pan`, `setTap`, `drainFrames`, `takeEvents`.
/// - **Producer**: `readAheadFrames`, `writableFrames`, `write`, `markEndOfStream`, `flush`.
/// - **Any thread**: `positionFrames`, `lastCycleFrames`, `takeLevels`, `stats`, `renderer`.
///
/// Each side may be any thread but the render thread: a lock a side keeps its callers apart, and the render thread takes
/// neither. The order in which several threads write frames is theirs to keep.
///
/// The owner keeps this alive until the stream's `close` has returned; then nothing points here any more, and `deinit`
/// frees the memory.
package final class Playback: Sendable {
    /// Seconds of every ramp: too short to hear as a fade, long enough not to click.
    package static let rampSeconds = EngineRenderer.rampSeconds

    /// Hertz.
    package let sampleRate: Double
    /// Frames of every ramp at this rate.
    package let rampFrames: Int

    private let channels: [ChannelLabel]
    private let engine: EngineRenderer
    private let source: SourceFeed
    private let outputs: Mutex<Outputs>

    /// - Parameters:
    ///   - sampleRate: hertz, above 0.
    ///   - maximumFrames: the most frames of one cycle, above 0; longer cycles are silent and counted.
    ///   - sourceChannels: of the interleaved frames written, at least one.
    ///   - readAheadSeconds: how far the producer may be ahead.
    package init(
        sampleRate: Double, maximumFrames: Int, sourceChannels: [ChannelLabel], readAheadSeconds: Double
    ) {
        precondition(!sourceChannels.isEmpty, "a playback has at least one source channel")
        self.sampleRate = sampleRate
        channels = sourceChannels
        engine = EngineRenderer(sampleRate: sampleRate, maximumFrames: maximumFrames)
        rampFrames = engine.rampFrames
        source = engine.makeSource(channels: sourceChannels.count, readAheadSeconds: readAheadSeconds)
        outputs = Mutex(Outputs(ports: [sourceChannels]))
        change { _ in }
    }

    /// What a host calls; valid as long as this object lives.
    package var renderer: oav_renderer { engine.renderer }

    // MARK: Control side

    /// Mixes for these output channels from the next cycle on; gains slide there within a ramp.
    ///
    /// Until the first call the outputs are the source's channels one to one.
    package func setOutputChannels(_ labels: [ChannelLabel]) {
        change {
            $0.ports = [labels]
            $0.places = []
            $0.map = nil
        }
    }

    /// Mixes for the channels of these ports in a row, by the default map or by one's own: output i plays the source's
    /// channel `map[i]`, or nothing where there is none.
    ///
    /// Where a channel is another one than before and gets something else, all that was mixed before ends at once and the
    /// next fades in: a slide would sound on a device that it was not meant for.
    package func setOutputs(_ ports: [Port], map: [Int]?) {
        let places = ports.flatMap { port in port.channels.indices.map { Place(uid: port.uid, channel: $0) } }
        change { outputs in
            let (placesBefore, before) = (outputs.places, matrix(outputs))
            outputs.ports = ports.map(\.channels)
            outputs.places = places
            outputs.map = map
            let after = matrix(outputs)
            let isCut = zip(placesBefore, places).enumerated().contains { row, place in
                place.0 != place.1 && row < min(before.rows, after.rows) && before.row(row) != after.row(row)
            }
            if isCut { engine.noteCut() }
        }
    }

    /// -1 (left) to 1 (right); 0 changes nothing.
    ///
    /// A map overrides it.
    package var pan: Float {
        get { outputs.withLock { $0.pan } }
        set { change { $0.pan = newValue.isFinite ? min(max(newValue, -1), 1) : 0 } }
    }

    /// Lets a tap hear the source's channels, from the next cycle on; nil: nobody does.
    package func setTap(_ tap: TapFeed?) { change { $0.tap = tap } }

    /// A tap for `setTap`.
    package func makeTap(capacitySeconds: Double) -> TapFeed {
        engine.makeTap(channels: channels.count, capacitySeconds: capacitySeconds)
    }

    private struct Outputs {
        var ports: [[ChannelLabel]]
        /// Of the channels of all ports in a row; empty where nobody said.
        var places: [Place] = []
        var map: [Int]?
        var pan: Float = 0
        var tap: TapFeed?
    }

    /// A channel of a port.
    private struct Place: Hashable {
        var uid: String
        var channel: Int
    }

    /// Published under the lock, or an older plan could overtake a newer one.
    private func change(_ body: (inout Outputs) -> Void) {
        outputs.withLock { outputs in
            body(&outputs)
            let matrix = matrix(outputs)
            engine.publish(
                sources: [source], taps: outputs.tap.map { [$0] } ?? [], outputChannels: matrix.rows,
                matrix: matrix.gains + (outputs.tap == nil ? [] : Matrix.identity(channels.count).gains))
        }
    }

    private func matrix(_ outputs: Outputs) -> Matrix {
        if let map = outputs.map { return .selection(map, columns: channels.count) }
        let rows = outputs.ports.reduce(0) { $0 + $1.count }
        let gains = PanLaw.gains(pan: outputs.pan, channels: outputs.ports.first ?? [])
        return Matrix(
            rows: rows, columns: channels.count,
            gains: MixMatrix.compile(from: channels, toPorts: outputs.ports)
        ).scaled(rowsBy: gains + [Float](repeating: 1, count: rows - gains.count))
    }

    /// Plays from where it stands; fades in unless at the source's first frame.
    ///
    /// Idempotent.
    package func play() { source.play() }

    /// As `play`, from an instant of the host's clock on, to the frame; silent until then.
    package func play(at instant: HostTime) { source.play(at: instant) }

    /// Fades out, then holds the position; `fadeFinished` says when, once for each call.
    package func pause() { source.pause() }

    /// From the next cycle on silent without a fade, even if one is under way, and holds the position.
    package func pauseAtOnce() { source.pauseAtOnce() }

    /// - Parameter volume: linear amplitude, 0 or more; 1 leaves the samples as they are. Not finite or negative: 0.
    package func setVolume(_ volume: Float) { source.setVolume(volume) }

    /// Frames of silence between the last frame and `drained`: the host's latency, so that a stream is not stopped
    /// while its end is still on the way.
    ///
    /// 0 at first.
    package var drainFrames: Int {
        get { source.drainFrames }
        set { source.drainFrames = newValue }
    }

    /// What happened since the last call, in order; also frees the plans that are done with, so call it regularly.
    ///
    /// Without `sourceEnded` and `drained` of a place that a later `flush` has left.
    package func takeEvents() -> [RenderEvent] { engine.takeEvents().filter(source.isCurrent) }

    // MARK: Producer

    /// How far the producer may be ahead, in frames: 1 to what the playback was made with, rounded up to a power of two.
    package var readAheadFrames: Int {
        get { source.readAheadFrames }
        set { source.readAheadFrames = newValue }
    }

    /// How many frames `write` would take now.
    package var writableFrames: Int { source.writableFrames }

    /// Appends interleaved frames.
    ///
    /// - Parameter interleaved: [frame][channel], nominal ±1; samples beyond the last whole frame are left out. Samples
    ///   that are not finite are played as 0.
    /// - Returns: the frames taken: fewer than given when the read-ahead is full, 0 after `markEndOfStream`.
    package func write(interleaved: UnsafeBufferPointer<Float>) -> Int { source.write(interleaved: interleaved) }

    /// What was written so far is all; `sourceEnded`, then `drained` follow when it has been rendered.
    package func markEndOfStream() { source.markEnd() }

    /// Seeks: what was written before is dropped, what is written from now on begins at this frame.
    ///
    /// `positionFrames` follows at once and the whole read-ahead is free to write, also while nothing is rendered. Where
    /// something sounds it fades out, and the new place fades in.
    /// - Parameter frame: 0 or more.
    package func flush(toFrame frame: Int64) { source.flush(toFrame: frame) }

    // MARK: Any thread

    /// The frame after the one that was rendered last, at the source's rate; right after `flush`, its target.
    package var positionFrames: Int64 { source.positionFrames }

    /// Of the last cycle; 0 before the first.
    package var lastCycleFrames: Int { engine.lastCycle?.frames ?? 0 }

    /// The peak of each of the first outputs since the last call, linear.
    package func takeLevels(outputChannels: Int) -> [Float] { engine.takeLevels(outputChannels: outputChannels) }

    package var stats: RenderStats { engine.stats }
}
