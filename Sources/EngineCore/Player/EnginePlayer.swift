import Synchronization

/// A player: a queue of items, fed to a source.
///
/// Any thread but the render thread may call everything, and waits for no item that is being read; `retire` does. Frames
/// and times are the player's own; where those are not the renderer's, because of rates or of effects, a converter is
/// between the two.
package final class EnginePlayer: FrameProducer {
    package let source: SourceFeed
    private let engine: EngineRenderer
    private let items: any ItemReader
    private let onCompletion: @Sendable (ItemCompletion) -> Void
    /// Held while an item is read; before `state`.
    private let feeding: Mutex<Feeding>
    /// Held for moments.
    private let state: Mutex<State>

    /// Frames that are read at once.
    private static let chunkFrames = 4096
    private static let convertedChunkFrames = 1024
    /// Frames of the renderer, as a count of reads would starve short loops; what the renderer reports is not kept
    /// waiting behind a slow disk.
    private static let mostFramesAtOnce = 8 * chunkFrames
    /// Before the end of a pass it is decided whether another follows, where the item's length is not known; it may be
    /// so late.
    private static let passSeconds = 0.25
    /// Until an item whose frames have not come is asked again.
    private static let waitSeconds = 0.05

    /// What the thread that feeds works with.
    private struct Feeding {
        var scratch: [Float]
        var converter: (any FrameConverter)?
        /// Nil where the source's holds.
        var readAheadFrames: Int?
        /// Converted, but the lane was full.
        var pending: FrameQueue
        /// Of the flush that these follow.
        var generation = 0
        /// The item has given all frames of its pass, and what follows is not decided yet.
        var isAtPassEnd = false
    }

    private struct State {
        var schedule = PlayerSchedule()
        /// Nothing is fed any more.
        var isRetired = false
        /// From frames fed since the last flush to frames written.
        var fed: FrameMap
        /// From the player's time to the time that the source has played.
        var clock: FrameMap
        /// Counts flushes: what was read for an older one is dropped.
        var generation = 0
        /// The source's frame where the last flush began.
        var firstFrame: Int64 = 0
        /// Frames that went into the lane since the last flush, at the renderer's rate.
        var writtenFrames: Int64 = 0
        /// Converted, and not in the lane.
        var pendingFrames = 0
        var converter = ConverterState.empty
        /// The last read gave nothing because the item's frames have not come yet.
        var isItemWaiting = false
        /// An item has ended since the last flush.
        var hasFedItem = false
        /// The source's frame after the last of all; nil while more may come.
        var endFrame: Int64?
        /// Where to go; nil once that has been done.
        var seek: (frame: Int64, generation: UInt64)?
        /// Of the last seek that was carried out, or has failed.
        var seekGeneration: UInt64 = 0
        /// To be taken up with the next seek.
        var conversion: Conversion?
        var failure: ItemFailure?
        /// Completions in the order in which they came due, for the next call that is not under the lock.
        var due: [ItemCompletion] = []
    }

    /// What the converter holds of what was fed; to `empty` with each flush.
    private enum ConverterState {
        /// To `streaming` with the next frames.
        case empty
        /// To `draining` where nothing follows in time, or not at once.
        case streaming
        /// It has been asked for its end, and takes no frames before all is out; to `empty` then.
        case draining
    }

    private typealias Conversion = (converter: (any FrameConverter)?, readAheadFrames: Int)

    /// - Parameters:
    ///   - engine: the source's; kept alive.
    ///   - source: fed by this player only.
    ///   - converter: from the player's rate to the renderer's; nil where they are the same.
    ///   - items: reads what is scheduled.
    ///   - onCompletion: called on the thread that feeds, or that called `schedule` or `stop`, with no lock held.
    package init(
        engine: EngineRenderer, source: SourceFeed, converter: (any FrameConverter)? = nil, items: any ItemReader,
        onCompletion: @escaping @Sendable (ItemCompletion) -> Void = { _ in }
    ) {
        self.engine = engine
        self.source = source
        self.items = items
        self.onCompletion = onCompletion
        let map = FrameMap(ratio: converter?.takeRatio() ?? 1)
        state = Mutex(State(fed: map, clock: map))
        feeding = Mutex(
            Feeding(
                scratch: [Float](repeating: 0, count: Self.chunkFrames * source.channels), converter: converter,
                pending: FrameQueue(channels: source.channels)))
    }

    // MARK: Any thread

    package var isPlaying: Bool { source.isPlaying }

    /// Whether everything scheduled has been completed.
    package var isEmpty: Bool { state.withLock { $0.schedule.isEmpty } }

    /// The player's time at the end of the last cycle, in frames at its rate.
    package var elapsedFrames: Int64 { state.withLock { $0.clock.playerFrames(atRenderer: source.elapsedFrames) } }

    /// The player's time at a sample time of the renderer, if it plays on; nil before it was rendered.
    package func playerFrames(atSampleTime sampleTime: Int64) -> Int64? {
        state.withLock { state in
            source.zeroSampleTime.map { state.clock.playerFrames(atRenderer: sampleTime.subtractingClamped($0)) }
        }
    }

    /// The sample time of the renderer at the player's time, if it plays on; nil before it was rendered.
    package func sampleTime(atPlayerFrames frames: Int64) -> Int64? {
        state.withLock { state in
            source.zeroSampleTime.map { state.clock.rendererFrames(atPlayer: frames).addingClamped($0) }
        }
    }

    /// From rendering to hearing, in frames of the renderer, for `dataPlayedBack`.
    package var latencyFrames: Int64 {
        get { state.withLock { $0.schedule.latencyFrames } }
        set { state.withLock { $0.schedule.latencyFrames = newValue } }
    }

    /// Plays, from `sampleTime` of the renderer on.
    package func play(at sampleTime: Int64 = .min) { source.play(at: sampleTime) }

    /// Fades out; the player's time stands.
    package func pause() { source.pause() }

    /// From the next cycle on silent without a fade; the player's time stands.
    package func pauseAtOnce() { source.pauseAtOnce() }

    /// Ends what sounds, drops the queue, and sets the player's time to 0; all completions are made.
    package func stop() {
        deliver {
            source.pause()
            $0.due += $0.schedule.stop()
            flush(&$0, keepsClock: false)
        }
    }

    package func schedule(_ item: ScheduledItem, interrupting interruption: ScheduleInterruption = .none) {
        deliver {
            noteRendered(&$0)
            if interruption == .atLoopEnd { takeBackPasses(&$0) }
            let outcome = $0.schedule.schedule(item, interrupting: interruption)
            $0.due += outcome.due
            if outcome.mustFlush { flush(&$0, keepsClock: true) }
        }
    }

    /// Takes back the passes that were fed ahead, so that a loop ends with the one that is rendered, or with the next one
    /// where that ends within a cycle: the renderer may be so far by now.
    private func takeBackPasses(_ state: inout State) {
        let position = source.positionFrames
        let first = position - state.firstFrame + Int64(engine.lastCycle?.frames ?? 0)
        let fed = state.fed.playerFrames(atRenderer: first)
        let isWhole = state.fed.rendererFrames(atPlayer: fed) >= first
        guard let loopEnd = state.schedule.loopEnd(notBefore: isWhole ? fed : fed + 1) else { return }
        let written = state.fed.rendererFrames(atPlayer: loopEnd)
        // What is behind a converter has not been written.
        guard written <= state.writtenFrames else { return }
        source.truncate(toFrame: state.firstFrame + written)
        state.schedule.truncate(toLoopEnd: loopEnd)
        state.fed.truncate(toRenderer: written)
        state.clock.truncate(toRenderer: source.elapsedFrames + state.firstFrame + written - position)
        // The thread that feeds drops what it has read, as after a flush.
        state.generation += 1
        (state.writtenFrames, state.pendingFrames) = (written, 0)
        (state.converter, state.endFrame) = (.empty, nil)
    }

    /// Feeds nothing any more and drops what it has fed, so that another can feed the source; makes no completions.
    ///
    /// Waits for an item that is being read.
    package func retire() {
        feeding.withLock { _ in
            state.withLock {
                $0.isRetired = true
                flush(&$0, keepsClock: false)
            }
        }
    }

    // MARK: A queue of one item

    /// Goes to a frame of the item, also after its end; the thread that feeds does it, as the item may be slow.
    ///
    /// What was fed before is dropped; where it sounds it fades out, and the new place fades in.
    ///
    /// - Parameter generation: another for each seek.
    package func seek(toFrame frame: Int64, generation: UInt64) {
        state.withLock { $0.seek = (frame, generation) }
    }

    /// Of the last seek that has been carried out, or has failed; 0 before the first.
    package var seekGeneration: UInt64 { state.withLock { $0.seekGeneration } }

    /// How often the item begins again at its end; negative: until something interrupts it.
    ///
    /// What has been fed is not called back: less than 0.25 s before the end, a new number comes too late.
    package func setLoops(_ count: Int) { state.withLock { $0.schedule.setLoops(count) } }

    /// Changes what is between the item and the renderer; what has been fed ahead is fed again.
    ///
    /// - Parameters:
    ///   - converter: nil: the item is at the renderer's rate.
    ///   - readAheadFrames: how far the item is fed ahead from then on; a cycle at least, and before the first one the
    ///     longest there may be.
    package func setConverter(_ converter: (any FrameConverter)?, readAheadFrames: Int) {
        state.withLock { $0.conversion = (converter, readAheadFrames) }
    }

    /// The frame of the item that is rendered next, or that a seek goes to; where it begins again, its end is its
    /// beginning.
    package var itemFrame: Int64 { state.withLock { $0.seek?.frame ?? place($0).frame } }

    /// Whether nothing is left to render after so many frames; false where the last seek went to the end, and while one
    /// has not been carried out.
    package func isPlayedOut(in frames: Int = 0) -> Bool {
        state.withLock { $0.seek == nil && isPlayedOut($0, in: frames) }
    }

    private func isPlayedOut(_ state: State, in frames: Int = 0) -> Bool {
        guard let end = state.endFrame, state.writtenFrames > 0 else { return false }
        return end <= source.positionFrames + Int64(frames)
    }

    /// Why the item ended early, or was not left by a seek.
    package var failure: ItemFailure? { state.withLock { $0.failure } }

    /// Whether it is silent because the frames of its item have not come yet.
    package var isWaiting: Bool {
        state.withLock { state in
            state.isItemWaiting && state.pendingFrames == 0
                && source.positionFrames >= state.firstFrame + state.writtenFrames
        }
    }

    private func renderedFrames(_ state: State) -> Int64 {
        state.fed.playerFrames(atRenderer: source.positionFrames - state.firstFrame)
    }

    private func place(_ state: State) -> (frame: Int64, passesAhead: Int) {
        state.schedule.place(ofFed: renderedFrames(state))
    }

    // MARK: The thread that feeds

    /// Feeds, and makes the completions that are due; each piece of the converter's end is one call, so that what is
    /// scheduled meanwhile is taken up.
    package func pump(minimumFrames: Int) -> NextPump {
        let rest = feed(minimumFrames: minimumFrames, inPieces: true)
        return state.withLock { state in
            guard !state.isRetired else { return .onceChanged }
            if rest == nil { return .atOnce }
            return state.schedule.isEmpty && state.converter == .empty ? .onceChanged : .soon
        }
    }

    /// Feeds, and makes the completions that are due.
    ///
    /// - Returns: how many frames are to be rendered before it is called again; 0: more could be fed at once.
    @discardableResult
    package func feed() -> Int64 { feed(minimumFrames: 0, inPieces: false) ?? 0 }

    /// - Parameter isInPieces: returns after each piece of the converter's end.
    /// - Returns: nil after such a piece.
    private func feed(minimumFrames: Int, inPieces isInPieces: Bool) -> Int64? {
        defer {
            deliver { _ in }
            items.endReading()
        }
        return feeding.withLock { feeding in
            guard goWhereAsked(&feeding) else { return .max }
            // A cycle that is longer than the read-ahead would never find all its frames.
            source.readAheadFrames = max(
                feeding.readAheadFrames ?? source.readAheadFrames, minimumFrames, cycleFrames(feeding))
            return feed(&feeding, minimumFrames: minimumFrames, inPieces: isInPieces)
        }
    }

    private func cycleFrames(_ feeding: Feeding) -> Int {
        engine.lastCycle?.frames ?? (feeding.readAheadFrames == nil ? 0 : engine.maximumFrames)
    }

    /// Changes the state, then makes the completions that came due, without the lock.
    private func deliver(_ body: (inout State) -> Void) {
        let due = state.withLock { state in
            body(&state)
            defer { state.due = [] }
            return state.due
        }
        for completion in due { onCompletion(completion) }
    }

    private func noteRendered(_ state: inout State) {
        let position = source.positionFrames - state.firstFrame
        let isAllRendered =
            position >= state.writtenFrames && state.pendingFrames == 0 && state.converter == .empty
        let rendered = isAllRendered ? state.schedule.fedFrames : state.fed.playerFrames(atRenderer: position)
        state.due += state.schedule.update(rendered: rendered, now: engine.sampleTime)
    }

    /// The thread that feeds follows before it feeds on.
    private func flush(_ state: inout State, toFrame frame: Int64 = 0, keepsClock: Bool) {
        source.flush(toFrame: frame, keepsClock: keepsClock)
        state.generation += 1
        (state.firstFrame, state.writtenFrames, state.pendingFrames) = (frame, 0, 0)
        (state.converter, state.hasFedItem, state.endFrame) = (.empty, false, nil)
        state.fed = FrameMap(ratio: state.fed.ratio)
        if !keepsClock { state.clock = state.fed }
    }

    // MARK: Seeking

    /// - Returns: false where nothing is to be fed any more.
    private func goWhereAsked(_ feeding: inout Feeding) -> Bool {
        let converter = feeding.converter
        let (isRetired, seek, conversion, current) = state.withLock { state in
            if !state.isRetired { noteRendered(&state) }
            if let conversion = state.conversion, conversion.converter === converter { state.conversion = nil }
            let goesOn = state.conversion != nil && state.failure == nil && !isPlayedOut(state)
            return (state.isRetired, state.seek, state.conversion, goesOn ? place(state).frame : nil)
        }
        guard !isRetired else { return false }
        guard let frame = seek?.frame ?? current else { return true }
        go(toFrame: frame, conversion, &feeding)
        guard let seek else { return true }
        state.withLock {
            $0.seekGeneration = seek.generation
            if $0.seek?.generation == seek.generation { $0.seek = nil }
        }
        return true
    }

    private func go(toFrame frame: Int64, _ conversion: Conversion?, _ feeding: inout Feeding) {
        guard let item = state.withLock({ $0.schedule.currentItem }) else { return }
        do throws(ItemFailure) {
            let reached = try items.seek(item, toFrame: frame)
            state.withLock { state in
                guard state.schedule.currentItem == item else { return }
                state.schedule.seek(toFrame: reached, rendered: renderedFrames(state))
                state.failure = nil
                flush(&state, toFrame: reached, keepsClock: false)
            }
            guard let conversion else { return }
            (feeding.converter, feeding.readAheadFrames) = conversion
        } catch {
            // What was read before the seek plays to its end.
            state.withLock { end(&$0, because: error) }
        }
    }

    private func end(_ state: inout State, because failure: ItemFailure) {
        state.failure = failure
        state.hasFedItem = true
        state.due += state.schedule.abandonFirst()
    }

    // MARK: Feeding

    private enum Step {
        case read(item: UInt64, from: Int64, count: Int)
        case drainConverter
        case rest(frames: Int64)
    }

    private func feed(_ feeding: inout Feeding, minimumFrames: Int, inPieces isInPieces: Bool) -> Int64? {
        var budget = max(Self.mostFramesAtOnce, minimumFrames)
        while true {
            switch state.withLock({ nextStep(&$0, &feeding, minimumFrames) }) {
            case .read(let item, let from, let count):
                guard budget > 0 else { return 0 }
                budget -= 1 + read(item, from, count, &feeding)
                if state.withLock({ $0.isItemWaiting }) { return Int64(engine.sampleRate * Self.waitSeconds) }
            case .drainConverter:
                drainConverter(&feeding)
                if isInPieces { return nil }
            case .rest(let frames):
                return frames
            }
        }
    }

    /// Does what needs no reading, and says what comes then.
    private func nextStep(_ state: inout State, _ feeding: inout Feeding, _ minimumFrames: Int) -> Step {
        follow(&state, &feeding)
        while true {
            writePending(&state, &feeding)
            let room = source.writableFrames
            let waiting = state.firstFrame + state.writtenFrames - source.positionFrames
            guard feeding.pending.isEmpty else { return .rest(frames: restFrames(feeding)) }
            if feeding.isAtPassEnd {
                let most = max(Int64(engine.sampleRate * Self.passSeconds), Int64(minimumFrames))
                if waiting > most { return .rest(frames: waiting - most) }
                feeding.isAtPassEnd = false
                if let item = state.schedule.currentItem, items.hasMore(item) { continue }
                state.due += state.schedule.endPass()
                if state.schedule.isFed { state.hasFedItem = true }
                continue
            }
            guard room > 0 else { return .rest(frames: restFrames(feeding)) }
            if state.converter == .draining { return .drainConverter }
            // Not more than fits after conversion, so that little has to wait.
            let chunk = feeding.converter == nil ? Self.chunkFrames : Self.convertedChunkFrames
            switch state.schedule.step(limit: max(1, min(chunk, Int(Double(room) / state.fed.ratio)))) {
            case .hold(let time):
                if state.converter == .streaming { return .drainConverter }
                // Long ago is as good as the beginning, and no distance that the renderer takes from it overflows.
                let elapsed = max(0, state.clock.rendererFrames(atPlayer: time))
                guard source.hold(untilElapsed: elapsed) else { return .rest(frames: restFrames(feeding)) }
                state.schedule.advanceHold()
            case .frames(let item, let from, let count):
                return .read(item: item, from: from, count: count)
            case nil:
                guard state.writtenFrames > 0 || state.hasFedItem else { return .rest(frames: .max) }
                if continueLast(&state) { continue }
                if state.converter == .streaming {
                    // An item that comes in time follows without a seam.
                    let most = max(minimumFrames, source.readAheadFrames / 2, cycleFrames(feeding))
                    let excess = source.readAheadFrames - room - most
                    return excess > 0 ? .rest(frames: Int64(excess)) : .drainConverter
                }
                _ = source.append(interleaved: UnsafeBufferPointer(start: nil, count: 0), isEnd: true)
                state.endFrame = state.firstFrame + state.writtenFrames
                return .rest(frames: max(0, waiting))
            }
        }
    }

    /// More of the last item has come before its end was rendered.
    private func continueLast(_ state: inout State) -> Bool {
        guard state.failure == nil, !isPlayedOut(state), let item = state.schedule.currentItem, items.hasMore(item)
        else { return false }
        return state.schedule.continueLast()
    }

    /// Enough to be worth a read: a quarter of a long read-ahead lets the thread wake 4 times a second instead of 40.
    private func restFrames(_ feeding: Feeding) -> Int64 {
        Int64(
            feeding.converter == nil ? max(Self.chunkFrames, source.readAheadFrames / 4) : source.readAheadFrames / 8)
    }

    /// Forgets what was read and converted before the last flush.
    private func follow(_ state: inout State, _ feeding: inout Feeding) {
        guard feeding.generation != state.generation else { return }
        feeding.generation = state.generation
        feeding.isAtPassEnd = false
        feeding.pending.removeAll()
        feeding.converter?.reset()
        noteRatio(feeding.converter?.takeRatio() ?? 1, &state)
    }

    /// What was set on the converter meanwhile holds from what comes out of it next.
    private func noteRatio(_ ratio: Double, _ state: inout State) {
        guard ratio != state.fed.ratio || ratio != state.clock.ratio else { return }
        let written = state.writtenFrames + Int64(state.pendingFrames)
        let waiting = max(0, state.firstFrame + written - source.positionFrames)
        state.fed.change(to: ratio, atRenderer: written)
        state.clock.change(to: ratio, atRenderer: source.elapsedFrames + waiting)
    }

    /// - Returns: how many frames of the renderer come of it.
    private func read(_ item: UInt64, _ from: Int64, _ count: Int, _ feeding: inout Feeding) -> Int {
        var failure: ItemFailure?
        let got = feeding.scratch.withUnsafeMutableBufferPointer { scratch in
            let room = UnsafeMutableBufferPointer(rebasing: scratch[..<(count * source.channels)])
            do throws(ItemFailure) {
                return min(max(0, try items.read(item, from: from, into: room, frames: count)), count)
            } catch {
                failure = error
                return 0
            }
        }
        if got > 0 { pass(got, &feeding) }
        return state.withLock { state in
            guard state.generation == feeding.generation else { return 0 }
            state.due += state.schedule.advance(frames: got)
            state.isItemWaiting = got == 0 && failure == nil && items.isWaiting(item)
            if let failure {
                end(&state, because: failure)
            } else if state.schedule.isFirstOfUnknownLength {
                feeding.isAtPassEnd = got == 0 && !state.isItemWaiting
            } else if got < count {
                // The completion is due as if this had been its length.
                state.due += state.schedule.abandonFirst()
            }
            if state.schedule.isFed { state.hasFedItem = true }
            return Int(Double(got) * state.fed.ratio)
        }
    }

    /// Sends on what was read.
    private func pass(_ frames: Int, _ feeding: inout Feeding) {
        let generation = feeding.generation
        feeding.scratch.withUnsafeBufferPointer { scratch in
            let frames = UnsafeBufferPointer(rebasing: scratch[..<(frames * source.channels)])
            guard let converter = feeding.converter else {
                state.withLock { state in
                    guard state.generation == generation else { return }
                    let written = write(frames, &state)
                    feeding.pending.append(UnsafeBufferPointer(rebasing: frames[(written * source.channels)...]))
                    state.pendingFrames = feeding.pending.frames
                }
                return
            }
            // A converter that fails gives nothing from now on.
            _ = converter.convertAll(frames, channels: source.channels, into: &feeding.pending) { ratio, waiting in
                state.withLock { state in
                    guard state.generation == generation else { return }
                    state.converter = .streaming
                    state.pendingFrames = waiting
                    noteRatio(ratio, &state)
                }
            }
        }
    }

    /// Gets out some of what the converter still holds.
    private func drainConverter(_ feeding: inout Feeding) {
        guard let converter = feeding.converter else { return }
        let ratio = converter.takeRatio()
        state.withLock { state in
            guard state.generation == feeding.generation else { return }
            state.converter = .draining
            noteRatio(ratio, &state)
        }
        let frames = Int((Double(Self.convertedChunkFrames) * ratio).rounded(.up)) + 64
        var produced = 0
        feeding.pending.append(room: frames) { room in
            produced = converter.convert(UnsafeBufferPointer(start: nil, count: 0), isEnd: true, into: room).produced
            return produced
        }
        state.withLock { state in
            guard state.generation == feeding.generation else { return }
            state.pendingFrames = feeding.pending.frames
            if produced == 0 { state.converter = .empty }
        }
    }

    private func writePending(_ state: inout State, _ feeding: inout Feeding) {
        guard !feeding.pending.isEmpty else { return }
        _ = feeding.pending.consume { write($0, &state) }
        state.pendingFrames = feeding.pending.frames
    }

    private func write(_ frames: UnsafeBufferPointer<Float>, _ state: inout State) -> Int {
        let written = source.append(interleaved: frames, isEnd: false)
        state.writtenFrames += Int64(written)
        if written > 0 { state.endFrame = nil }
        return written
    }
}
