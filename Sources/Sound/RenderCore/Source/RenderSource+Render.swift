/// The render thread's work on one source, once a cycle.
extension RenderSource {
    /// Puts the cycle's frames into `rows`; when it is silenced, `rows` stays as it is and the position holds.
    @_noLocks @_noAllocation
    func render(_ moment: CycleMoment) {
        if !passOn(moment) { renderChanges(moment) }
        let lane = lanes + state.pointee.lane
        position.publish(lane.pointee.position(), since: lane.pointee.generation())
        let (clock, generation) = (state.pointee.clock, state.pointee.clockGeneration)
        elapsed.publish(clock, since: generation)
        zero.publish(moment.sampleTime &+ Int64(moment.frames) &- clock, since: generation)
    }

    /// The whole cycle where nothing changes, as in most: frames as they are, and not the last ones.
    ///
    /// The long way would do the same, and takes as long as dozens of frames more. False: nothing was done.
    @_noLocks @_noAllocation
    @inline(__always)
    private func passOn(_ moment: CycleMoment) -> Bool {
        guard state.pointee.isSettled, !moment.isSilenced, moment.frames > 0 else { return false }
        guard state.pointee.wanted.isPlaying(at: moment.sampleTime) else { return false }
        guard !parameters.hasNews(), !hasOffer() else { return false }
        let lane = lanes + state.pointee.lane
        guard lane.pointee.hasPlain(moment.frames) else { return false }
        consume(moment.frames, at: 0)
        state.pointee.envelope = .sounding(level: rampFrames, lastFrame: moment.frames &- 1)
        state.pointee.isSilent = false
        return true
    }

    /// The long way.
    @_noLocks @_noAllocation
    @inline(never)
    private func renderChanges(_ moment: CycleMoment) {
        state.pointee.cuts = moment.cuts
        if !renderInCycle(moment) {
            obey(moment)
            if moment.isSilenced {
                fallSilent()
            } else {
                state.pointee.isSilent = true
                var done = 0
                while done < moment.frames { done &+= renderRun(at: done, moment) }
                noteEndOfCycle(moment)
            }
            answerPause()
        }
        state.pointee.isSettled = isSettled()
    }

    /// Nothing but a change from outside, or a lane that runs out, makes the next cycle other than `passOn`'s.
    @_noLocks @_noAllocation
    private func isSettled() -> Bool {
        guard case .lane = origin else { return false }
        guard state.pointee.envelope.level == rampFrames, case .running = state.pointee.progress else { return false }
        return state.pointee.volumeStep == rampFrames && state.pointee.volumeTo == 1
            && state.pointee.wanted.pauseRequests == state.pointee.answeredPauses
    }

    /// Takes over what changed since the last cycle.
    @_noLocks @_noAllocation
    func obey(_ moment: CycleMoment) {
        if let wanted = parameters.newer() { state.pointee.wanted = wanted }
        if case .starting(let instant) = state.pointee.wanted.playback { findStart(instant, moment) }
        if state.pointee.wanted.cuts != state.pointee.obeyedCuts {
            state.pointee.obeyedCuts = state.pointee.wanted.cuts
            fallSilent()
        }
        if framesToJoin() == nil, let lane = takeLane() { change(to: lane) }
        if state.pointee.wanted.volume != state.pointee.volumeTo {
            let share = Float(state.pointee.volumeStep) / Float(rampFrames)
            state.pointee.volumeFrom = state.pointee.volumeFrom * (1 - share) + state.pointee.volumeTo * share
            state.pointee.volumeTo = state.pointee.wanted.volume
            state.pointee.volumeStep = 0
        }
        // Nothing sounds that could click.
        if state.pointee.envelope.level == 0 { state.pointee.volumeStep = rampFrames }
    }

    /// Leaves the lane for another one, without a seam at the frame that the other one joins.
    @_noLocks @_noAllocation
    private func change(to lane: Int) {
        let isJoin = lanes[lane].joinFrame() == lanes[state.pointee.lane].ring.slots.readSlots()
        if isJoin {
            state.pointee.lane = lane
            return
        }
        state.pointee.lane = lane
        state.pointee.progress = .running
        if case .atBeginning = state.pointee.envelope { state.pointee.envelope = .silent }
        if !lanes[lane].keepsClock() {
            state.pointee.clock = lanes[lane].firstFrame()
            state.pointee.clockGeneration = lanes[lane].generation()
            state.pointee.hasBegun = false
        }
        stopAbruptly()
    }

    /// Makes the instant at which it begins a frame, in the cycle in which it falls.
    ///
    /// Found once: the parameters that come later bring it again, and clocks jitter.
    @_noLocks @_noAllocation
    private func findStart(_ instant: UInt64, _ moment: CycleMoment) {
        if instant == state.pointee.foundHostTime {
            state.pointee.wanted.playback = .playing(from: .min)
        } else if let start = moment.sampleTime(atHostTime: instant) {
            state.pointee.wanted.playback = .playing(from: start)
            state.pointee.foundHostTime = instant
        }
    }

    /// Renders at least one frame of one kind (tail, silence, or frames with one gain law), or changes the state so
    /// that the next call does; returns how many.
    @_noLocks @_noAllocation
    private func renderRun(at offset: Int, _ moment: CycleMoment) -> Int {
        var limit = moment.frames &- offset
        let now = moment.sampleTime &+ Int64(offset)
        let isPlaying = state.pointee.wanted.isPlaying(at: now)
        if state.pointee.cuts, !isPlaying { fallSilent() }
        if case .playing(let start) = state.pointee.wanted.playback, start > now, start < now &+ Int64(limit) {
            limit = Int(start &- now)
        }
        if case .decaying(let step) = state.pointee.envelope {
            let count = renderTail(from: step, at: offset, limit: limit)
            if isPlaying { state.pointee.clock &+= Int64(count) }
            if state.pointee.progress.isStarved { countUnderrun(frames: count) }
            return count
        }
        guard isPlaying || state.pointee.envelope.level > 0 else {
            return renderSilence(at: offset, limit)
        }
        if let left = framesToJoin() {
            guard left > 0 else {
                if let lane = takeLane() { change(to: lane) }
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
            return renderDry(at: offset, limit: limit, isPlaying: isPlaying)
        }
        state.pointee.progress = .running
        var level = state.pointee.envelope.level
        // The beginning is as its author made it.
        if isPlaying, state.pointee.cuts || isAtBeginning(of: lane) { level = rampFrames }
        return renderFrames(at: offset, limit: min(limit, available), from: level, isPlaying: isPlaying)
    }

    @_noLocks @_noAllocation
    private func isAtBeginning(of lane: UnsafeMutablePointer<SeekBuffer>) -> Bool {
        if case .atBeginning = state.pointee.envelope { true } else { lane.pointee.position() == 0 }
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
        awaitBeginning()
        guard isPlaying else { return renderSilence(at: offset, limit) }
        let count = wait < Int64(limit) ? Int(wait) : limit
        state.pointee.clock &+= Int64(count)
        return renderSilence(at: offset, count)
    }

    /// Nothing to read: the end, or the reader is late.
    @_noLocks @_noAllocation
    private func renderDry(at offset: Int, limit: Int, isPlaying: Bool) -> Int {
        let lane = lanes + state.pointee.lane
        if lane.pointee.isAtEnd() {
            // The author's own ending, so no decay.
            awaitBeginning()
            noteEnd(isPlaying: isPlaying)
            if isPlaying {
                if case .ended(let silentFrames) = state.pointee.progress {
                    state.pointee.progress = .ended(silentFrames: silentFrames &+ limit)
                }
                state.pointee.clock &+= Int64(limit)
            }
            return renderSilence(at: offset, limit)
        }
        // Before its first frame a lane is not late, it only starts; nor is what may follow an end.
        if isPlaying, case .running = state.pointee.progress, lane.pointee.ring.slots.readSlots() > 0 {
            state.pointee.progress = .starved
        }
        stopAbruptly()
        if case .decaying = state.pointee.envelope { return 0 }
        if isPlaying { state.pointee.clock &+= Int64(limit) }
        if state.pointee.progress.isStarved { countUnderrun(frames: limit) }
        return renderSilence(at: offset, limit)
    }

    /// The decay of the last frame.
    @_noLocks @_noAllocation
    func renderTail(from step: Int, at offset: Int, limit: Int) -> Int {
        state.pointee.isSilent = false
        let count = min(limit, rampFrames &- step)
        for channel in 0..<channels {
            Kernels.fill(
                rows + (channel &* rowStride &+ offset), count, from: last[channel], to: 0, step: step,
                steps: rampFrames)
        }
        let done = step &+ count
        state.pointee.envelope = done == rampFrames ? .silent : .decaying(step: done)
        return count
    }

    @_noLocks @_noAllocation
    func renderSilence(at offset: Int, _ count: Int) -> Int {
        for channel in 0..<channels { Kernels.silence(rows + (channel &* rowStride &+ offset), count) }
        return count
    }

    /// The next frame rendered is 0, whatever was under way; audio fades in again from there.
    @_noLocks @_noAllocation
    func fallSilent() {
        state.pointee.volumeStep = rampFrames
        if case .atBeginning = state.pointee.envelope { return }
        state.pointee.envelope = .silent
    }

    /// As `fallSilent`, and what comes next is a beginning.
    @_noLocks @_noAllocation
    private func awaitBeginning() {
        state.pointee.volumeStep = rampFrames
        state.pointee.envelope = .atBeginning
    }

    /// No more frames of what sounds now: its last frame decays first.
    ///
    /// A decay that is under way goes on.
    @_noLocks @_noAllocation
    func stopAbruptly() {
        if state.pointee.cuts { return fallSilent() }
        guard case .sounding(_, let frame) = state.pointee.envelope else { return }
        for channel in 0..<channels { last[channel] = rows[channel &* rowStride &+ frame] }
        state.pointee.envelope = Kernels.peakBits(last, channels) == 0 ? .silent : .decaying(step: 0)
    }

    /// The lane is at its end.
    @_noLocks @_noAllocation
    private func noteEnd(isPlaying: Bool) {
        switch state.pointee.progress {
        case .ended, .drained: return
        case .starved: break
        case .running:
            guard isPlaying || lanes[state.pointee.lane].ring.slots.readSlots() > 0 else { return }
        }
        state.pointee.progress = .ended(silentFrames: 0)
    }

    /// After the cycle's frames.
    @_noLocks @_noAllocation
    private func noteEndOfCycle(_ moment: CycleMoment) {
        let wanted = state.pointee.wanted
        let isPlaying = wanted.isPlaying(at: moment.sampleTime &+ Int64(moment.frames) &- 1)
        if lanes[state.pointee.lane].isAtEnd() { noteEnd(isPlaying: isPlaying) }
        guard isPlaying, case .ended(let silentFrames) = state.pointee.progress,
            silentFrames >= Int(wanted.drainFrames)
        else { return }
        state.pointee.progress = .drained
        state.pointee.drains &+= 1
        drains.publish(state.pointee.drains, since: lanes[state.pointee.lane].generation())
    }

    /// A request to pause is answered when nothing sounds any more; playing withdraws it.
    @_noLocks @_noAllocation
    func answerPause() {
        guard state.pointee.wanted.pauseRequests != state.pointee.answeredPauses else { return }
        if case .paused = state.pointee.wanted.playback {
            guard state.pointee.envelope.isSilent else { return }
            noteSilence(after: state.pointee.wanted.pauseRequests)
        }
        state.pointee.answeredPauses = state.pointee.wanted.pauseRequests
    }
}
