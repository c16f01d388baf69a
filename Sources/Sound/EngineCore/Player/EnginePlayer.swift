import Synchronization
import Threading

/// A player: a queue of items, fed to a source, which is played and paused by itself; the player's time stands meanwhile.
///
/// Any thread but the render thread may call everything, and waits for no item that is being read; `retire` does. Frames
/// and times are the player's own; where those are not the renderer's, because of rates or of effects, a converter is
/// between the two. `PlayerMachine` decides; here are the source, the items, the converter and the locks.
package final class EnginePlayer: FrameProducer {
    package let source: SourceFeed
    private let engine: EngineRenderer
    private let items: any ItemReader
    private let onCompletion: @Sendable (ItemCompletion) -> Void
    /// Nil while the thread that feeds has it: no lock is held while an item is read, as an app's code may run then.
    private let feeding: Monitor<Feeding?>
    /// Held for moments.
    private let state: Mutex<State>

    /// Frames of the renderer, as a count of reads would starve short loops; what the renderer reports is not kept
    /// waiting behind a slow disk.
    private static let mostFramesAtOnce = 8 * PlayerMachine.chunkFrames
    private static let drainedChunkFrames = 1024
    /// Until an item whose frames have not come is asked again.
    private static let waitSeconds = 0.05

    /// What the thread that feeds works with.
    private struct Feeding: Sendable {
        var scratch: [Float]
        var converter: (any FrameConverter)?
        /// Nil where the source's holds.
        var readAheadFrames: Int?
        /// The source's, while the items want a shorter one.
        var sourceFrames: Int?
        /// Converted, but the lane was full.
        var pending: FrameQueue
    }

    private struct State {
        var machine: PlayerMachine
        /// To be taken up with the next seek.
        var conversion: Conversion?
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
        state = Mutex(
            State(machine: PlayerMachine(sampleRate: engine.sampleRate, ratio: converter?.takeRatio() ?? 1)))
        feeding = Monitor(
            Feeding(
                scratch: [Float](repeating: 0, count: PlayerMachine.chunkFrames * source.channels),
                converter: converter, pending: FrameQueue(channels: source.channels)))
    }

    // MARK: Any thread

    /// The player's time at a sample time of the renderer, if it plays on; nil before it was rendered.
    package func playerFrames(atSampleTime sampleTime: Int64) -> Int64? {
        state.withLock { state in
            source.zeroSampleTime.map { state.machine.playerFrames(atElapsed: sampleTime.subtractingClamped($0)) }
        }
    }

    /// The sample time of the renderer at the player's time, if it plays on; nil before it was rendered.
    package func sampleTime(atPlayerFrames frames: Int64) -> Int64? {
        state.withLock { state in
            source.zeroSampleTime.map { state.machine.elapsedFrames(atPlayer: frames).addingClamped($0) }
        }
    }

    /// From rendering to hearing, in frames of the renderer, for `dataPlayedBack`.
    package var latencyFrames: Int64 {
        get { state.withLock { $0.machine.latencyFrames } }
        set { state.withLock { $0.machine.latencyFrames = newValue } }
    }

    /// Ends what sounds, drops the queue, and sets the player's time to 0; all completions are made.
    package func stop() {
        change {
            source.pause()
            carryOut($0.stop())
        }
    }

    package func schedule(_ item: ScheduledItem, interrupting interruption: ScheduleInterruption = .none) {
        change { carryOut($0.schedule(item, interrupting: interruption, at: now)) }
    }

    /// Feeds nothing any more and drops what it has fed, so that another can feed the source; makes no completions.
    ///
    /// Waits for an item that is being read.
    package func retire() {
        feeding.wait(while: { $0 == nil }) { _ in state.withLock { carryOut($0.machine.retire()) } }
    }

    /// Changes the machine, then makes the completions that came due, without the lock.
    private func change(_ body: (inout PlayerMachine) -> Void) {
        let due = state.withLock { state in
            body(&state.machine)
            return state.machine.takeDue()
        }
        for completion in due { onCompletion(completion) }
    }

    /// With the lock held, or what a later call says could be done first.
    private func carryOut(_ command: PlayerMachine.SourceCommand?) {
        switch command {
        case .flush(let frame, let keepsClock): source.flush(toFrame: frame, keepsClock: keepsClock)
        case .truncate(let frame): source.truncate(toFrame: frame)
        case nil: break
        }
    }

    private var now: PlayerMachine.Moment {
        let cycle = engine.lastCycle
        return PlayerMachine.Moment(
            sampleTime: cycle.map { $0.sampleTime + Int64($0.frames) } ?? 0, cycleFrames: cycle?.frames ?? 0,
            position: source.positionFrames, elapsed: source.elapsedFrames, writableFrames: source.writableFrames)
    }

    // MARK: A queue of one item

    /// Goes to a frame of the item, also after its end; the thread that feeds does it, as the item may be slow.
    ///
    /// What was fed before is dropped; where it sounds it fades out, and the new place fades in.
    ///
    /// - Parameter generation: another for each seek.
    package func seek(toFrame frame: Int64, generation: UInt64) {
        state.withLock { $0.machine.seek(toFrame: frame, generation: generation) }
    }

    /// Of the last seek that has been carried out, or has failed; 0 before the first.
    package var seekGeneration: UInt64 { state.withLock { $0.machine.seekGeneration } }

    /// How often the item begins again at its end; negative: until something interrupts it.
    ///
    /// What has been fed is not called back: less than 0.25 s before the end, a new number comes too late.
    package func setLoops(_ count: Int) { state.withLock { $0.machine.setLoops(count) } }

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
    package var itemFrame: Int64 { state.withLock { $0.machine.itemFrame(at: source.positionFrames) } }

    /// Whether nothing is left to render after so many frames; false where the last seek went to the end, and while one
    /// has not been carried out.
    package func isPlayedOut(in frames: Int = 0) -> Bool {
        state.withLock { $0.machine.isPlayedOut(at: source.positionFrames, in: frames) }
    }

    /// Why the item ended early, or was not left by a seek.
    package var failure: ItemFailure? { state.withLock { $0.machine.failure } }

    /// Whether it is silent because the frames of its item have not come yet.
    package var isWaiting: Bool { state.withLock { $0.machine.isWaiting(at: source.positionFrames) } }

    // MARK: The thread that feeds

    /// Feeds, and makes the completions that are due; each piece of the converter's end is one call, so that what is
    /// scheduled meanwhile is taken up.
    package func pump(minimumFrames: Int) -> NextPump {
        let rest = feed(feeding.wait(while: { $0 == nil }) { $0.take() }, minimumFrames: minimumFrames, inPieces: true)
        return rest == nil ? .atOnce : state.withLock { $0.machine.nextPump }
    }

    /// Feeds, and makes the completions that are due; nothing while another call does.
    ///
    /// - Returns: how many frames are to be rendered before it is called again; 0: more could be fed at once.
    @discardableResult
    package func feed() -> Int64 {
        feed(feeding.withLock { $0.take() }, minimumFrames: 0, inPieces: false) ?? 0
    }

    /// - Parameters:
    ///   - lent: what `feeding` had.
    ///   - isInPieces: returns after each piece of the converter's end.
    /// - Returns: nil after such a piece.
    private func feed(_ lent: consuming Feeding?, minimumFrames: Int, inPieces isInPieces: Bool) -> Int64? {
        guard var feeding = lent.take() else { return 1 }
        defer {
            self.feeding.update { $0 = feeding }
            change { _ in }
            items.endReading()
        }
        guard goWhereAsked(&feeding) else { return .max }
        if let converter = feeding.converter, converter.takeReset() {
            feeding.pending.removeAll()
            state.withLock { $0.machine.noteReset(ratio: converter.takeRatio(), at: now) }
        }
        let short = items.readAheadSeconds.map { Int($0 * engine.sampleRate) }
        if short != nil {
            feeding.sourceFrames = feeding.sourceFrames ?? source.readAheadFrames
        } else if let frames = feeding.sourceFrames {
            (source.readAheadFrames, feeding.sourceFrames) = (frames, nil)
        }
        let ahead = [feeding.readAheadFrames, short].compactMap(\.self).min()
        let cycleFrames = engine.lastCycle?.frames ?? (ahead == nil ? 0 : engine.maximumFrames)
        // A cycle that is longer than the read-ahead would never find all its frames.
        source.readAheadFrames = max(ahead ?? source.readAheadFrames, minimumFrames, cycleFrames)
        let pace = PlayerMachine.Pace(
            minimumFrames: minimumFrames, readAheadFrames: source.readAheadFrames, cycleFrames: cycleFrames,
            isShort: feeding.converter != nil || short != nil)
        return feed(&feeding, pace, inPieces: isInPieces)
    }

    /// - Returns: false where nothing is to be fed any more.
    private func goWhereAsked(_ feeding: inout Feeding) -> Bool {
        let converter = feeding.converter
        let isChanged = items.takeChange()
        let (destination, conversion) = state.withLock { state in
            if let conversion = state.conversion, conversion.converter === converter { state.conversion = nil }
            return (
                state.machine.beginFeeding(at: now, rereads: isChanged || state.conversion != nil), state.conversion
            )
        }
        switch destination {
        case .retired: return false
        case .here: return true
        case .place(let place):
            do throws(ItemFailure) {
                let frame = try items.seek(place.item, toFrame: place.frame)
                state.withLock { carryOut($0.machine.arrive(place, atFrame: frame, at: now)) }
                if let conversion { (feeding.converter, feeding.readAheadFrames) = conversion }
            } catch {
                state.withLock { $0.machine.fail(place, because: error) }
            }
            return true
        }
    }

    private func feed(_ feeding: inout Feeding, _ pace: PlayerMachine.Pace, inPieces isInPieces: Bool) -> Int64? {
        var budget = max(Self.mostFramesAtOnce, pace.minimumFrames)
        while true {
            switch nextStep(&feeding, pace, mayRead: budget > 0) {
            case .restart:
                feeding.pending.removeAll()
                feeding.converter?.reset()
                let ratio = feeding.converter?.takeRatio() ?? 1
                state.withLock { $0.machine.noteRestart(ratio: ratio, at: now) }
            case .read(let item, let from, let count):
                guard let frames = read(item, from, count, &feeding) else {
                    return Int64(engine.sampleRate * Self.waitSeconds)
                }
                budget -= 1 + frames
            case .drain:
                drainConverter(&feeding)
                if isInPieces { return nil }
            case .rest(let frames):
                return frames
            }
        }
    }

    /// Does what is to be done to the source, and says what comes then.
    private func nextStep(
        _ feeding: inout Feeding, _ pace: PlayerMachine.Pace, mayRead: Bool
    ) -> PlayerMachine.FeedStep {
        state.withLock { state in
            while true {
                switch state.machine.nextStep(at: now, pace, mayRead: mayRead, hasMore: items.hasMore) {
                case .source(.writePending):
                    let written = feeding.pending.consume { source.append(interleaved: $0, isEnd: false) }
                    state.machine.noteWritten(written, pendingFrames: feeding.pending.frames)
                case .source(.hold(let elapsed)):
                    guard source.hold(untilElapsed: elapsed) else { return .rest(frames: pace.restFrames) }
                    state.machine.noteHold()
                case .source(.markEnd):
                    _ = source.append(interleaved: UnsafeBufferPointer(start: nil, count: 0), isEnd: true)
                case .feed(let step):
                    return step
                }
            }
        }
    }

    /// - Returns: how many frames of the renderer come of it; nil: the item has to be waited for.
    private func read(_ item: UInt64, _ from: Int64, _ count: Int, _ feeding: inout Feeding) -> Int? {
        let outcome = feeding.scratch.withUnsafeMutableBufferPointer { scratch -> PlayerMachine.ReadOutcome in
            let room = UnsafeMutableBufferPointer(rebasing: scratch[..<(count * source.channels)])
            do throws(ItemFailure) {
                let frames = min(max(0, try items.read(item, from: from, into: room, frames: count)), count)
                return frames == 0 && items.isWaiting(item) ? .notYet : .frames(frames)
            } catch {
                return .failed(error)
            }
        }
        if case .frames(let frames) = outcome, frames > 0 { pass(frames, &feeding) }
        return state.withLock { $0.machine.noteRead(outcome, of: count) }
    }

    /// Sends on what was read.
    private func pass(_ frames: Int, _ feeding: inout Feeding) {
        feeding.scratch.withUnsafeBufferPointer { scratch in
            let frames = UnsafeBufferPointer(rebasing: scratch[..<(frames * source.channels)])
            guard let converter = feeding.converter else {
                state.withLock { state in
                    guard state.machine.isCurrent else { return }
                    let written = source.append(interleaved: frames, isEnd: false)
                    feeding.pending.append(UnsafeBufferPointer(rebasing: frames[(written * source.channels)...]))
                    state.machine.noteWritten(written, pendingFrames: feeding.pending.frames)
                }
                return
            }
            // A converter that fails gives nothing from now on.
            _ = converter.convertAll(frames, channels: source.channels, into: &feeding.pending) { ratio, waiting in
                state.withLock { $0.machine.noteConversion(ratio: ratio, pendingFrames: waiting, at: now) }
            }
        }
    }

    /// Gets out some of what the converter still holds.
    private func drainConverter(_ feeding: inout Feeding) {
        guard let converter = feeding.converter else { return }
        let ratio = converter.takeRatio()
        let room = Int((Double(Self.drainedChunkFrames) * ratio).rounded(.up)) + 64
        var frames = 0
        feeding.pending.append(room: room) { room in
            frames = converter.convert(UnsafeBufferPointer(start: nil, count: 0), isEnd: true, into: room).produced
            return frames
        }
        state.withLock { $0.machine.noteDrain(ratio: ratio, frames: frames, at: now) }
    }
}
