/// A source whose frames are made in the cycle.
extension RenderSource {
    /// Puts the cycle's frames into `rows`; false where they are to be had from a lane.
    @_noLocks @_noAllocation
    @inline(__always)
    func renderInCycle(_ moment: CycleMoment) -> Bool {
        switch origin {
        case .lane: return false
        case .inputs: takeInputs(moment)
        case .block(let call):
            guard call.pointee.isInCycle() else { return false }
            render(call, moment)
        case .tap(let tap): return render(tap, moment)
        }
        return true
    }

    // MARK: What the cycle has captured

    /// A mono input fills every row; rows that the input lacks are silent, and samples that are not finite become 0.
    @_noLocks @_noAllocation
    private func takeInputs(_ moment: CycleMoment) {
        guard !moment.isSilenced, moment.frames > 0 else { return }
        if parameters.hasNews() { obey(moment) }
        let isHeard = state.pointee.wanted.isPlaying(at: moment.sampleTime)
        for channel in 0..<channels {
            let row = rows + channel &* rowStride
            let index = moment.inputChannels == 1 ? 0 : channel
            if isHeard, index < moment.inputChannels, let input = moment.inputs?[index] {
                Kernels.copy(input, into: row, moment.frames)
                Kernels.replaceNonFinite(row, moment.frames)
            } else {
                Kernels.silence(row, moment.frames)
            }
        }
        state.pointee.envelope = .sounding(level: rampFrames, lastFrame: moment.frames &- 1)
        state.pointee.isSilent = false
    }

    // MARK: An app's block

    @_noLocks @_noAllocation
    private func render(_ call: UnsafeMutablePointer<CycleCall>, _ moment: CycleMoment) {
        obey(moment)
        if moment.isSilenced {
            fallSilent()
        } else if moment.frames > 0 {
            if state.pointee.wanted.isPlaying(at: moment.sampleTime), call.pointee.begin() {
                call.pointee.run(moment)
                sound(moment.frames)
            } else {
                fade(moment.frames)
            }
        }
        answerPause()
    }

    /// The rows have the cycle's frames: what faded before fades on, and they fade in unless they are the first.
    @_noLocks @_noAllocation
    private func sound(_ frames: Int) {
        for channel in 0..<channels { Kernels.replaceNonFinite(rows + channel &* rowStride, frames) }
        var done = 0
        while done < frames {
            if case .decaying(let step) = state.pointee.envelope {
                done &+= renderTail(from: step, at: done, limit: frames &- done)
            } else {
                var level = state.pointee.envelope.level
                // The beginning is as its author made it.
                let begins = !state.pointee.hasBegun && state.pointee.envelope.isSilent
                if begins || state.pointee.cuts { level = rampFrames }
                state.pointee.hasBegun = true
                let count = framesOfOneLaw(frames &- done, from: level, isPlaying: true)
                sound(count, at: done, from: level, isPlaying: true)
                done &+= count
            }
        }
        state.pointee.clock &+= Int64(frames)
        state.pointee.isSilent = false
    }

    /// There are no frames in this cycle.
    @_noLocks @_noAllocation
    private func fade(_ frames: Int) {
        state.pointee.isSilent = true
        stopAbruptly()
        var done = 0
        if case .decaying(let step) = state.pointee.envelope { done = renderTail(from: step, at: 0, limit: frames) }
        if done < frames { _ = renderSilence(at: done, frames &- done) }
    }

    // MARK: What a stream of the same clock has captured

    /// False while the streams are apart.
    @_noLocks @_noAllocation
    private func render(_ tap: UnsafeMutablePointer<RenderTap>, _ moment: CycleMoment) -> Bool {
        let offset = findFrames(of: tap, moment)
        if offset != nil {
            state.pointee.delay.found()
            noteShared(true)
        } else if state.pointee.delay.missed(at: moment.clockPosition) {
            noteShared(false)
        }
        guard sharesCycles() else { return false }
        obey(moment)
        // What came by the long way is heard by the short one.
        let lane = lanes + state.pointee.lane
        lane.pointee.ring.slots.consume(lane.pointee.ring.slots.readableSlots())
        if moment.isSilenced {
            fallSilent()
        } else if let offset, state.pointee.wanted.isPlaying(at: moment.sampleTime) {
            let untilWrap = min(moment.frames, tap.pointee.frames.contiguousSlots(after: offset))
            takeApart(tap.pointee.frames.front(after: offset), at: 0, untilWrap)
            takeApart(tap.pointee.frames.start(), at: untilWrap, moment.frames &- untilWrap)
            sound(moment.frames)
        } else {
            fade(moment.frames)
        }
        answerPause()
        return true
    }

    /// Where in the tap's ring the frames of this cycle begin: those that were captured in it, or a cycle before it.
    ///
    /// Nil where some are not there.
    @_noLocks @_noAllocation
    private func findFrames(of tap: UnsafeMutablePointer<RenderTap>, _ moment: CycleMoment) -> Int? {
        dropFrames(of: tap, before: nil, moment.clock)
        guard moment.frames > 0, let oldest = tap.pointee.nextBlock(), let newest = tap.pointee.newestBlock() else {
            return nil
        }
        let newestEnd = newest.clockPosition &+ UInt64(truncatingIfNeeded: newest.frames)
        let ahead = newestEnd &- moment.clockPosition &- UInt64(truncatingIfNeeded: moment.frames)
        if state.pointee.delay.choose(
            oldestPosition: oldest.clockPosition, newestFrames: newest.frames, cycleFrames: moment.frames,
            isEarly: Int64(bitPattern: ahead) >= 0)
        {
            // What is heard now does not go on.
            if !state.pointee.envelope.isSilent { state.pointee.hasBegun = true }
            stopAbruptly()
        }
        let position = moment.clockPosition &- UInt64(truncatingIfNeeded: state.pointee.delay.frames ?? 0)
        dropFrames(of: tap, before: position, moment.clock)
        guard let first = tap.pointee.nextBlock() else { return nil }
        let offset = Int(truncatingIfNeeded: position &- first.clockPosition)
        guard offset >= 0, offset < first.frames else { return nil }
        var (available, index) = (first.frames &- offset, 1)
        var end = first.clockPosition &+ UInt64(truncatingIfNeeded: first.frames)
        while available < moment.frames {
            guard let next = tap.pointee.block(index), next.clock == moment.clock, next.clockPosition == end else {
                return nil
            }
            available &+= next.frames
            end &+= UInt64(truncatingIfNeeded: next.frames)
            index &+= 1
        }
        return offset
    }

    /// Drops blocks that end at a position or before, and those of other clocks.
    @_noLocks @_noAllocation
    private func dropFrames(of tap: UnsafeMutablePointer<RenderTap>, before position: UInt64?, _ clock: UInt64) {
        while let block = tap.pointee.nextBlock() {
            if clock != 0, block.clock == clock {
                guard let position else { return }
                let left = block.clockPosition &+ UInt64(truncatingIfNeeded: block.frames) &- position
                if Int64(bitPattern: left) > 0 { return }
            }
            tap.pointee.passBlock()
        }
    }
}
