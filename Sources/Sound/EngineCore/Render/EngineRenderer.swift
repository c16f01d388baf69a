package import CRealtime
import EffectCore
package import RenderCore
import Synchronization

/// Renders one stream from many sources: the memory that the render thread works on, and what feeds it.
///
/// Sources and taps are made here, sound once a plan that names them was published, and end with one that does not.
/// Plans change while cycles run: gains slide within a ramp, and a source that was silent needs no slide.
///
/// Any thread but the render thread may call everything; a lock keeps callers apart, and the render thread takes none.
///
/// The owner keeps this alive until the stream's `close` has returned; then nothing points here any more, and the memory
/// goes.
///
/// Sendable by rule: the pointer never changes, and what it points to is shared by the rules that `Renderer` documents.
package final class EngineRenderer: @unchecked Sendable {
    /// Seconds of every ramp: too short to hear as a fade, long enough not to click.
    private static let rampSeconds = 0.005
    /// A power of two.
    private static let retiredPlanCapacity = 16
    /// As many channels as a stream is linked to at most.
    private static let meteredChannels = 64

    /// Hertz.
    package let sampleRate: Double
    /// The most frames of one cycle.
    package let maximumFrames: Int
    /// Frames of every ramp at this rate.
    package let rampFrames: Int

    private let rendering: UnsafeMutablePointer<Renderer>
    private let memory = RenderMemory()
    private let control = Mutex(Control())

    private struct Control {
        /// The plans that the render thread may still look at.
        var plans: [PlanMemory] = []
        /// The others, until `reclaim`: the last reference to a processor may end code of the app's.
        var done: [PlanMemory] = []

        mutating func retire(_ plan: UnsafeMutablePointer<RenderPlan>) {
            guard let index = plans.firstIndex(where: { $0.plan == plan }) else { return }
            let memory = plans.remove(at: index)
            if memory.holdsAppCode { done.append(memory) }
        }
    }

    /// - Parameters:
    ///   - sampleRate: hertz, above 0.
    ///   - maximumFrames: the most frames of one cycle, above 0; longer cycles are silent.
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

    /// What a host calls; valid as long as this object lives.
    package var renderer: oav_renderer {
        oav_renderer(render: render, context: UnsafeMutableRawPointer(rendering))
    }

    // MARK: Sources and taps

    /// A source that no plan plays yet.
    ///
    /// - Parameters:
    ///   - channels: of the interleaved frames written, at least one.
    ///   - readAheadSeconds: how far the producer may be ahead; never less than a cycle.
    ///   - origin: what makes the frames.
    package func makeSource(
        channels: Int, readAheadSeconds: Double, origin: SourceFeed.Origin = .producer
    ) -> SourceFeed {
        precondition(
            readAheadSeconds >= 0 && readAheadSeconds < 3600, "a read-ahead is 0 to 3600 s, not \(readAheadSeconds)")
        return SourceFeed(
            channels: channels, maximumFrames: maximumFrames, rampFrames: rampFrames,
            readAheadFrames: Int((sampleRate * readAheadSeconds).rounded(.up)), origin: origin)
    }

    /// A tap that no plan feeds yet.
    ///
    /// - Parameters:
    ///   - capacitySeconds: how long frames may stay unread before they are lost; never less than two cycles.
    ///   - call: hears them in the cycle.
    package func makeTap(channels: Int, capacitySeconds: Double, call: BlockCall? = nil) -> TapFeed {
        precondition(channels > 0, "a tap has at least one channel")
        let frames = max(2 * maximumFrames, Int((sampleRate * capacitySeconds).rounded(.up))).nextPowerOfTwo
        return TapFeed(
            channels: channels, maximumFrames: maximumFrames, frames: frames,
            // Cycles as short as 16 frames have room.
            blockCapacity: max(2, frames / 16), call: call)
    }

    /// A processor that no plan runs yet.
    ///
    /// - Parameters:
    ///   - shape: of this renderer's rate and its most frames, and what the unit's processor was made for.
    ///   - ramps: of the unit's parameters.
    package func makeProcessor(
        _ unit: any UnitProcessor, _ shape: ProcessorShape, ramps: ParameterRamps? = nil
    ) -> ProcessorSlot {
        precondition(shape.maximumFrames == maximumFrames, "a processor is made for the renderer's cycles")
        return ProcessorSlot(unit, shape: shape, ramps: ramps)
    }

    // MARK: Plans

    /// Renders these from the next cycle on, or as soon as the slide to the plan before is over.
    ///
    /// - Parameters:
    ///   - sources: the columns of the matrix, in turn; each once.
    ///   - processors: the columns after those of the sources, and the rows after those of the taps, in turn; each once, and
    ///     after all whose sound it gets.
    ///   - taps: the rows after those of the outputs, in turn; each once.
    ///   - matrix: row-major, linear gains.
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

    /// The stream was cut off: nothing of what it played sounds when it is started again, not even for a slide.
    ///
    /// What it plays next may be for another device.
    package func noteCut() { rendering.pointee.noteCut() }

    /// Frees what is done with; to be called regularly, and on no thread that must not run code of the app's.
    package func reclaim() {
        let done = control.withLock { control in
            reclaim(&control)
            defer { control.done = [] }
            return control.done
        }
        withExtendedLifetime(done) {}
    }

    /// Under `control`, which makes its callers the one consumer of the ring.
    private func reclaim(_ control: inout Control) {
        while let plan = rendering.pointee.plans.reclaim() { control.retire(plan) }
    }

    /// Plans whose memory the render thread may still look at.
    package var livePlans: Int { control.withLock { $0.plans.count } }

    // MARK: Any thread

    /// The last cycle: its sample time, counted from the first cycle, and its host time; nil before the first.
    package var lastCycle: CycleBlock? { rendering.pointee.clock.last() }

    /// The peak of each of the first outputs since the last call, linear; the one caller hears them.
    package func takeLevels(outputChannels: Int) -> [Float] {
        control.withLock { _ in (0..<outputChannels).map { rendering.pointee.levels.consume(channel: $0) } }
    }
}
