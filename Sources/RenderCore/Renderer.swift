package import CRealtime

/// What a host's cycle works on; `oav_renderer.context` points to one.
///
/// Render thread: `render(_:_:)` at the end of this file. Control side: `plans.publish`, `plans.reclaim`, `report`.
package struct Renderer: ~Copyable {
    package let plans: PlanExchange
    package let report: RenderReport
    private let maximumFrames: Int
    private let rampFrames: Int
    private let state: UnsafeMutablePointer<RendererState>

    /// - Parameters:
    ///   - maximumFrames: cycles that ask for more are silent.
    ///   - rampFrames: how long gains slide after a change of plan; above 0.
    @_noLocks @_noAllocation
    package init(
        maximumFrames: Int, rampFrames: Int, plans: consuming PlanExchange, report: consuming RenderReport,
        state: UnsafeMutablePointer<RendererState>
    ) {
        precondition(maximumFrames > 0 && rampFrames > 0, "a renderer has frames and a ramp")
        self.maximumFrames = maximumFrames
        self.rampFrames = rampFrames
        self.plans = plans
        self.report = report
        self.state = state
    }

    /// Control: the plans that are still inside, one a call, to be freed.
    ///
    /// Only once no cycle can come any more.
    @_noLocks @_noAllocation
    package func surrenderPlan() -> UnsafeMutablePointer<RenderPlan>? {
        if let plan = plans.reclaim() { return plan }
        if let plan = plans.take() { return plan }
        if let plan = state.pointee.current {
            state.pointee.current = nil
            return plan
        }
        if let plan = state.pointee.fading {
            state.pointee.fading = nil
            return plan
        }
        let plan = state.pointee.held
        state.pointee.held = nil
        return plan
    }

    // MARK: Render thread

    @_noLocks @_noAllocation
    func run(_ cycle: UnsafePointer<oav_cycle>) {
        let frames = Int(cycle.pointee.frames)
        let isGated = cycle.pointee.flags & UInt32(OAV_CYCLE_GATED) != 0
        let isOversized = frames > maximumFrames
        let isSilenced = isGated || isOversized
        report.countCycle(frames: frames, isGated: isGated, isOversized: isOversized)

        takePlan(isSilenced: isSilenced)
        if let plan = state.pointee.current {
            renderSources(of: plan, cycle, isSilenced: isSilenced)
        }
        let outputs = cycle.pointee.outputs == nil ? 0 : Int(cycle.pointee.output_channels)
        for index in 0..<outputs {
            guard let output = cycle.pointee.outputs?[index] else { continue }
            if !isSilenced, let plan = state.pointee.current {
                mix(plan, output: index, into: output, frames)
            } else {
                Kernels.silence(output, frames)
            }
        }
        if state.pointee.fading != nil {
            state.pointee.fadeStep &+= frames
            if isSilenced || state.pointee.fadeStep >= rampFrames { retireFading() }
        }
    }

    /// Takes the newest plan, unless the last two are still in use.
    @_noLocks @_noAllocation
    private func takePlan(isSilenced: Bool) {
        if let held = state.pointee.held {
            guard plans.retire(held) else { return }
            state.pointee.held = nil
        }
        guard state.pointee.fading == nil, let plan = plans.take() else { return }
        state.pointee.fading = state.pointee.current
        state.pointee.fadeStep = 0
        state.pointee.current = plan
    }

    @_noLocks @_noAllocation
    private func retireFading() {
        guard let plan = state.pointee.fading else { return }
        state.pointee.fading = nil
        if !plans.retire(plan) {
            plans.countRefusal()
            state.pointee.held = plan
        }
    }

    /// Each source once, also those that only the plan before plays.
    @_noLocks @_noAllocation
    private func renderSources(
        of plan: UnsafeMutablePointer<RenderPlan>, _ cycle: UnsafePointer<oav_cycle>, isSilenced: Bool
    ) {
        let frames = Int(cycle.pointee.frames)
        let hostTime = cycle.pointee.host_time_ns
        for index in 0..<plan.pointee.sourceCount {
            plan.pointee.sources[index].pointee.render(
                frames: frames, isSilenced: isSilenced, hostTime: hostTime, report: report)
        }
        guard let fading = state.pointee.fading else { return }
        for index in 0..<fading.pointee.sourceCount {
            let source = fading.pointee.sources[index]
            guard plan.pointee.firstColumn(of: source) < 0 else { continue }
            source.pointee.render(frames: frames, isSilenced: isSilenced, hostTime: hostTime, report: report)
        }
    }

    /// Writes one output: its row of the matrix times the sources' rows.
    @_noLocks @_noAllocation
    private func mix(
        _ plan: UnsafeMutablePointer<RenderPlan>, output: Int, into samples: UnsafeMutablePointer<Float>, _ frames: Int
    ) {
        var isFirst = true
        for index in 0..<plan.pointee.sourceCount {
            let source = plan.pointee.sources[index]
            let column = plan.pointee.firstColumn(of: source)
            let before = state.pointee.fading?.pointee.firstColumn(of: source) ?? -1
            for channel in 0..<source.pointee.channels {
                let gain = plan.pointee.gain(output: output, firstColumn: column, channel: channel)
                let gainBefore =
                    state.pointee.fading?.pointee.gain(output: output, firstColumn: before, channel: channel) ?? gain
                let row = source.pointee.rows + channel &* source.pointee.maximumFrames
                isFirst = mix(row, from: gainBefore, to: gain, into: samples, frames, isFirst: isFirst)
            }
        }
        if let fading = state.pointee.fading {
            for index in 0..<fading.pointee.sourceCount {
                let source = fading.pointee.sources[index]
                guard plan.pointee.firstColumn(of: source) < 0 else { continue }
                let column = fading.pointee.firstColumn(of: source)
                for channel in 0..<source.pointee.channels {
                    let gain = fading.pointee.gain(output: output, firstColumn: column, channel: channel)
                    let row = source.pointee.rows + channel &* source.pointee.maximumFrames
                    isFirst = mix(row, from: gain, to: 0, into: samples, frames, isFirst: isFirst)
                }
            }
        }
        if isFirst {
            Kernels.silence(samples, frames)
        } else {
            report.notePeak(bits: Kernels.peakBits(samples, frames))
        }
    }

    /// Adds a row to an output; returns whether the output is still unwritten.
    @_noLocks @_noAllocation
    private func mix(
        _ row: UnsafePointer<Float>, from: Float, to: Float, into samples: UnsafeMutablePointer<Float>, _ frames: Int,
        isFirst: Bool
    ) -> Bool {
        if from == 0, to == 0 { return isFirst }
        if isFirst {
            if from == 1, to == 1 {
                // Copied and not added to 0, which would turn -0 into +0.
                Kernels.copy(row, into: samples, frames)
                return false
            }
            Kernels.silence(samples, frames)
        }
        var sliding = 0
        if from != to {
            let step = min(state.pointee.fadeStep, rampFrames)
            sliding = min(frames, rampFrames &- step)
            Kernels.add(row, from: from, to: to, step: step, steps: rampFrames, to: samples, sliding)
        }
        if to != 0 {
            Kernels.add(row + sliding, gain: to, to: samples + sliding, frames &- sliding)
        }
        return false
    }
}

/// Renders one cycle; the function that hosts get with a `Renderer`'s address.
///
/// Render thread. Takes no lock, allocates nothing, and writes every frame of every output, silence if need be.
@c(oav_render_cycle) @_noLocks @_noAllocation
package func render(_ context: UnsafeMutableRawPointer?, _ cycle: UnsafePointer<oav_cycle>?) {
    guard let context, let cycle else { return }
    context.assumingMemoryBound(to: Renderer.self).pointee.run(cycle)
}
