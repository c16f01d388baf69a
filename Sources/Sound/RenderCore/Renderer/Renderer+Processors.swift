internal import CRealtime

/// The steps of a plan before the last one: the inputs of each processor are mixed, then it is called.
///
/// Render thread. While one plan slides into the next, each processor of the two is called once a cycle:
/// - One of both plans: the gains of its inputs slide from those of the plan before, and so do those of its output.
/// - One that is new: it begins without sound, and its inputs and its output fade in.
/// - One that has left: its inputs stay as they were, and its output fades out.
///
/// A processor whose place in the order has changed may be called before one that fed it until now. There is no sound yet
/// that could fade out; the last frame from before decays in its place, as that of a source that stops without notice.
extension Renderer {
    @_noLocks @_noAllocation
    func runProcessors(of plan: UnsafeMutablePointer<RenderPlan>, _ moment: CycleMoment) {
        state.pointee.cycle &+= 1
        var next = 0
        if let fading = state.pointee.fading {
            for index in 0..<fading.pointee.processorCount {
                let processor = fading.pointee.processors[index]
                if processor.pointee.state.pointee.row < 0 {
                    run(processor, of: fading, moment, isLeaving: true)
                } else {
                    while !hasRun(processor), next < plan.pointee.processorCount {
                        run(plan.pointee.processors[next], of: plan, moment, isLeaving: false)
                        next &+= 1
                    }
                }
            }
        }
        while next < plan.pointee.processorCount {
            run(plan.pointee.processors[next], of: plan, moment, isLeaving: false)
            next &+= 1
        }
    }

    @_noLocks @_noAllocation
    private func hasRun(_ processor: UnsafeMutablePointer<RenderProcessor>) -> Bool {
        processor.pointee.state.pointee.cycle == state.pointee.cycle
    }

    /// What decays in place of an input that has made no frames yet in this cycle; nil where it has made them.
    @_noLocks @_noAllocation
    func lastFrame(ofLate input: MixInput, _ channel: Int) -> Float? {
        guard case .processor(let processor) = input, !hasRun(processor) else { return nil }
        return processor.pointee.last[channel]
    }

    /// - Parameter isLeaving: `plan` is the one before, and the current one does not have the processor.
    @_noLocks @_noAllocation
    private func run(
        _ processor: UnsafeMutablePointer<RenderProcessor>, of plan: UnsafeMutablePointer<RenderPlan>,
        _ moment: CycleMoment, isLeaving: Bool
    ) {
        processor.pointee.obeyReset()
        let (row, before) = rows(of: processor, isLeaving: isLeaving)
        var (channel, isQuiet) = (0, true)
        for bus in 0..<processor.pointee.inputCount {
            let inputs = processor.pointee.inputs + bus
            let end = channel &+ Int(inputs.pointee.channel_count)
            var isSilent = true
            while channel < end {
                isSilent = isSilent && isRowSilent(plan, row &+ channel, before: before, channel, isLeaving: isLeaving)
                channel &+= 1
            }
            inputs.pointee.flags = isSilent ? UInt32(OAV_BUS_SILENT) : 0
            isQuiet = isQuiet && isSilent
        }
        if !isQuiet || !processor.pointee.state.pointee.isAsleep {
            for channel in 0..<processor.pointee.inputChannels {
                let samples = processor.pointee.inputRows + channel &* processor.pointee.rowStride
                processor.pointee.inputPointers[channel] = mixInput(
                    plan, row: row &+ channel, before: before < 0 ? before : before &+ channel, into: samples,
                    moment.frames, isSliding: !isLeaving && state.pointee.fading != nil)
            }
            processor.pointee.process(moment, isQuiet: isQuiet)
        }
        processor.pointee.state.pointee.cycle = state.pointee.cycle
    }

    /// Of its inputs, in the plan that it runs in, and in the one before; -1 where there is none.
    @_noLocks @_noAllocation
    private func rows(
        of processor: UnsafeMutablePointer<RenderProcessor>, isLeaving: Bool
    ) -> (row: Int, before: Int) {
        let (row, before) = (processor.pointee.state.pointee.row, processor.pointee.state.pointee.rowBefore)
        if isLeaving { return (before, -1) }
        return (row, state.pointee.fadesFromSilence ? -1 : before)
    }

    /// Returns where the frames of the row are: one channel as it is needs no mix.
    @_noLocks @_noAllocation
    private func mixInput(
        _ plan: UnsafeMutablePointer<RenderPlan>, row: Int, before: Int, into samples: UnsafeMutablePointer<Float>,
        _ frames: Int, isSliding: Bool
    ) -> UnsafeMutablePointer<Float> {
        if isSliding {
            _ = mix(plan, row: row, before: before, into: samples, frames)
            return samples
        }
        let term = plan.pointee.terms + plan.pointee.termStarts[row]
        if plan.pointee.termStarts[row &+ 1] == plan.pointee.termStarts[row] &+ 1, term.pointee.gain == 1 {
            // Only read there.
            return UnsafeMutablePointer(mutating: term.pointee.samples)
        }
        _ = mixSteadily(plan, row: row, into: samples, frames)
        return samples
    }

    /// Whether a row has only zeros in this cycle.
    @_noLocks @_noAllocation
    private func isRowSilent(
        _ plan: UnsafeMutablePointer<RenderPlan>, _ row: Int, before: Int, _ channel: Int, isLeaving: Bool
    ) -> Bool {
        guard isRowSilent(plan, row) else { return false }
        guard !isLeaving, before >= 0, let fading = state.pointee.fading else { return true }
        return isRowSilent(fading, before &+ channel)
    }

    @_noLocks @_noAllocation
    private func isRowSilent(_ plan: UnsafeMutablePointer<RenderPlan>, _ row: Int) -> Bool {
        for term in plan.pointee.termStarts[row]..<plan.pointee.termStarts[row &+ 1]
        where !plan.pointee.termInputs[term].isSilent { return false }
        return true
    }

    // MARK: Changes of plan

    /// The plan is being left.
    @_noLocks @_noAllocation
    func leaveProcessors(of plan: UnsafeMutablePointer<RenderPlan>) {
        for index in 0..<plan.pointee.processorCount {
            let processor = plan.pointee.processors[index]
            processor.pointee.keepLastFrame()
            processor.pointee.state.pointee.rowBefore = processor.pointee.state.pointee.row
            processor.pointee.state.pointee.row = -1
        }
    }

    /// The plan is the current one from now on; what it has and the one before has not begins without sound.
    @_noLocks @_noAllocation
    func enterProcessors(of plan: UnsafeMutablePointer<RenderPlan>) {
        var row = plan.pointee.outputChannels
        for index in 0..<plan.pointee.tapCount { row &+= plan.pointee.taps[index].pointee.channels }
        for index in 0..<plan.pointee.processorCount {
            let processor = plan.pointee.processors[index]
            if processor.pointee.state.pointee.rowBefore < 0 { processor.pointee.clear() }
            processor.pointee.state.pointee.row = row
            row &+= processor.pointee.inputChannels
        }
    }

    /// The plan is gone.
    @_noLocks @_noAllocation
    func forgetRowsBefore(ofProcessorsOf plan: UnsafeMutablePointer<RenderPlan>) {
        for index in 0..<plan.pointee.processorCount {
            plan.pointee.processors[index].pointee.state.pointee.rowBefore = -1
        }
    }

    /// Nothing sounds any more, and what sounds next may be for another device: tails end.
    @_noLocks @_noAllocation
    func clearProcessors() {
        if let plan = state.pointee.current { clearProcessors(of: plan) }
        if let plan = state.pointee.fading { clearProcessors(of: plan) }
    }

    @_noLocks @_noAllocation
    private func clearProcessors(of plan: UnsafeMutablePointer<RenderPlan>) {
        for index in 0..<plan.pointee.processorCount { plan.pointee.processors[index].pointee.clear() }
    }
}
