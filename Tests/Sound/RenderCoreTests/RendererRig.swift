import CRealtime
import RenderBench
import RenderCore
import Synchronization

/// A renderer with all its memory, for tests that need what `EngineRenderer` does not offer: several sources, small rings.
///
/// The ramp is five frames. Everything is freed when the rig goes.
final class RendererRig: @unchecked Sendable {
    static let maximumFrames = 64
    static let rampFrames = 5
    static let meteredChannels = 2
    typealias Plan = UnsafeMutablePointer<RenderPlan>

    let renderer: UnsafeMutablePointer<Renderer>
    private(set) var sources: [UnsafeMutablePointer<RenderSource>] = []
    /// The first lane of each source: the one that it begins with.
    private(set) var lanes: [UnsafeMutablePointer<SeekBuffer>] = []
    private var blocks: [UnsafeMutableRawPointer] = []
    private(set) var livePlans: Set<Plan> = []

    init(retiredPlanCapacity: Int = 2) {
        let plans = UnsafeMutablePointer<Plan>.allocate(capacity: retiredPlanCapacity)
        let state = UnsafeMutablePointer<RendererState>.allocate(capacity: 1)
        state.initialize(to: RendererState())
        let levels = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: Self.meteredChannels)
        for channel in 0..<Self.meteredChannels { (levels + channel).initialize(to: Atomic(0)) }
        renderer = .allocate(capacity: 1)
        renderer.initialize(
            to: Renderer(
                maximumFrames: Self.maximumFrames, rampFrames: Self.rampFrames,
                plans: PlanExchange(storage: plans, capacity: retiredPlanCapacity),
                levels: OutputLevels(storage: levels, capacity: Self.meteredChannels), state: state))
        blocks = [
            UnsafeMutableRawPointer(plans), UnsafeMutableRawPointer(state), UnsafeMutableRawPointer(levels),
        ]
    }

    deinit {
        settle()
        precondition(livePlans.count <= 1, "\(livePlans.count - 1) plans were lost")
        for plan in livePlans { free(plan) }
        renderer.deinitialize(count: 1)
        renderer.deallocate()
        for source in sources {
            source.deinitialize(count: 1)
            source.deallocate()
        }
        for block in blocks { block.deallocate() }
    }

    private func block<Element: BitwiseCopyable>(_ count: Int, of value: Element) -> UnsafeMutablePointer<Element> {
        let block = UnsafeMutablePointer<Element>.allocate(capacity: count)
        block.initialize(repeating: value, count: count)
        blocks.append(UnsafeMutableRawPointer(block))
        return block
    }

    /// A mono source that plays these samples and then runs dry.
    @discardableResult
    func addSource(playing samples: [Float]) -> UnsafeMutablePointer<RenderSource> {
        let lanes = UnsafeMutablePointer<SeekBuffer>.allocate(capacity: 2)
        blocks.append(UnsafeMutableRawPointer(lanes))
        for lane in 0..<2 {
            let holds = UnsafeMutablePointer<LaneHold>.allocate(capacity: SeekBuffer.holdCapacity)
            blocks.append(UnsafeMutableRawPointer(holds))
            (lanes + lane).initialize(
                to: SeekBuffer(
                    storage: block(256, of: Float(0)), capacity: 256, channels: 1,
                    holdStorage: holds))
        }
        let state = UnsafeMutablePointer<SourceState>.allocate(capacity: 1)
        state.initialize(to: SourceState(rampFrames: Self.rampFrames))
        blocks.append(UnsafeMutableRawPointer(state))
        let source = UnsafeMutablePointer<RenderSource>.allocate(capacity: 1)
        source.initialize(
            to: RenderSource(
                channels: 1, rowStride: Self.maximumFrames, rampFrames: Self.rampFrames,
                parameters: LatestParameters(slots: block(3, of: SourceParameters())),
                lanes: lanes, rows: block(Self.maximumFrames, of: Float(0)), last: block(1, of: Float(0)),
                state: state))
        precondition(lanes.pointee.ring.write(samples, count: samples.count) == samples.count)
        var parameters = SourceParameters()
        parameters.playback = .playing(from: .min)
        source.pointee.parameters.publish(parameters)
        sources.append(source)
        self.lanes.append(lanes)
        return source
    }

    /// A plan of mono sources; `gains` is [output][source].
    func makePlan(_ played: [Int], outputs: Int, _ gains: [Float]) -> Plan {
        let heard = (0..<outputs).map { row in played.indices.filter { gains[row * played.count + $0] != 0 } }
        let inputs = heard.map { $0.map { MixInput.source(self.sources[played[$0]]) } }
        let terms = heard.indices.map { row in
            zip(inputs[row], heard[row]).map {
                MixTerm($0, channel: 0, gain: gains[row * played.count + $1])
            }
        }
        let plan = Plan.allocate(capacity: 1)
        plan.initialize(
            to: RenderPlan(
                outputChannels: outputs, columnCount: played.count, sourceCount: played.count,
                sources: copy(played.map { sources[$0] }), processorCount: 0, processors: copy([]), tapCount: 0,
                taps: copy([]), matrix: copy(gains),
                terms: copy(terms.flatMap { $0 }),
                termStarts: copy(terms.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }),
                termInputs: copy(inputs.flatMap { $0 })))
        livePlans.insert(plan)
        return plan
    }

    private func copy<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
        let copy = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
        for (index, element) in elements.enumerated() { (copy + index).initialize(to: element) }
        return UnsafePointer(copy)
    }

    func free(_ plan: Plan) {
        precondition(livePlans.remove(plan) != nil, "a plan came back twice")
        plan.pointee.sources.deallocate()
        plan.pointee.processors.deallocate()
        plan.pointee.taps.deallocate()
        plan.pointee.matrix.deallocate()
        plan.pointee.terms.deallocate()
        plan.pointee.termStarts.deallocate()
        plan.deallocate()
    }

    /// Publishes; frees a plan that was never taken.
    func publish(_ plan: Plan) {
        if let replaced = renderer.pointee.plans.publish(plan) { free(replaced) }
    }

    /// Frees what came back; returns how many.
    @discardableResult
    func reclaim() -> Int {
        var count = 0
        while let plan = renderer.pointee.plans.reclaim() {
            free(plan)
            count += 1
        }
        return count
    }

    /// Runs until no plan but the one that plays is left.
    func settle() {
        for _ in 0..<4 {
            _ = cycle(2 * Self.rampFrames)
            reclaim()
        }
    }

    func cycle(outputs: Int = 1, _ frames: Int, isGated: Bool = false) -> [[Float]] {
        RenderBench.cycle(
            oav_renderer(render: render, context: UnsafeMutableRawPointer(renderer)), outputs: outputs, frames: frames,
            isGated: isGated)
    }
}
