package import AudioModel
package import CRealtime
package import RenderCore
import Synchronization

/// Renders one stream from one source: the memory that the render thread works on, and the two sides that feed it.
///
/// - **Control side**: `play`, `pause`, `pauseAtOnce`, `setVolume`, `setOutputChannels`, `drainFrames`, `takeEvents`.
/// - **Producer**: `writableFrames`, `write`, `markEndOfStream`, `flush`.
/// - **Any thread**: `positionFrames`, `stats`, `renderer`.
///
/// Each side may be any thread but the render thread: a lock a side keeps its callers apart, and the render thread takes
/// neither. The order in which several threads write frames is theirs to keep.
///
/// The owner keeps this alive until the stream's `close` has returned; then nothing points here any more, and `deinit`
/// frees the memory.
package final class Playback: Sendable {
    /// Seconds of every ramp: too short to hear as a fade, long enough not to click.
    package static let rampSeconds = 0.005

    /// Hertz.
    package let sampleRate: Double
    /// Frames of every ramp at this rate.
    package let rampFrames: Int

    private let channels: [ChannelLabel]
    private let readAheadFrames: Int
    private let sourceMemory: SourceMemory
    private let rendererMemory: RendererMemory
    private let parameters = Mutex(SourceParameters())
    private let plans = Mutex(())
    private let producer = Mutex(Producer())

    private struct Producer {
        /// The lane that frames go to; the render thread plays it or will do so next.
        var lane = 0
        /// Seeks so far.
        var generation: UInt32 = 0
        var hasEnd = false
    }

    /// - Parameters:
    ///   - sampleRate: hertz, above 0.
    ///   - maximumFrames: the most frames of one cycle, above 0; longer cycles are silent and counted.
    ///   - sourceChannels: of the interleaved frames written, at least one.
    ///   - readAheadSeconds: how far the producer may be ahead.
    package init(
        sampleRate: Double, maximumFrames: Int, sourceChannels: [ChannelLabel], readAheadSeconds: Double
    ) {
        precondition(sampleRate > 0 && sampleRate.isFinite, "a playback's sample rate is above 0, not \(sampleRate)")
        precondition(maximumFrames > 0, "a cycle has at least one frame, not \(maximumFrames)")
        precondition(!sourceChannels.isEmpty, "a playback has at least one source channel")
        precondition(
            readAheadSeconds >= 0 && readAheadSeconds < 3600, "a read-ahead is 0 to 3600 s, not \(readAheadSeconds)")
        self.sampleRate = sampleRate
        channels = sourceChannels
        rampFrames = max(1, Int((sampleRate * Self.rampSeconds).rounded()))
        // Never below a cycle, which could otherwise not be filled.
        readAheadFrames = max(maximumFrames, Int((sampleRate * readAheadSeconds).rounded(.up)))
        sourceMemory = SourceMemory(
            channels: sourceChannels.count, maximumFrames: maximumFrames, rampFrames: rampFrames,
            laneFrames: readAheadFrames.nextPowerOfTwo)
        rendererMemory = RendererMemory(maximumFrames: maximumFrames, rampFrames: rampFrames)
        setOutputChannels(sourceChannels)
    }

    /// What a host calls; valid as long as this object lives.
    package var renderer: oav_renderer {
        oav_renderer(render: render, context: UnsafeMutableRawPointer(rendererMemory.renderer))
    }

    // MARK: Control side

    /// Mixes for these output channels from the next cycle on; gains slide there within a ramp.
    ///
    /// Until the first call the outputs are the source's channels one to one.
    package func setOutputChannels(_ labels: [ChannelLabel]) {
        let plan = PlanMemory.allocate(
            source: sourceMemory.source, sourceChannels: channels.count, outputChannels: labels.count,
            matrix: MixMatrix.compile(from: channels, to: labels))
        plans.withLock { _ in
            if let replaced = rendererMemory.renderer.pointee.plans.publish(plan) { PlanMemory.free(replaced) }
            reclaimPlans()
        }
    }

    /// Plays from where it stands; fades in unless at the source's first frame.
    ///
    /// Idempotent.
    package func play() {
        change { $0.isPlaying = true }
    }

    /// Fades out, then holds the position; `fadeFinished` says when, once for each call.
    package func pause() {
        change {
            $0.isPlaying = false
            $0.pauseRequests &+= 1
        }
    }

    /// From the next cycle on silent without a fade, even if one is under way, and holds the position.
    package func pauseAtOnce() {
        change {
            $0.isPlaying = false
            $0.pauseRequests &+= 1
            $0.cuts &+= 1
        }
    }

    /// - Parameter volume: linear amplitude, 0 or more; 1 leaves the samples as they are. Not finite or negative: 0.
    package func setVolume(_ volume: Float) {
        change { $0.volume = volume.isFinite ? max(volume, 0) : 0 }
    }

    /// Frames of silence between the last frame and `drained`: the host's latency, so that a stream is not stopped
    /// while its end is still on the way.
    ///
    /// 0 at first.
    package var drainFrames: Int {
        get { parameters.withLock { Int($0.drainFrames) } }
        set { change { $0.drainFrames = Int32(clamping: max(0, newValue)) } }
    }

    /// What happened since the last call, in order; also frees the plans that are done with, so call it regularly.
    ///
    /// Without `sourceEnded` and `drained` of a place that a later `flush` has left.
    package func takeEvents() -> [RenderEvent] {
        plans.withLock { _ in
            reclaimPlans()
            var events: [RenderEvent] = []
            while let event = rendererMemory.renderer.pointee.report.takeEvent() { events.append(event) }
            let generation = producer.withLock { $0.generation }
            return events.filter { event in
                switch event.kind {
                case .sourceEnded, .drained: event.generation == generation
                case .fadeFinished, .underrunBegan, .underrunEnded, .discontinuity: true
                }
            }
        }
    }

    private func change(_ body: (inout SourceParameters) -> Void) {
        parameters.withLock {
            body(&$0)
            sourceMemory.source.pointee.parameters.publish($0)
        }
    }

    /// Under `plans`, which makes its callers the one consumer of the rings.
    private func reclaimPlans() {
        while let plan = rendererMemory.renderer.pointee.plans.reclaim() { PlanMemory.free(plan) }
    }

    // MARK: Producer

    /// How many frames `write` would take now.
    package var writableFrames: Int {
        producer.withLock { writableFrames($0) }
    }

    /// Appends interleaved frames.
    ///
    /// - Parameter interleaved: [frame][channel], nominal ±1; samples beyond the last whole frame are left out. Samples
    ///   that are not finite are played as 0.
    /// - Returns: the frames taken: fewer than given when the read-ahead is full, 0 after `markEndOfStream`.
    package func write(interleaved: UnsafeBufferPointer<Float>) -> Int {
        producer.withLock { producer in
            guard let samples = interleaved.baseAddress else { return 0 }
            let count = min(interleaved.count / channels.count, writableFrames(producer))
            return sourceMemory.lanes[producer.lane].ring.write(samples, count: count)
        }
    }

    /// What was written so far is all; `sourceEnded`, then `drained` follow when it has been rendered.
    package func markEndOfStream() {
        producer.withLock {
            $0.hasEnd = true
            sourceMemory.lanes[$0.lane].markEnd()
        }
    }

    /// Seeks: what was written before is dropped, what is written from now on begins at this frame.
    ///
    /// `positionFrames` follows at once and the whole read-ahead is free to write, also while nothing is rendered. Where
    /// something sounds it fades out, and the new place fades in.
    /// - Parameter frame: 0 or more.
    package func flush(toFrame frame: Int64) {
        precondition(frame >= 0, "a position is 0 or more, not \(frame)")
        producer.withLock { producer in
            // An offer that comes back untaken is filled anew; else the renderer holds it, and has left the other.
            if !sourceMemory.source.pointee.withdrawLane() {
                producer.lane = 1 - producer.lane
            }
            producer.generation &+= 1
            producer.hasEnd = false
            sourceMemory.lanes[producer.lane].restart(atFrame: frame, generation: producer.generation)
            sourceMemory.source.pointee.position.ask(frame: frame, generation: producer.generation)
            sourceMemory.source.pointee.offerLane(producer.lane)
        }
    }

    private func writableFrames(_ producer: Producer) -> Int {
        guard !producer.hasEnd else { return 0 }
        let lane = sourceMemory.lanes + producer.lane
        let waiting = lane.pointee.ring.slots.capacity - lane.pointee.ring.slots.writableSlots()
        return max(0, readAheadFrames - waiting)
    }

    // MARK: Any thread

    /// The frame after the one that was rendered last, at the source's rate; right after `flush`, its target.
    package var positionFrames: Int64 { sourceMemory.source.pointee.position.frame() }

    package var stats: RenderStats {
        var stats = rendererMemory.renderer.pointee.report.stats()
        stats.refusedRetirements = rendererMemory.renderer.pointee.plans.refusedRetirements()
        return stats
    }
}
