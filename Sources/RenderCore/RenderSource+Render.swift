/// The render thread's work on one source, once a cycle.
extension RenderSource {
    /// Puts the cycle's frames into `rows`; when it is silenced, `rows` stays as it is and the position holds.
    @_noLocks @_noAllocation
    func render(_ moment: CycleMoment, report: borrowing RenderReport) {
        if !passOn(moment, report: report) {
            obey(moment, report: report)
            if moment.isSilenced {
                fallSilent()
            } else {
                var done = 0
                while done < moment.frames { done &+= renderRun(at: done, moment, report: report) }
                noteEnd(moment, report: report)
            }
            answerPause(moment, report: report)
            state.pointee.isSettled = isSettled(after: moment)
        }
        let lane = lanes + state.pointee.lane
        position.publish(frame: lane.pointee.position(), generation: lane.pointee.generation())
        clock.publish(
            elapsed: state.pointee.clock, at: moment.sampleTime &+ Int64(moment.frames),
            since: state.pointee.clockGeneration)
    }

    /// The whole cycle where nothing changes, as in most: frames as they are, and not the last ones.
    ///
    /// The long way would do the same, but its questions take as long as dozens of frames. False: nothing was done.
    @_noLocks @_noAllocation
    private func passOn(_ moment: CycleMoment, report: borrowing RenderReport) -> Bool {
        guard state.pointee.isSettled, !moment.isSilenced, moment.frames > 0 else { return false }
        guard !parameters.hasNews(), !hasOffer() else { return false }
        let lane = lanes + state.pointee.lane
        guard lane.pointee.hasPlain(moment.frames) else { return false }
        consume(moment.frames, at: 0, report: report)
        return true
    }

    /// Nothing but a change from outside, or a lane that runs out, makes the next cycle other than `passOn`'s.
    @_noLocks @_noAllocation
    private func isSettled(after moment: CycleMoment) -> Bool {
        let wanted = state.pointee.wanted
        let isPlaying = wanted.isPlaying && wanted.startSampleTime <= moment.sampleTime &+ Int64(moment.frames)
        let isWhole = state.pointee.level == rampFrames && state.pointee.tailStep == rampFrames
        let isAsItIs = state.pointee.volumeStep == rampFrames && state.pointee.volumeTo == 1
        let isUnderWay = !state.pointee.isAtBeginning && !state.pointee.isUnderrunning && !state.pointee.hasEnded
        return isPlaying && isWhole && isAsItIs && isUnderWay && wanted.pauseRequests == state.pointee.answeredPauses
    }

    /// Takes over what changed since the last cycle.
    @_noLocks @_noAllocation
    private func obey(_ moment: CycleMoment, report: borrowing RenderReport) {
        if let wanted = parameters.newer() { state.pointee.wanted = wanted }
        if state.pointee.wanted.startHostTime != 0 { findStart(moment) }
        if state.pointee.wanted.cuts != state.pointee.obeyedCuts {
            state.pointee.obeyedCuts = state.pointee.wanted.cuts
            fallSilent()
        }
        if framesToJoin() == nil, let lane = takeLane() { change(to: lane, moment, report: report) }
        if state.pointee.wanted.volume != state.pointee.volumeTo {
            let share = Float(state.pointee.volumeStep) / Float(rampFrames)
            state.pointee.volumeFrom = state.pointee.volumeFrom * (1 - share) + state.pointee.volumeTo * share
            state.pointee.volumeTo = state.pointee.wanted.volume
            state.pointee.volumeStep = 0
        }
        // Nothing sounds that could click.
        if state.pointee.level == 0 { state.pointee.volumeStep = rampFrames }
    }

    /// Leaves the lane for another one, without a seam at the frame that the other one joins.
    @_noLocks @_noAllocation
    private func change(to lane: Int, _ moment: CycleMoment, report: borrowing RenderReport) {
        let isJoin = lanes[lane].joinFrame() == lanes[state.pointee.lane].ring.slots.readSlots()
        if isJoin {
            state.pointee.lane = lane
            return
        }
        if state.pointee.isUnderrunning { post(.underrunEnded, at: moment.hostTime, to: report) }
        state.pointee.lane = lane
        state.pointee.isUnderrunning = false
        state.pointee.hasEnded = false
        state.pointee.hasDrained = false
        state.pointee.framesSinceEnd = 0
        state.pointee.isAtBeginning = false
        if !lanes[lane].keepsClock() {
            state.pointee.clock = lanes[lane].firstFrame()
            state.pointee.clockGeneration = lanes[lane].generation()
        }
        stopAbruptly()
        post(.discontinuity, at: moment.hostTime, to: report)
    }

    /// The instant at which it begins, as a frame; far away until the cycle in which it falls.
    ///
    /// Found once: the parameters that come later bring it again, and clocks jitter.
    @_noLocks @_noAllocation
    private func findStart(_ moment: CycleMoment) {
        let instant = state.pointee.wanted.startHostTime
        if instant == state.pointee.foundHostTime {
            state.pointee.wanted.startSampleTime = .min
        } else if let start = moment.sampleTime(atHostTime: instant) {
            state.pointee.wanted.startSampleTime = start
            state.pointee.foundHostTime = instant
        } else {
            state.pointee.wanted.startSampleTime = .max
            return
        }
        state.pointee.wanted.startHostTime = 0
    }

    /// Renders at least one frame of one kind (tail, silence, or frames with one gain law), or changes the state so
    /// that the next call does; returns how many.
    @_noLocks @_noAllocation
    private func renderRun(at offset: Int, _ moment: CycleMoment, report: borrowing RenderReport) -> Int {
        var limit = moment.frames &- offset
        let now = moment.sampleTime &+ Int64(offset)
        let start = state.pointee.wanted.startSampleTime
        let isPlaying = state.pointee.wanted.isPlaying && now >= start
        if state.pointee.wanted.isPlaying, !isPlaying, start < now &+ Int64(limit) { limit = Int(start &- now) }
        if state.pointee.tailStep < rampFrames {
            let count = renderTail(at: offset, limit: limit)
            if isPlaying { state.pointee.clock &+= Int64(count) }
            if state.pointee.isUnderrunning { report.countUnderrun(frames: count) }
            return count
        }
        guard isPlaying || state.pointee.level > 0 else {
            return renderSilence(at: offset, limit)
        }
        if let left = framesToJoin() {
            guard left > 0 else {
                if let lane = takeLane() { change(to: lane, moment, report: report) }
                return 0
            }
            limit = min(limit, left)
        }
        let lane = lanes + state.pointee.lane
        if let hold = lane.pointee.nextHold() {
            let left = hold.frame &- lane.pointee.ring.slots.readSlots()
            guard left > 0 else { return renderHold(hold, at: offset, limit: limit, isPlaying: isPlaying) }
            limit = min(limit, left)
        }
        let available = lane.pointee.ring.contiguousFrames()
        guard available > 0 else {
            return renderDry(at: offset, limit: limit, isPlaying: isPlaying, moment, report: report)
        }
        if state.pointee.isUnderrunning {
            state.pointee.isUnderrunning = false
            post(.underrunEnded, at: moment.hostTime, to: report)
        }
        if state.pointee.hasEnded {
            // More has come after the end.
            state.pointee.hasEnded = false
            state.pointee.hasDrained = false
            state.pointee.framesSinceEnd = 0
        }
        if isPlaying, state.pointee.isAtBeginning || lane.pointee.position() == 0 {
            // The beginning is as its author made it.
            state.pointee.level = rampFrames
        }
        state.pointee.isAtBeginning = false
        return renderFrames(at: offset, limit: min(limit, available), isPlaying: isPlaying, report: report)
    }

    /// What comes next has its time: silence until then.
    @_noLocks @_noAllocation
    private func renderHold(_ hold: LaneHold, at offset: Int, limit: Int, isPlaying: Bool) -> Int {
        let wait = hold.clock &- state.pointee.clock
        guard wait > 0 else {
            lanes[state.pointee.lane].passHold()
            return 0
        }
        // What was before has come to its own end.
        fallSilent()
        state.pointee.isAtBeginning = true
        guard isPlaying else { return renderSilence(at: offset, limit) }
        let count = wait < Int64(limit) ? Int(wait) : limit
        state.pointee.clock &+= Int64(count)
        return renderSilence(at: offset, count)
    }

    /// Nothing to read: the end, or the reader is late.
    @_noLocks @_noAllocation
    private func renderDry(
        at offset: Int, limit: Int, isPlaying: Bool, _ moment: CycleMoment, report: borrowing RenderReport
    ) -> Int {
        let lane = lanes + state.pointee.lane
        if lane.pointee.isAtEnd() {
            // The author's own ending, so no decay.
            fallSilent()
            state.pointee.isAtBeginning = true
            if isPlaying {
                state.pointee.framesSinceEnd &+= limit
                state.pointee.clock &+= Int64(limit)
            }
            return renderSilence(at: offset, limit)
        }
        // Before its first frame a lane is not late, it only starts.
        if isPlaying, !state.pointee.isUnderrunning, lane.pointee.ring.slots.readSlots() > 0 {
            state.pointee.isUnderrunning = true
            post(.underrunBegan, at: moment.hostTime, to: report)
        }
        stopAbruptly()
        if state.pointee.tailStep < rampFrames { return 0 }
        if isPlaying { state.pointee.clock &+= Int64(limit) }
        if state.pointee.isUnderrunning { report.countUnderrun(frames: limit) }
        return renderSilence(at: offset, limit)
    }

    /// The decay of the last frame.
    @_noLocks @_noAllocation
    private func renderTail(at offset: Int, limit: Int) -> Int {
        let step = state.pointee.tailStep
        let count = min(limit, rampFrames &- step)
        for channel in 0..<channels {
            Kernels.fill(
                rows + (channel &* rowStride &+ offset), count, from: last[channel], to: 0, step: step,
                steps: rampFrames)
        }
        state.pointee.tailStep = step &+ count
        return count
    }

    @_noLocks @_noAllocation
    private func renderSilence(at offset: Int, _ count: Int) -> Int {
        for channel in 0..<channels { Kernels.silence(rows + (channel &* rowStride &+ offset), count) }
        return count
    }

    /// The next frame rendered is 0, whatever was under way; audio fades in again from there.
    @_noLocks @_noAllocation
    private func fallSilent() {
        state.pointee.level = 0
        state.pointee.tailStep = rampFrames
        state.pointee.volumeStep = rampFrames
        state.pointee.lastFrame = -1
    }

    /// No more frames of what sounds now: its last frame decays first.
    ///
    /// A decay that is under way goes on.
    @_noLocks @_noAllocation
    private func stopAbruptly() {
        state.pointee.level = 0
        let frame = state.pointee.lastFrame
        guard state.pointee.tailStep == rampFrames, frame >= 0 else { return }
        for channel in 0..<channels { last[channel] = rows[channel &* rowStride &+ frame] }
        state.pointee.lastFrame = -1
        if Kernels.peakBits(last, channels) != 0 { state.pointee.tailStep = 0 }
    }

    @_noLocks @_noAllocation
    private func noteEnd(_ moment: CycleMoment, report: borrowing RenderReport) {
        let lane = lanes + state.pointee.lane
        guard state.pointee.hasEnded || lane.pointee.isAtEnd() else { return }
        let wanted = state.pointee.wanted
        let isPlaying = wanted.isPlaying && moment.sampleTime &+ Int64(moment.frames) > wanted.startSampleTime
        if !state.pointee.hasEnded {
            guard isPlaying || lane.pointee.ring.slots.readSlots() > 0 else { return }
            if state.pointee.isUnderrunning {
                state.pointee.isUnderrunning = false
                post(.underrunEnded, at: moment.hostTime, to: report)
            }
            state.pointee.hasEnded = true
            post(.sourceEnded, at: moment.hostTime, to: report)
        }
        guard isPlaying, !state.pointee.hasDrained else { return }
        if state.pointee.framesSinceEnd >= Int(wanted.drainFrames) {
            state.pointee.hasDrained = true
            post(.drained, at: moment.hostTime, to: report)
        }
    }

    /// A request to pause is answered when nothing sounds any more; playing withdraws it.
    @_noLocks @_noAllocation
    private func answerPause(_ moment: CycleMoment, report: borrowing RenderReport) {
        guard state.pointee.wanted.pauseRequests != state.pointee.answeredPauses else { return }
        if !state.pointee.wanted.isPlaying {
            guard state.pointee.level == 0, state.pointee.tailStep == rampFrames else { return }
            post(.fadeFinished, at: moment.hostTime, to: report)
        }
        state.pointee.answeredPauses = state.pointee.wanted.pauseRequests
    }
}
