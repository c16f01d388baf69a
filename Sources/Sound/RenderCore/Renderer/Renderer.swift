package import CRealtime
internal import Synchronization

/// What a host's cycle works on; `oav_renderer.context` points to one.
///
/// Render thread: `render(_:_:)` at the end of this file. Control side: `plans.publish`, `plans.reclaim`, `levels`. Any
/// thread: `clock`.
package struct Renderer: ~Copyable {
    package let plans: PlanExchange
    package let clock = CycleClock()
    package let levels: OutputLevels
    private let maximumFrames: Int
    let rampFrames: Int
    let state: UnsafeMutablePointer<RendererState>
    /// How often the stream was cut off.
    private let cuts = Atomic<UInt32>(0)

    /// - Parameters:
    ///   - maximumFrames: cycles that ask for more are silent.
    ///   - rampFrames: how long gains slide after a change of plan; above 0.
    @_noLocks @_noAllocation
    package init(
        maximumFrames: Int, rampFrames: Int, plans: consuming PlanExchange, levels: consuming OutputLevels,
        state: UnsafeMutablePointer<RendererState>
    ) {
        precondition(maximumFrames > 0 && rampFrames > 0, "a renderer has frames and a ramp")
        self.maximumFrames = maximumFrames
        self.rampFrames = rampFrames
        self.plans = plans
        self.levels = levels
        self.state = state
    }

    /// Control: the stream is cut off, and what it plays next may be for another device: that fades in, and nothing of the
    /// plan before is left.
    @_noLocks @_noAllocation
    package func noteCut() { cuts.add(1, ordering: .releasing) }

    // MARK: Render thread

    @_noLocks @_noAllocation
    func run(_ cycle: UnsafePointer<oav_cycle>) {
        let frames = Int(cycle.pointee.frames)
        let isSilenced = cycle.pointee.flags & UInt32(OAV_CYCLE_GATED) != 0 || frames > maximumFrames
        let moment = CycleMoment(cycle, sampleTime: state.pointee.sampleTime, isSilenced: isSilenced)
        clock.note(moment)
        if takeCut() {
            clearProcessors()
            retireFading()
        }
        if takePlan(), moment.cuts { jumpToPlan() }
        if isSilenced { clearProcessors() }
        if let plan = state.pointee.current {
            renderSources(of: plan, moment)
            if !isSilenced { runProcessors(of: plan, moment) }
        }
        let outputs = cycle.pointee.outputs == nil ? 0 : Int(cycle.pointee.output_channels)
        for index in 0..<outputs {
            guard let output = cycle.pointee.outputs?[index] else { continue }
            if !isSilenced, let plan = state.pointee.current {
                let isEmpty = mix(
                    plan, row: plan.pointee.row(ofOutput: index),
                    before: rowBefore(ofOutput: index), into: output, frames)
                if !isEmpty { levels.note(bits: Kernels.peakBits(output, frames), channel: index) }
            } else {
                Kernels.silence(output, frames)
            }
        }
        if !isSilenced, let plan = state.pointee.current { sendTaps(of: plan, moment) }
        state.pointee.sampleTime &+= Int64(frames)
        if state.pointee.fading != nil {
            state.pointee.fadeStep &+= frames
            if isSilenced || state.pointee.fadeStep >= rampFrames { retireFading() }
        }
    }

    @_noLocks @_noAllocation
    private func takeCut() -> Bool {
        let count = cuts.load(ordering: .acquiring)
        guard count != state.pointee.cuts else { return false }
        state.pointee.cuts = count
        state.pointee.isCut = true
        return true
    }

    /// In the plan that slides out; -1 where it was cut off.
    @_noLocks @_noAllocation
    private func rowBefore(ofOutput index: Int) -> Int {
        guard !state.pointee.fadesFromSilence, let fading = state.pointee.fading else { return -1 }
        return fading.pointee.row(ofOutput: index)
    }

    /// Takes the newest plan, unless the last two are still in use, and tells sources and taps where they are in it.
    ///
    /// - Returns: whether there was one to take.
    @_noLocks @_noAllocation
    private func takePlan() -> Bool {
        if let held = state.pointee.held {
            guard plans.retire(held) else { return false }
            state.pointee.held = nil
        }
        guard state.pointee.fading == nil, let plan = plans.consume() else { return false }
        state.pointee.fading = state.pointee.current
        state.pointee.fadeStep = 0
        state.pointee.fadesFromSilence = state.pointee.isCut
        state.pointee.isCut = false
        state.pointee.current = plan
        if let fading = state.pointee.fading {
            for index in 0..<fading.pointee.inputCount() { fading.pointee.input(index).leave() }
            leaveProcessors(of: fading)
            for index in 0..<fading.pointee.tapCount {
                let tap = fading.pointee.taps[index].pointee.state
                tap.pointee.rowBefore = tap.pointee.row
                tap.pointee.row = -1
            }
        }
        enterProcessors(of: plan)
        var column = 0
        for index in 0..<plan.pointee.inputCount() {
            let input = plan.pointee.input(index)
            input.enter(column: column)
            column &+= input.channels
        }
        var row = plan.pointee.outputChannels
        for index in 0..<plan.pointee.tapCount {
            plan.pointee.taps[index].pointee.state.pointee.row = row
            row &+= plan.pointee.taps[index].pointee.channels
        }
        return true
    }

    /// The plan that was taken holds from this frame on, unless only gains differ: those slide.
    @_noLocks @_noAllocation
    private func jumpToPlan() {
        guard let plan = state.pointee.current, let fading = state.pointee.fading else { return }
        if state.pointee.fadesFromSilence || !plan.pointee.hasInputs(of: fading) { retireFading() }
    }

    @_noLocks @_noAllocation
    private func retireFading() {
        guard let plan = state.pointee.fading else { return }
        state.pointee.fading = nil
        for index in 0..<plan.pointee.inputCount() { plan.pointee.input(index).endSlide() }
        forgetRowsBefore(ofProcessorsOf: plan)
        for index in 0..<plan.pointee.tapCount { plan.pointee.taps[index].pointee.state.pointee.rowBefore = -1 }
        if !plans.retire(plan) { state.pointee.held = plan }
    }

    /// Each source once, also those that only the plan before plays.
    @_noLocks @_noAllocation
    private func renderSources(of plan: UnsafeMutablePointer<RenderPlan>, _ moment: CycleMoment) {
        for index in 0..<plan.pointee.sourceCount {
            let next = index &+ 1
            if next < plan.pointee.sourceCount { plan.pointee.sources[next].pointee.prefetch() }
            plan.pointee.sources[index].pointee.render(moment)
        }
        guard let fading = state.pointee.fading else { return }
        for index in 0..<fading.pointee.sourceCount {
            let source = fading.pointee.sources[index]
            guard source.pointee.state.pointee.placement.column < 0 else { continue }
            source.pointee.render(moment)
        }
    }

    /// A tap that is new begins at once; one that has gone ends at once.
    @_noLocks @_noAllocation
    private func sendTaps(of plan: UnsafeMutablePointer<RenderPlan>, _ moment: CycleMoment) {
        for index in 0..<plan.pointee.tapCount {
            let tap = plan.pointee.taps[index]
            let (row, before) = (tap.pointee.state.pointee.row, tap.pointee.state.pointee.rowBefore)
            for channel in 0..<tap.pointee.channels {
                let samples = tap.pointee.rows + channel &* tap.pointee.maximumFrames
                if before < 0 {
                    _ = mixSteadily(plan, row: row &+ channel, into: samples, moment.frames)
                } else {
                    _ = mix(plan, row: row &+ channel, before: before &+ channel, into: samples, moment.frames)
                }
            }
            tap.pointee.send(moment)
        }
    }

    /// Writes one row of the matrix times the rows of its inputs; returns whether nothing is in it.
    ///
    /// While plans change, gains slide from those of the row before to those of the row; -1 is a row of zeros.
    @_noLocks @_noAllocation
    func mix(
        _ plan: UnsafeMutablePointer<RenderPlan>, row: Int, before: Int, into samples: UnsafeMutablePointer<Float>,
        _ frames: Int
    ) -> Bool {
        guard let fading = state.pointee.fading else { return mixSteadily(plan, row: row, into: samples, frames) }
        var isEmpty = true
        for index in 0..<plan.pointee.inputCount() {
            let input = plan.pointee.input(index)
            let placement = input.placement
            for channel in 0..<input.channels {
                let gain = plan.pointee.gain(row: row, firstColumn: placement.column, channel: channel)
                var gainBefore = gain
                if case .sliding(let column, _) = placement {
                    gainBefore = fading.pointee.gain(row: before, firstColumn: column, channel: channel)
                }
                isEmpty = mix(input, channel, from: gainBefore, to: gain, into: samples, frames, isFirst: isEmpty)
            }
        }
        for index in 0..<fading.pointee.inputCount() {
            let input = fading.pointee.input(index)
            guard case .sliding(let column, to: -1) = input.placement else { continue }
            for channel in 0..<input.channels {
                let gain = fading.pointee.gain(row: before, firstColumn: column, channel: channel)
                isEmpty = mix(input, channel, from: gain, to: 0, into: samples, frames, isFirst: isEmpty)
            }
        }
        if isEmpty { Kernels.silence(samples, frames) }
        return isEmpty
    }

    /// The same while no plan slides.
    @_noLocks @_noAllocation
    func mixSteadily(
        _ plan: UnsafeMutablePointer<RenderPlan>, row: Int, into samples: UnsafeMutablePointer<Float>, _ frames: Int
    ) -> Bool {
        var term = row < 0 ? 0 : plan.pointee.termStarts[row]
        let end = row < 0 ? 0 : plan.pointee.termStarts[row &+ 1]
        guard term < end else {
            Kernels.silence(samples, frames)
            return true
        }
        let terms = plan.pointee.terms
        if term &+ 1 == end {
            // Not added to 0, which would turn -0 into +0.
            Kernels.set(terms[term].samples, gain: terms[term].gain, to: samples, frames)
            return false
        }
        Kernels.silence(samples, frames)
        while term < end { term &+= Kernels.add(terms + term, of: end &- term, to: samples, frames) }
        return false
    }

    /// Adds a channel to a row; returns whether the row is still unwritten.
    @_noLocks @_noAllocation
    private func mix(
        _ input: MixInput, _ channel: Int, from: Float, to: Float, into samples: UnsafeMutablePointer<Float>,
        _ frames: Int, isFirst: Bool
    ) -> Bool {
        if from == 0, to == 0 { return isFirst }
        let row = input.row(channel)
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
            if let last = lastFrame(ofLate: input, channel) {
                Kernels.add(value: last, from: from, to: 0, step: step, steps: rampFrames, to: samples, sliding)
                return false
            }
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
