import Synchronization
import Threading

/// A player: a queue of items that is fed to a source.
///
/// The source is played and paused separately; the player's time stands while the source is paused.
///
/// Any thread except the render thread. Only `retire` waits for an item that is being read. Frames and times are the
/// player's. If they differ from the renderer's, because of rates or effects, a converter is between the two.
/// `PlayerMachine` decides; this class has the source, the items, the converter and the locks.
package final class EnginePlayer: FrameProducer {
    package let source: SourceFeed
    private let engine: EngineRenderer
    private let items: any ItemReader
    private let onCompletion: @Sendable (ItemCompletion) -> Void
    /// Nil while the feeding thread uses it: no lock is held while an item is read, because that may run the app's
    /// code.
    private let feeding: Monitor<Feeding?>
    /// Held only for short times.
    private let state: Mutex<State>

    /// The largest number of frames fed in one call, so that a slow disk does not delay the renderer's reports.
    ///
    /// It counts frames of the renderer, because a limit of reads would starve short loops.
    private static let mostFramesAtOnce = 8 * PlayerMachine.chunkFrames
    private static let drainedChunkFrames = 1024
    /// The seconds until an item whose frames have not arrived is asked again.
    private static let waitSeconds = 0.05

    /// The data of the feeding thread.
    private struct Feeding: Sendable {
        var scratch: [Float]
        var converter: (any FrameConverter)?
        /// The read-ahead of the last conversion; nil if the source's own applies.
        var readAheadFrames: Int?
        /// The source's read-ahead, stored while the items need a shorter one; otherwise nil.
        var sourceFrames: Int?
        /// Frames that are converted but did not fit into the source.
        var pending: FrameQueue
    }

    private struct State {
        var machine: PlayerMachine
        /// The conversion that the next seek or reread applies.
        var conversion: Conversion?
    }

    private typealias Conversion = (converter: (any FrameConverter)?, readAheadFrames: Int)

    /// - Parameters:
    ///   - engine: the renderer of the source; retained.
    ///   - source: the source; only this player feeds it.
    ///   - converter: the converter from the player's rate to the renderer's; nil if the rates are equal.
    ///   - items: reads the scheduled items.
    ///   - onCompletion: called on the feeding thread, or on the thread that called `schedule` or `stop`, with no lock
    ///     held.
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

    /// The player's time at a sample time of the renderer, if it plays on without a pause; nil before the first render.
    package func playerFrames(atSampleTime sampleTime: Int64) -> Int64? {
        state.withLock { state in
            source.zeroSampleTime.map { state.machine.playerFrames(atElapsed: sampleTime.subtractingClamped($0)) }
        }
    }

    /// The renderer's sample time at a time of the player, if it plays on without a pause; nil before the first render.
    package func sampleTime(atPlayerFrames frames: Int64) -> Int64? {
        state.withLock { state in
            source.zeroSampleTime.map { state.machine.elapsedFrames(atPlayer: frames).addingClamped($0) }
        }
    }

    /// The latency from rendering to hearing, in frames of the renderer, for `dataPlayedBack`.
    package var latencyFrames: Int64 {
        get { state.withLock { $0.machine.latencyFrames } }
        set { state.withLock { $0.machine.latencyFrames = newValue } }
    }

    /// Ends the sound, drops the queue, and sets the player's time to 0; calls all completions.
    package func stop() {
        change {
            source.pause()
            carryOut($0.stop())
        }
    }

    package func schedule(_ item: ScheduledItem, interrupting interruption: ScheduleInterruption = .none) {
        change { carryOut($0.schedule(item, interrupting: interruption, at: now)) }
    }

    /// Ends the feeding and drops the fed frames, so that another player can feed the source; calls no completions.
    ///
    /// Waits for an item that is being read.
    package func retire() {
        feeding.wait(while: { $0 == nil }) { _ in state.withLock { carryOut($0.machine.retire()) } }
    }

    /// Changes the machine, then calls the completions that are due, without the lock.
    private func change(_ body: (inout PlayerMachine) -> Void) {
        let due = state.withLock { state in
            body(&state.machine)
            return state.machine.takeDue()
        }
        for completion in due { onCompletion(completion) }
    }

    /// Called with the lock held; otherwise the command of a later call could be carried out first.
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

    /// Seeks to a frame of the item, also after its end.
    ///
    /// The feeding thread carries it out, because the item may be slow.
    ///
    /// The fed frames are dropped. If they sound, they fade out and the new place fades in.
    ///
    /// - Parameter generation: a different number for each seek.
    package func seek(toFrame frame: Int64, generation: UInt64) {
        state.withLock { $0.machine.seek(toFrame: frame, generation: generation) }
    }

    /// The generation of the last seek that was carried out or has failed; 0 before the first.
    package var seekGeneration: UInt64 { state.withLock { $0.machine.seekGeneration } }

    /// Sets the number of repeats of the item; a negative number repeats until an interruption.
    ///
    /// Fed frames are not taken back: less than 0.25 s before the end, a new number comes too late.
    package func setLoops(_ count: Int) { state.withLock { $0.machine.setLoops(count) } }

    /// Changes the converter between the item and the renderer; the read-ahead is fed again.
    ///
    /// - Parameters:
    ///   - converter: the new converter; nil if the item has the renderer's rate.
    ///   - readAheadFrames: the new read-ahead. It is at least one cycle; before the first cycle, at least the longest
    ///     cycle.
    package func setConverter(_ converter: (any FrameConverter)?, readAheadFrames: Int) {
        state.withLock { $0.conversion = (converter, readAheadFrames) }
    }

    /// The frame of the item that is rendered next, or the target of a seek; at a repeat, the end of a pass is frame 0.
    package var itemFrame: Int64 { state.withLock { $0.machine.itemFrame(at: source.positionFrames) } }

    /// Whether nothing is left to render after `frames` more frames; false after a seek to the end, and while a seek is
    /// pending.
    package func isPlayedOut(in frames: Int = 0) -> Bool {
        state.withLock { $0.machine.isPlayedOut(at: source.positionFrames, in: frames) }
    }

    /// The reason why the item ended early, or why a seek failed; nil if there is none.
    package var failure: ItemFailure? { state.withLock { $0.machine.failure } }

    /// Whether the player is silent because the frames of its item have not arrived yet.
    package var isWaiting: Bool { state.withLock { $0.machine.isWaiting(at: source.positionFrames) } }

    // MARK: Feeding thread

    /// Feeds, and calls the completions that are due.
    ///
    /// While the converter is drained, each call handles one piece, so that the next call takes up items that are
    /// scheduled meanwhile.
    package func pump(minimumFrames: Int) -> NextPump {
        let rest = feed(feeding.wait(while: { $0 == nil }) { $0.take() }, minimumFrames: minimumFrames, inPieces: true)
        return rest == nil ? .atOnce : state.withLock { $0.machine.nextPump }
    }

    /// Feeds, and calls the completions that are due; does nothing while another call feeds.
    ///
    /// - Returns: the number of frames to render before the next call; 0 if more could be fed at once.
    @discardableResult
    package func feed() -> Int64 {
        feed(feeding.withLock { $0.take() }, minimumFrames: 0, inPieces: false) ?? 0
    }

    /// - Parameters:
    ///   - lent: the value taken from `feeding`; nil while another call uses it.
    ///   - isInPieces: true to return after each piece of the converter's remaining frames.
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
        // With a read-ahead shorter than the cycle, no cycle would get all its frames.
        source.readAheadFrames = max(ahead ?? source.readAheadFrames, minimumFrames, cycleFrames)
        let pace = PlayerMachine.Pace(
            minimumFrames: minimumFrames, readAheadFrames: source.readAheadFrames, cycleFrames: cycleFrames,
            isShort: feeding.converter != nil || short != nil)
        return feed(&feeding, pace, inPieces: isInPieces)
    }

    /// Carries out a seek or a reread that is due.
    ///
    /// - Returns: false if the player is retired.
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

    /// Carries out the machine's steps on the source, and returns the next step of the feeding thread.
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

    /// - Returns: the number of renderer frames that result; nil if the frames of the item have not arrived yet.
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

    /// Converts the read frames and writes them to the source.
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
            // After a failure the converter gives no more frames.
            _ = converter.convertAll(frames, channels: source.channels, into: &feeding.pending) { ratio, waiting in
                state.withLock { $0.machine.noteConversion(ratio: ratio, pendingFrames: waiting, at: now) }
            }
        }
    }

    /// Gets some of the frames that the converter still holds.
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
