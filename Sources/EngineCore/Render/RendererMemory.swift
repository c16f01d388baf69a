import RenderCore
import Synchronization

/// Owns a renderer and its rings.
///
/// Sendable by rule: the pointers never change, what they point to is shared by the rules that `Renderer` documents, and
/// the memory goes when no cycle can come any more.
final class RendererMemory: @unchecked Sendable {
    let renderer: UnsafeMutablePointer<Renderer>
    private let memory = RenderMemory()
    /// Powers of two.
    private static let (eventCapacity, retiredPlanCapacity) = (256, 16)
    /// As many channels as a stream is linked to at most.
    private static let meteredChannels = 64

    init(maximumFrames: Int, rampFrames: Int) {
        let levels: UnsafeMutablePointer<Atomic<UInt32>> = memory.room(Self.meteredChannels)
        for channel in 0..<Self.meteredChannels { (levels + channel).initialize(to: Atomic(0)) }
        renderer = memory.block(
            of: Renderer(
                maximumFrames: maximumFrames, rampFrames: rampFrames,
                plans: PlanExchange(
                    storage: memory.room(Self.retiredPlanCapacity), capacity: Self.retiredPlanCapacity),
                report: RenderReport(storage: memory.room(Self.eventCapacity), capacity: Self.eventCapacity),
                levels: OutputLevels(storage: levels, capacity: Self.meteredChannels),
                state: memory.block(of: RendererState())))
    }
}
