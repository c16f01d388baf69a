/// A player as a value: the next step of feeding, the completions that are due, and the mapping between the player's
/// and the renderer's frames.
///
/// `EnginePlayer` carries out its steps in order, and reports the results. Frames of the renderer are those of the
/// source that the player feeds; each call gets the source's position and clock as a `Moment`.
struct PlayerMachine: Hashable, Sendable {
    private struct Seek: Hashable {
        var frame: Int64
        var generation: UInt64
    }

    /// The largest number of frames of one read.
    static let chunkFrames = 4096
    private static let shortChunkFrames = 1024
    /// How long before the end of a pass the next pass is decided, in seconds, for an item of unknown length.
    private static let passSeconds = 0.25

    /// The renderer's rate in hertz.
    private let sampleRate: Double
    private var schedule = PlayerSchedule()
    private(set) var work = Work.ready
    private(set) var reading = Reading.flowing
    private(set) var conversion = Conversion.empty
    /// Maps the frames fed since the last flush to the written frames.
    private var fed: FrameMap
    /// Maps the player's time to the time that the source has played.
    private var clock: FrameMap
    /// The frame of the source at which the last flush began.
    private(set) var firstFrame: Int64 = 0
    /// The number of frames written to the source since the last flush.
    private(set) var writtenFrames: Int64 = 0
    /// The number of converted frames that are not in the source yet.
    private(set) var pendingFrames = 0
    /// The frame of the source after its marked end; nil while more frames may come.
    private(set) var endFrame: Int64?
    /// The pending seek; nil if there is none.
    private var seek: Seek?
    /// The generation of the last seek that was carried out or has failed; 0 before the first.
    private(set) var seekGeneration: UInt64 = 0
    /// The reason why the item ended early, or why a seek failed; nil if there is none.
    private(set) var failure: ItemFailure?
    /// The completions that are due, in their order.
    private var due: [ItemCompletion] = []

    /// - Parameters:
    ///   - sampleRate: the renderer's rate in hertz.
    ///   - ratio: the renderer's frames for each frame of the player.
    init(sampleRate: Double, ratio: Double = 1) {
        self.sampleRate = sampleRate
        fed = FrameMap(ratio: ratio)
        clock = fed
    }

    // MARK: Queries

    /// When to feed again after a call that has fed everything it could.
    var nextPump: NextPump {
        work == .retired || schedule.isEmpty && conversion == .empty ? .onceChanged : .soon
    }

    /// The latency from rendering to hearing, in frames of the renderer, for `dataPlayedBack`.
    var latencyFrames: Int64 {
        get { schedule.latencyFrames }
        set { schedule.latencyFrames = newValue }
    }

    /// The player's time after the source has played for `elapsed` frames.
    func playerFrames(atElapsed elapsed: Int64) -> Int64 { clock.playerFrames(atRenderer: elapsed) }

    /// How long the source has played at a time of the player.
    func elapsedFrames(atPlayer frames: Int64) -> Int64 { clock.rendererFrames(atPlayer: frames) }

    /// The frame of the item that is rendered next, or the target of a pending seek.
    func itemFrame(at position: Int64) -> Int64 {
        seek?.frame ?? schedule.place(ofFed: renderedFrames(at: position)).frame
    }

    /// Whether nothing is left to render after `frames` more frames; false while a seek is pending.
    func isPlayedOut(at position: Int64, in frames: Int) -> Bool {
        seek == nil && hasEnded(at: position + Int64(frames))
    }

    private func hasEnded(at position: Int64) -> Bool {
        guard let endFrame, writtenFrames > 0 else { return false }
        return endFrame <= position
    }

    /// Whether the source is silent because the frames of its item have not arrived yet.
    func isWaiting(at position: Int64) -> Bool {
        reading == .waiting && pendingFrames == 0 && position >= firstFrame + writtenFrames
    }

    private func renderedFrames(at position: Int64) -> Int64 { fed.playerFrames(atRenderer: position - firstFrame) }

    // MARK: Requests

    /// The completions that became due since the last call.
    mutating func takeDue() -> [ItemCompletion] {
        defer { due = [] }
        return due
    }

    /// Drops the queue, and sets the player's time to 0; all completions are due.
    mutating func stop() -> SourceCommand {
        due += schedule.stop()
        return flush(toFrame: 0, keepsClock: false)
    }

    mutating func schedule(
        _ item: ScheduledItem, interrupting interruption: ScheduleInterruption, at now: Moment
    ) -> SourceCommand? {
        noteRendered(at: now)
        let command = interruption == .atLoopEnd ? takeBackPasses(at: now) : nil
        let outcome = schedule.schedule(item, interrupting: interruption, isReading: work == .reading)
        due += outcome.due
        return outcome.mustFlush ? flush(toFrame: 0, keepsClock: true) : command
    }

    /// Takes back the passes that were fed ahead, so that a loop ends with the pass that is rendered.
    ///
    /// If that pass ends within a cycle, the loop ends with the next one, because the renderer may already be there.
    private mutating func takeBackPasses(at now: Moment) -> SourceCommand? {
        let first = now.position - firstFrame + Int64(now.cycleFrames)
        let frame = fed.playerFrames(atRenderer: first)
        let isWhole = fed.rendererFrames(atPlayer: frame) >= first
        guard let loopEnd = schedule.loopEnd(notBefore: isWhole ? frame : frame + 1) else { return nil }
        let written = fed.rendererFrames(atPlayer: loopEnd)
        // The end may still be in the converter; only written frames can be taken back.
        guard written <= writtenFrames else { return nil }
        schedule.truncate(toLoopEnd: loopEnd)
        fed.truncate(toRenderer: written)
        clock.truncate(toRenderer: now.elapsed + firstFrame + written - now.position)
        dropAhead(writtenFrames: written)
        return .truncate(toFrame: firstFrame + written)
    }

    /// Ends the feeding; makes no completions due.
    mutating func retire() -> SourceCommand {
        work = .retired
        return flush(toFrame: 0, keepsClock: false)
    }

    /// - Parameter generation: a different number for each seek.
    mutating func seek(toFrame frame: Int64, generation: UInt64) {
        seek = Seek(frame: frame, generation: generation)
    }

    /// Sets the number of repeats of the item; a negative number repeats until an interruption.
    mutating func setLoops(_ count: Int) { schedule.setLoops(count) }

    private mutating func flush(toFrame frame: Int64, keepsClock: Bool) -> SourceCommand {
        dropAhead(writtenFrames: 0)
        firstFrame = frame
        fed = FrameMap(ratio: fed.ratio)
        if !keepsClock { clock = fed }
        return .flush(toFrame: frame, keepsClock: keepsClock)
    }

    /// Keeps the first `frames` frames in the source; the feeding thread drops its frames.
    private mutating func dropAhead(writtenFrames frames: Int64) {
        if work != .retired { work = .outdated }
        if reading == .atPassEnd { reading = .flowing }
        (writtenFrames, pendingFrames) = (frames, 0)
        (conversion, endFrame) = (.empty, nil)
    }

    private mutating func noteRendered(at now: Moment) {
        let position = now.position - firstFrame
        let isAllRendered = position >= writtenFrames && pendingFrames == 0 && conversion == .empty
        let rendered = isAllRendered ? schedule.fedFrames : fed.playerFrames(atRenderer: position)
        due += schedule.update(rendered: rendered, now: now.sampleTime)
    }

    // MARK: Feeding thread: seeks

    /// - Parameter rereads: true if the sound or its converter has changed, so that the read-ahead is fed again.
    mutating func beginFeeding(at now: Moment, rereads: Bool) -> Destination {
        guard work != .retired else { return .retired }
        noteRendered(at: now)
        let goesOn = rereads && failure == nil && !hasEnded(at: now.position)
        let current = goesOn ? schedule.place(ofFed: renderedFrames(at: now.position)).frame : nil
        guard let frame = seek?.frame ?? current else { return .here }
        guard let item = schedule.currentItem else {
            finishSeek(seek?.generation)
            return .here
        }
        return .place(Place(item: item, frame: frame, generation: seek?.generation))
    }

    /// Reading continues at a place.
    ///
    /// - Parameter frame: the current frame of the reader.
    mutating func arrive(_ place: Place, atFrame frame: Int64, at now: Moment) -> SourceCommand? {
        finishSeek(place.generation)
        guard schedule.currentItem == place.item else { return nil }
        schedule.seek(toFrame: frame, rendered: renderedFrames(at: now.position))
        failure = nil
        return flush(toFrame: frame, keepsClock: false)
    }

    /// The seek has failed; the frames that were read before play to their end.
    mutating func fail(_ place: Place, because failure: ItemFailure) {
        finishSeek(place.generation)
        end(because: failure)
    }

    private mutating func finishSeek(_ generation: UInt64?) {
        guard let generation else { return }
        seekGeneration = generation
        if seek?.generation == generation { seek = nil }
    }

    private mutating func end(because failure: ItemFailure) {
        self.failure = failure
        due += schedule.abandonFirst()
    }

    // MARK: Feeding thread: the next step

    /// - Parameters:
    ///   - mayRead: false to get a rest of 0 frames instead of a read.
    ///   - hasMore: whether an item of unknown length has more frames now, after it had given all of them.
    mutating func nextStep(
        at now: Moment, _ pace: Pace, mayRead: Bool, hasMore: (UInt64) -> Bool
    ) -> Step {
        switch work {
        case .retired: return .feed(.rest(frames: .max))
        case .outdated: return .feed(.restart)
        case .ready, .reading: break
        }
        let rest = Step.feed(.rest(frames: pace.restFrames))
        let waiting = firstFrame + writtenFrames - now.position
        if pendingFrames > 0 { return now.writableFrames > 0 ? .source(.writePending) : rest }
        if reading == .atPassEnd {
            let most = max(Int64(sampleRate * Self.passSeconds), Int64(pace.minimumFrames))
            if waiting > most { return .feed(.rest(frames: waiting - most)) }
            reading = .flowing
            let goesOn = schedule.currentItem.map(hasMore) ?? false
            if !goesOn { due += schedule.endPass() }
        }
        guard now.writableFrames > 0 else { return rest }
        if conversion == .draining { return .feed(.drain) }
        // Not more than fits into the source after conversion, so that few frames wait.
        let chunk = pace.isShort ? Self.shortChunkFrames : Self.chunkFrames
        let limit = max(1, min(chunk, Int(Double(now.writableFrames) / fed.ratio)))
        if schedule.step(limit: limit) == nil { continueLast(at: now, hasMore) }
        switch schedule.step(limit: limit) {
        case .hold(let time):
            if conversion == .streaming { return drain() }
            // A time before the beginning counts as the beginning, so that differences to it do not overflow.
            return .source(.hold(untilElapsed: max(0, clock.rendererFrames(atPlayer: time))))
        case .frames(let item, let from, let count):
            guard mayRead else { return .feed(.rest(frames: 0)) }
            work = .reading
            return .feed(.read(item: item, from: from, count: count))
        case nil:
            guard writtenFrames > 0 || schedule.currentItem != nil else { return .feed(.rest(frames: .max)) }
            if conversion == .streaming {
                // Waits with the drain: an item that is scheduled in time follows without a seam.
                let most = max(pace.minimumFrames, pace.readAheadFrames / 2, pace.cycleFrames)
                let excess = pace.readAheadFrames - now.writableFrames - most
                return excess > 0 ? .feed(.rest(frames: Int64(excess))) : drain()
            }
            guard endFrame == nil else { return .feed(.rest(frames: max(0, waiting))) }
            endFrame = firstFrame + writtenFrames
            return .source(.markEnd)
        }
    }

    private mutating func drain() -> Step {
        conversion = .draining
        return .feed(.drain)
    }

    /// Continues the last item if more of its frames have arrived before its end was rendered.
    private mutating func continueLast(at now: Moment, _ hasMore: (UInt64) -> Bool) {
        guard failure == nil, !hasEnded(at: now.position), let item = schedule.currentItem, hasMore(item) else {
            return
        }
        schedule.continueLast()
    }

    // MARK: Feeding thread: results

    /// The frames that were read and converted before the last flush have been dropped.
    mutating func noteRestart(ratio: Double, at now: Moment) {
        guard work == .outdated else { return }
        work = .ready
        noteRatio(ratio, at: now)
    }

    /// - Parameter pendingFrames: the frames that wait for room after the write.
    mutating func noteWritten(_ frames: Int, pendingFrames: Int) {
        writtenFrames += Int64(frames)
        if frames > 0 { endFrame = nil }
        self.pendingFrames = pendingFrames
    }

    /// The source has accepted the hold.
    mutating func noteHold() { schedule.advanceHold() }

    /// Whether the frames of the feeding thread follow the fed frames; false after a flush.
    var isCurrent: Bool { work == .ready || work == .reading }

    /// Frames of the item are in the converter.
    ///
    /// - Parameters:
    ///   - ratio: the ratio of the frames that come out next.
    ///   - pendingFrames: the frames that wait for room before them.
    mutating func noteConversion(ratio: Double, pendingFrames: Int, at now: Moment) {
        guard isCurrent else { return }
        conversion = .streaming
        self.pendingFrames = pendingFrames
        noteRatio(ratio, at: now)
    }

    /// The frames in the converter, and those that wait for the source, have been dropped and are left out.
    mutating func noteReset(ratio: Double, at now: Moment) {
        guard isCurrent else { return }
        let lost = schedule.fedFrames - fed.playerFrames(atRenderer: writtenFrames)
        (pendingFrames, conversion) = (0, .empty)
        noteRatio(ratio, at: now)
        fed.leaveOut(lost, atRenderer: writtenFrames)
        clock.leaveOut(lost, atRenderer: now.elapsed + max(0, firstFrame + writtenFrames - now.position))
    }

    /// - Parameters:
    ///   - ratio: the ratio of these frames.
    ///   - frames: the number of frames that came out; 0 if the converter is empty.
    mutating func noteDrain(ratio: Double, frames: Int, at now: Moment) {
        guard isCurrent else { return }
        noteRatio(ratio, at: now)
        pendingFrames += frames
        if frames == 0 { conversion = .empty }
    }

    /// - Returns: the number of renderer frames that result; nil if the frames of the item have not arrived yet.
    mutating func noteRead(_ outcome: ReadOutcome, of count: Int) -> Int? {
        guard work == .reading else { return 0 }
        work = .ready
        reading = .flowing
        switch outcome {
        case .frames(let frames):
            let isOpenEnded = schedule.isFirstOfUnknownLength
            due += schedule.advance(frames: frames)
            if isOpenEnded {
                if frames == 0 { reading = .atPassEnd }
            } else if frames < count {
                // The item ends here, so its completion is due as if this had been its length.
                due += schedule.abandonFirst()
            }
            return Int(Double(frames) * fed.ratio)
        case .notYet:
            reading = .waiting
            return nil
        case .failed(let failure):
            end(because: failure)
            return 0
        }
    }

    /// Applies the converter's new ratio to the frames that come out next.
    private mutating func noteRatio(_ ratio: Double, at now: Moment) {
        guard ratio != fed.ratio || ratio != clock.ratio else { return }
        let written = writtenFrames + Int64(pendingFrames)
        let waiting = max(0, firstFrame + written - now.position)
        fed.change(to: ratio, atRenderer: written)
        clock.change(to: ratio, atRenderer: now.elapsed + waiting)
    }
}
