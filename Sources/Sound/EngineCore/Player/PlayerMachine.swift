/// A player as a value: what is fed next, whose completion is due, and which of the player's frames is which of the
/// renderer's.
///
/// `EnginePlayer` does what it says, in this order, and says what came of it. Frames of the renderer are those of the
/// source that the player feeds; its position and its clock come with each call as a `Moment`.
struct PlayerMachine: Hashable, Sendable {
    /// What the source and the renderer say, read together.
    struct Moment: Hashable, Sendable {
        /// The renderer's sample time of the next cycle.
        var sampleTime: Int64
        /// Frames of the last cycle; 0 before the first.
        var cycleFrames: Int
        /// The source's frame that is rendered next.
        var position: Int64
        /// How long the source has played.
        var elapsed: Int64
        /// Frames that the source takes now.
        var writableFrames: Int
    }

    /// How the thread that feeds works during one call; in frames of the renderer.
    struct Pace: Hashable, Sendable {
        var minimumFrames: Int
        var readAheadFrames: Int
        /// The last cycle's, or as long as one may be.
        var cycleFrames: Int
        /// The read-ahead is short, so that changes are heard soon.
        var isShort: Bool

        /// Enough to be worth a read: a quarter of a long read-ahead lets the thread wake 4 times a second instead of 40.
        var restFrames: Int64 {
            Int64(isShort ? readAheadFrames / 8 : max(PlayerMachine.chunkFrames, readAheadFrames / 4))
        }
    }

    /// What the thread that feeds has in hand.
    enum Work: Hashable, Sendable {
        /// Nothing but converted frames that wait for room; to `reading` with a step, to `outdated` with a flush.
        case ready
        /// Frames of the first item are being read; to `ready` with what came of it, to `outdated` with a flush.
        case reading
        /// What was read or converted before a flush; to `ready` when it has been dropped.
        case outdated
        /// Nothing is fed any more; no exit. `ready` and `outdated` lead here: whoever retires the player waits for a read.
        case retired
    }

    /// What the last read gave.
    enum Reading: Hashable, Sendable {
        /// Frames; to the others with a read.
        case flowing
        /// Nothing, as the item's frames have not come yet; to the others with a read.
        case waiting
        /// Nothing, as this was the item's pass; to `flowing` when it is decided what follows, and with a flush.
        case atPassEnd
    }

    /// What the converter holds of what was fed; to `empty` with each flush.
    enum Conversion: Hashable, Sendable {
        /// To `streaming` with the next frames.
        case empty
        /// To `draining` where nothing follows in time, or not at once.
        case streaming
        /// It has been asked for its end, and takes no frames before all is out; to `empty` then.
        case draining
    }

    /// To be done to the source at once, before anyone else writes to it or asks it.
    enum SourceCommand: Hashable, Sendable {
        case flush(toFrame: Int64, keepsClock: Bool)
        case truncate(toFrame: Int64)
    }

    enum Step: Hashable, Sendable {
        case source(SourceStep)
        case feed(FeedStep)
    }

    /// To be done before the next call of the machine, from any thread.
    enum SourceStep: Hashable, Sendable {
        /// Writes frames that wait; `noteWritten`.
        case writePending
        /// `noteHold` where the source has taken it.
        case hold(untilElapsed: Int64)
        case markEnd
    }

    /// Others may call the machine meanwhile.
    enum FeedStep: Hashable, Sendable {
        /// Forgets what was read and converted; `noteRestart`.
        case restart
        /// `noteConversion` or `noteWritten` for what was read, then `noteRead`.
        case read(item: UInt64, from: Int64, count: Int)
        /// Gets out some of what the converter still holds; `noteDrain`.
        case drain
        /// Nothing, until so many frames are rendered.
        case rest(frames: Int64)
    }

    enum ReadOutcome: Hashable, Sendable {
        /// At most as many as were asked for.
        case frames(Int)
        /// The item's frames have not come yet.
        case notYet
        case failed(ItemFailure)
    }

    /// Where reading goes before anything is fed.
    enum Destination: Hashable, Sendable {
        case retired
        case here
        /// `arrive` or `fail` then.
        case place(Place)
    }

    struct Place: Hashable, Sendable {
        var item: UInt64
        var frame: Int64
        /// Of the seek that asked for it; nil: the item is read again from where it is.
        var generation: UInt64?
    }

    private struct Seek: Hashable {
        var frame: Int64
        var generation: UInt64
    }

    /// Frames that are read at once.
    static let chunkFrames = 4096
    private static let shortChunkFrames = 1024
    /// Before the end of a pass it is decided whether another follows, where the item's length is not known; it may be
    /// so late.
    private static let passSeconds = 0.25

    /// The renderer's, in hertz.
    private let sampleRate: Double
    private var schedule = PlayerSchedule()
    private(set) var work = Work.ready
    private(set) var reading = Reading.flowing
    private(set) var conversion = Conversion.empty
    /// From frames fed since the last flush to frames written.
    private var fed: FrameMap
    /// From the player's time to the time that the source has played.
    private var clock: FrameMap
    /// The source's frame where the last flush began.
    private(set) var firstFrame: Int64 = 0
    /// Frames that went into the source since the last flush.
    private(set) var writtenFrames: Int64 = 0
    /// Converted, and not in the source.
    private(set) var pendingFrames = 0
    /// The source's frame after the last of all, where the end is marked; nil while more may come.
    private(set) var endFrame: Int64?
    /// To be done; nil once that has been done.
    private var seek: Seek?
    /// Of the last seek that was carried out, or has failed; 0 before the first.
    private(set) var seekGeneration: UInt64 = 0
    /// Why the item ended early, or was not left by a seek.
    private(set) var failure: ItemFailure?
    /// In the order in which they came due.
    private var due: [ItemCompletion] = []

    /// - Parameters:
    ///   - sampleRate: the renderer's.
    ///   - ratio: frames of the renderer for each of the player's.
    init(sampleRate: Double, ratio: Double = 1) {
        self.sampleRate = sampleRate
        fed = FrameMap(ratio: ratio)
        clock = fed
    }

    // MARK: Asking

    /// When to feed again, after a call that has fed what it could.
    var nextPump: NextPump {
        work == .retired || schedule.isEmpty && conversion == .empty ? .onceChanged : .soon
    }

    /// From rendering to hearing, in frames of the renderer, for `dataPlayedBack`.
    var latencyFrames: Int64 {
        get { schedule.latencyFrames }
        set { schedule.latencyFrames = newValue }
    }

    /// The player's time when the source has played so long.
    func playerFrames(atElapsed elapsed: Int64) -> Int64 { clock.playerFrames(atRenderer: elapsed) }

    /// How long the source has played at the player's time.
    func elapsedFrames(atPlayer frames: Int64) -> Int64 { clock.rendererFrames(atPlayer: frames) }

    /// The frame of the item that is rendered next, or that a seek goes to.
    func itemFrame(at position: Int64) -> Int64 {
        seek?.frame ?? schedule.place(ofFed: renderedFrames(at: position)).frame
    }

    /// Whether nothing is left to render after so many frames; false while a seek has not been carried out.
    func isPlayedOut(at position: Int64, in frames: Int) -> Bool {
        seek == nil && hasEnded(at: position + Int64(frames))
    }

    private func hasEnded(at position: Int64) -> Bool {
        guard let endFrame, writtenFrames > 0 else { return false }
        return endFrame <= position
    }

    /// Whether the source is silent because the frames of its item have not come yet.
    func isWaiting(at position: Int64) -> Bool {
        reading == .waiting && pendingFrames == 0 && position >= firstFrame + writtenFrames
    }

    private func renderedFrames(at position: Int64) -> Int64 { fed.playerFrames(atRenderer: position - firstFrame) }

    // MARK: Requests

    /// The completions that came due since the last call.
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

    /// Takes back the passes that were fed ahead, so that a loop ends with the one that is rendered, or with the next one
    /// where that ends within a cycle: the renderer may be so far by now.
    private mutating func takeBackPasses(at now: Moment) -> SourceCommand? {
        let first = now.position - firstFrame + Int64(now.cycleFrames)
        let frame = fed.playerFrames(atRenderer: first)
        let isWhole = fed.rendererFrames(atPlayer: frame) >= first
        guard let loopEnd = schedule.loopEnd(notBefore: isWhole ? frame : frame + 1) else { return nil }
        let written = fed.rendererFrames(atPlayer: loopEnd)
        // What is behind a converter has not been written.
        guard written <= writtenFrames else { return nil }
        schedule.truncate(toLoopEnd: loopEnd)
        fed.truncate(toRenderer: written)
        clock.truncate(toRenderer: now.elapsed + firstFrame + written - now.position)
        dropAhead(writtenFrames: written)
        return .truncate(toFrame: firstFrame + written)
    }

    /// Feeds nothing any more; makes no completions.
    mutating func retire() -> SourceCommand {
        work = .retired
        return flush(toFrame: 0, keepsClock: false)
    }

    /// - Parameter generation: another for each seek.
    mutating func seek(toFrame frame: Int64, generation: UInt64) {
        seek = Seek(frame: frame, generation: generation)
    }

    /// How often the item begins again at its end; negative: until something interrupts it.
    mutating func setLoops(_ count: Int) { schedule.setLoops(count) }

    private mutating func flush(toFrame frame: Int64, keepsClock: Bool) -> SourceCommand {
        dropAhead(writtenFrames: 0)
        firstFrame = frame
        fed = FrameMap(ratio: fed.ratio)
        if !keepsClock { clock = fed }
        return .flush(toFrame: frame, keepsClock: keepsClock)
    }

    /// What goes on is what is in the source; the thread that feeds drops what it has in hand.
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

    // MARK: The thread that feeds: where to

    /// - Parameter rereads: what is between the item and the renderer changes, so that what was fed ahead is fed again.
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

    /// Reading goes on there.
    ///
    /// - Parameter frame: where the reader is now.
    mutating func arrive(_ place: Place, atFrame frame: Int64, at now: Moment) -> SourceCommand? {
        finishSeek(place.generation)
        guard schedule.currentItem == place.item else { return nil }
        schedule.seek(toFrame: frame, rendered: renderedFrames(at: now.position))
        failure = nil
        return flush(toFrame: frame, keepsClock: false)
    }

    /// What was read before plays to its end.
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

    // MARK: The thread that feeds: what next

    /// - Parameters:
    ///   - mayRead: false: no rest is what comes instead of a read.
    ///   - hasMore: whether an item of unknown length, which has given all its frames, has more of them now.
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
        // Not more than fits after conversion, so that little has to wait.
        let chunk = pace.isShort ? Self.shortChunkFrames : Self.chunkFrames
        let limit = max(1, min(chunk, Int(Double(now.writableFrames) / fed.ratio)))
        if schedule.step(limit: limit) == nil { continueLast(at: now, hasMore) }
        switch schedule.step(limit: limit) {
        case .hold(let time):
            if conversion == .streaming { return drain() }
            // Long ago is as good as the beginning, and no distance that the renderer takes from it overflows.
            return .source(.hold(untilElapsed: max(0, clock.rendererFrames(atPlayer: time))))
        case .frames(let item, let from, let count):
            guard mayRead else { return .feed(.rest(frames: 0)) }
            work = .reading
            return .feed(.read(item: item, from: from, count: count))
        case nil:
            guard writtenFrames > 0 || schedule.currentItem != nil else { return .feed(.rest(frames: .max)) }
            if conversion == .streaming {
                // An item that comes in time follows without a seam.
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

    /// More of the last item may have come before its end was rendered.
    private mutating func continueLast(at now: Moment, _ hasMore: (UInt64) -> Bool) {
        guard failure == nil, !hasEnded(at: now.position), let item = schedule.currentItem, hasMore(item) else {
            return
        }
        schedule.continueLast()
    }

    // MARK: The thread that feeds: what came of it

    /// All that was read and converted before the last flush is forgotten.
    mutating func noteRestart(ratio: Double, at now: Moment) {
        guard work == .outdated else { return }
        work = .ready
        noteRatio(ratio, at: now)
    }

    /// - Parameter pendingFrames: that wait for room after this.
    mutating func noteWritten(_ frames: Int, pendingFrames: Int) {
        writtenFrames += Int64(frames)
        if frames > 0 { endFrame = nil }
        self.pendingFrames = pendingFrames
    }

    /// The source has taken the hold.
    mutating func noteHold() { schedule.advanceHold() }

    /// Whether what the thread that feeds has in hand follows what it has fed.
    var isCurrent: Bool { work == .ready || work == .reading }

    /// Frames of the item are in the converter.
    ///
    /// - Parameters:
    ///   - ratio: of what comes out from now on.
    ///   - pendingFrames: that wait for room before that.
    mutating func noteConversion(ratio: Double, pendingFrames: Int, at now: Moment) {
        guard isCurrent else { return }
        conversion = .streaming
        self.pendingFrames = pendingFrames
        noteRatio(ratio, at: now)
    }

    /// What the converter holds, and what it gave and the source has not taken, is forgotten: those frames are left out.
    mutating func noteReset(ratio: Double, at now: Moment) {
        guard isCurrent else { return }
        let lost = schedule.fedFrames - fed.playerFrames(atRenderer: writtenFrames)
        (pendingFrames, conversion) = (0, .empty)
        noteRatio(ratio, at: now)
        fed.leaveOut(lost, atRenderer: writtenFrames)
        clock.leaveOut(lost, atRenderer: now.elapsed + max(0, firstFrame + writtenFrames - now.position))
    }

    /// - Parameters:
    ///   - ratio: of these frames.
    ///   - frames: that came out; 0: nothing is left in the converter.
    mutating func noteDrain(ratio: Double, frames: Int, at now: Moment) {
        guard isCurrent else { return }
        noteRatio(ratio, at: now)
        pendingFrames += frames
        if frames == 0 { conversion = .empty }
    }

    /// - Returns: how many frames of the renderer come of it; nil: the item has to be waited for.
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
                // The completion is due as if this had been its length.
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

    /// What was set on the converter meanwhile holds from what comes out of it next.
    private mutating func noteRatio(_ ratio: Double, at now: Moment) {
        guard ratio != fed.ratio || ratio != clock.ratio else { return }
        let written = writtenFrames + Int64(pendingFrames)
        let waiting = max(0, firstFrame + written - now.position)
        fed.change(to: ratio, atRenderer: written)
        clock.change(to: ratio, atRenderer: now.elapsed + waiting)
    }
}
