package import AudioModel
package import CRealtime
import EffectCore
package import RenderCore
import Synchronization

/// Renders one stream from many sources: owns the memory of the render thread, and makes the sources, taps and
/// processors.
///
/// A source or a tap plays while the published plan contains it. Plans change while cycles run: gains slide within a
/// ramp, and a source that was silent needs no slide.
///
/// Any thread except the render thread; a lock separates callers, and the render thread takes no lock.
///
/// The owner keeps this object until the stream's `close` has returned. After that nothing points to its memory.
///
/// Sendable by rule: the pointer never changes, and `Renderer` documents the rules for the memory that it points to.
package final class EngineRenderer: @unchecked Sendable {
    /// The length of every ramp in seconds: too short to be heard as a fade, long enough to avoid a click.
    private static let rampSeconds = 0.005
    /// The capacity of the ring of retired plans, a power of two.
    private static let retiredPlanCapacity = 16
    /// The largest number of channels of a stream.
    private static let meteredChannels = 64

    /// Hertz.
    package let sampleRate: Double
    /// The largest number of frames of one cycle.
    package let maximumFrames: Int
    /// The length of every ramp in frames.
    package let rampFrames: Int

    private let rendering: UnsafeMutablePointer<Renderer>
    private let memory = RenderMemory()
    private let control = Mutex(Control())

    private struct Control {
        /// The plans that the render thread may still use.
        var plans: [PlanMemory] = []
        /// Retired plans, kept until `reclaim`: the release of a processor may run the app's code.
        var done: [PlanMemory] = []

        mutating func retire(_ plan: UnsafeMutablePointer<RenderPlan>) {
            guard let index = plans.firstIndex(where: { $0.plan == plan }) else { return }
            let memory = plans.remove(at: index)
            if memory.holdsAppCode { done.append(memory) }
        }
    }

    /// - Parameters:
    ///   - sampleRate: hertz, above 0.
    ///   - maximumFrames: the largest number of frames of one cycle, above 0; longer cycles are silent.
    package init(sampleRate: Double, maximumFrames: Int) {
        precondition(sampleRate > 0 && sampleRate.isFinite, "a renderer's sample rate is above 0, not \(sampleRate)")
        precondition(maximumFrames > 0, "a cycle has at least one frame, not \(maximumFrames)")
        self.sampleRate = sampleRate
        self.maximumFrames = maximumFrames
        rampFrames = max(1, Int((sampleRate * Self.rampSeconds).rounded()))
        let levels: UnsafeMutablePointer<Atomic<UInt32>> = memory.room(Self.meteredChannels)
        for channel in 0..<Self.meteredChannels { (levels + channel).initialize(to: Atomic(0)) }
        rendering = memory.block(
            of: Renderer(
                maximumFrames: maximumFrames, rampFrames: rampFrames,
                plans: PlanExchange(
                    storage: memory.room(Self.retiredPlanCapacity), capacity: Self.retiredPlanCapacity),
                levels: OutputLevels(storage: levels, capacity: Self.meteredChannels),
                state: memory.block(of: RendererState())))
    }

    /// The renderer that a host calls; valid as long as this object lives.
    package var renderer: oav_renderer {
        oav_renderer(render: render, context: UnsafeMutableRawPointer(rendering))
    }

    /// Renders a cycle that no device asks for, on the calling thread.
    ///
    /// - Parameters:
    ///   - planes: [channel], each with room for the frames.
    ///   - cuts: whether what starts and stops does so without a slide.
    package func renderByHand(
        _ frames: Int, into planes: [UnsafeMutablePointer<Float>], at time: HostTime, cuts: Bool
    ) {
        planes.map(Optional.some).withUnsafeBufferPointer { planes in
            var cycle = oav_cycle()
            cycle.outputs = planes.baseAddress
            cycle.output_channels = UInt32(planes.count)
            cycle.frames = UInt32(frames)
            cycle.flags = UInt32(cuts ? OAV_CYCLE_BY_HAND | OAV_CYCLE_CUTS : OAV_CYCLE_BY_HAND)
            cycle.sample_rate = sampleRate
            cycle.host_time_ns = time.nanoseconds
            var renderer = renderer
            oav_renderer_call(&renderer, &cycle)
        }
    }

    // MARK: Sources and taps

    /// Makes a source that no plan contains yet.
    ///
    /// - Parameters:
    ///   - channels: the number of channels of the written frames, at least one.
    ///   - readAheadSeconds: how far the producer may be ahead; at least a cycle.
    ///   - origin: the origin of the frames.
    package func makeSource(
        channels: Int, readAheadSeconds: Double, origin: SourceFeed.Origin = .producer
    ) -> SourceFeed {
        precondition(
            readAheadSeconds >= 0 && readAheadSeconds < 3600, "a read-ahead is 0 to 3600 s, not \(readAheadSeconds)")
        return SourceFeed(
            channels: channels, maximumFrames: maximumFrames, rampFrames: rampFrames,
            readAheadFrames: Int((sampleRate * readAheadSeconds).rounded(.up)), origin: origin)
    }

    /// Makes a tap that no plan contains yet.
    ///
    /// - Parameters:
    ///   - capacitySeconds: how long frames may stay unread before they are lost; at least two cycles.
    ///   - call: the block that hears the frames in the cycle.
    package func makeTap(channels: Int, capacitySeconds: Double, call: BlockCall? = nil) -> TapFeed {
        precondition(channels > 0, "a tap has at least one channel")
        let frames = max(2 * maximumFrames, Int((sampleRate * capacitySeconds).rounded(.up))).nextPowerOfTwo
        return TapFeed(
            channels: channels, maximumFrames: maximumFrames, frames: frames,
            // Enough blocks for cycles of 16 frames.
            blockCapacity: max(2, frames / 16), call: call)
    }

    /// Makes a processor that no plan contains yet.
    ///
    /// - Parameters:
    ///   - shape: the shape for which the unit's processor was made, with this renderer's rate and longest cycle.
    ///   - ramps: the ramps of the unit's parameters.
    package func makeProcessor(
        _ unit: any UnitProcessor, _ shape: ProcessorShape, ramps: ParameterRamps? = nil
    ) -> ProcessorSlot {
        precondition(shape.maximumFrames == maximumFrames, "a processor is made for the renderer's cycles")
        return ProcessorSlot(unit, shape: shape, ramps: ramps)
    }

    // MARK: Plans

    /// Publishes a plan, which is rendered from the next cycle on, or after the slide to the plan before has ended.
    ///
    /// - Parameters:
    ///   - sources: the columns of the matrix, in order; each source once.
    ///   - processors: the columns after those of the sources, and the rows after those of the taps, in order; each
    ///     processor once, after the processors that feed it.
    ///   - taps: the rows after those of the outputs, in order; each tap once.
    ///   - matrix: the linear gains, row-major.
    package func publish(
        sources: [SourceFeed], processors: [ProcessorSlot] = [], taps: [TapFeed] = [], outputChannels: Int,
        matrix: [Float]
    ) {
        let plan = PlanMemory(
            sources: sources, processors: processors, taps: taps, outputChannels: outputChannels, matrix: matrix)
        control.withLock {
            $0.plans.append(plan)
            if let replaced = rendering.pointee.plans.publish(plan.plan) { $0.retire(replaced) }
            reclaim(&$0)
        }
    }

    /// Notes that the stream was cut off: when it starts again, nothing of the earlier sound is heard, not even a
    /// slide.
    ///
    /// The next sound may be for another device.
    package func noteCut() { rendering.pointee.noteCut() }

    /// Frees plans that are no longer used.
    ///
    /// The owner calls it regularly, on a thread that may run the app's code.
    package func reclaim() {
        let done = control.withLock { control in
            reclaim(&control)
            defer { control.done = [] }
            return control.done
        }
        withExtendedLifetime(done) {}
    }

    /// Called under the lock of `control`, so that the ring has one consumer.
    private func reclaim(_ control: inout Control) {
        while let plan = rendering.pointee.plans.reclaim() { control.retire(plan) }
    }

    /// The number of plans that the render thread may still use.
    package var livePlans: Int { control.withLock { $0.plans.count } }

    // MARK: Any thread

    /// The last cycle: its sample time, counted from the first cycle, and its host time; nil before the first.
    package var lastCycle: CycleBlock? { rendering.pointee.clock.last() }

    /// The linear peak of each of the first outputs since the last call; only one caller may use it.
    package func takeLevels(outputChannels: Int) -> [Float] {
        control.withLock { _ in (0..<outputChannels).map { rendering.pointee.levels.consume(channel: $0) } }
    }
}
