import RenderCore
import Synchronization

/// Owns a renderer, its rings, and the plans that are inside it.
///
/// Sendable by rule: the pointers never change, what they point to is shared by the rules that `Renderer` documents, and
/// `deinit` runs when no cycle can come any more.
final class RendererMemory: @unchecked Sendable {
    let renderer: UnsafeMutablePointer<Renderer>
    private let events: UnsafeMutablePointer<RenderEvent>
    private let retiredPlans: UnsafeMutablePointer<UnsafeMutablePointer<RenderPlan>>
    private let state: UnsafeMutablePointer<RendererState>
    private let levels: UnsafeMutablePointer<Atomic<UInt32>>
    /// As many channels as a stream is linked to at most.
    private static let meteredChannels = 64

    /// - Parameters:
    ///   - eventCapacity: a power of two.
    ///   - retiredPlanCapacity: a power of two.
    init(maximumFrames: Int, rampFrames: Int, eventCapacity: Int = 256, retiredPlanCapacity: Int = 16) {
        events = .allocate(capacity: eventCapacity)
        retiredPlans = .allocate(capacity: retiredPlanCapacity)
        state = .allocate(capacity: 1)
        state.initialize(to: RendererState())
        levels = .allocate(capacity: Self.meteredChannels)
        for channel in 0..<Self.meteredChannels { (levels + channel).initialize(to: Atomic(0)) }
        renderer = .allocate(capacity: 1)
        renderer.initialize(
            to: Renderer(
                maximumFrames: maximumFrames, rampFrames: rampFrames,
                plans: PlanExchange(storage: retiredPlans, capacity: retiredPlanCapacity),
                report: RenderReport(storage: events, capacity: eventCapacity),
                levels: OutputLevels(storage: levels, capacity: Self.meteredChannels), state: state))
    }

    deinit {
        while let plan = renderer.pointee.surrenderPlan() { PlanMemory.free(plan) }
        renderer.deinitialize(count: 1)
        renderer.deallocate()
        events.deallocate()
        retiredPlans.deallocate()
        state.deallocate()
        levels.deinitialize(count: Self.meteredChannels)
        levels.deallocate()
    }
}
