import Synchronization

/// A player: a queue of items, fed to a source.
///
/// Any thread but the render thread may call everything. Frames and times are the player's own; where those are not the
/// renderer's, because of rates or of effects, `converter` is between the two.
package final class EnginePlayer: FrameProducer {
    /// Reads frames of an item, [frame][channel], into room for `frames`; returns how many, fewer only at its end or
    /// where it can not be read.
    ///
    /// The thread that feeds; a lock of the player is held, so it must not call the player.
    package typealias Read =
        @Sendable (
            _ item: UInt64, _ from: Int64, _ into: UnsafeMutableBufferPointer<Float>, _ frames: Int
        ) -> Int

    package let source: SourceFeed
    private let engine: EngineRenderer
    private let read: Read
    private let converter: (any FrameConverter)?
    private let onCompletion: @Sendable (ItemCompletion) -> Void
    private let state: Mutex<State>
    private static let chunkFrames = 1024

    private struct State {
        var schedule = PlayerSchedule()
        var isPlaying = false
        /// Nothing is fed any more.
        var isRetired = false
        var scratch: [Float]
        /// From frames fed since the last flush to frames written.
        var fed: FrameMap
        /// From the player's time to the time that the source has played.
        var clock: FrameMap
        /// Converted, but the lane was full.
        var pending: [Float] = []
        /// Frames that went into the lane since the last flush, at the renderer's rate.
        var writtenFrames: Int64 = 0
        /// The converter holds frames of what was fed.
        var mustDrainConverter = false
        /// Completions in the order in which they came due, for the next call that is not under the lock.
        var due: [ItemCompletion] = []
    }

    /// - Parameters:
    ///   - engine: the source's; kept alive.
    ///   - source: fed by nobody else.
    ///   - converter: from the player's rate to the renderer's; nil where they are the same.
    ///   - read: see `Read`.
    ///   - onCompletion: called on the thread that feeds, or that called `schedule` or `stop`, with no lock held.
    package init(
        engine: EngineRenderer, source: SourceFeed, converter: (any FrameConverter)? = nil, read: @escaping Read,
        onCompletion: @escaping @Sendable (ItemCompletion) -> Void
    ) {
        self.engine = engine
        self.source = source
        self.converter = converter
        self.read = read
        self.onCompletion = onCompletion
        let map = FrameMap(ratio: converter?.takeRatio() ?? 1)
        state = Mutex(
            State(scratch: [Float](repeating: 0, count: Self.chunkFrames * source.channels), fed: map, clock: map))
    }

    // MARK: Any thread

    package var isPlaying: Bool { state.withLock { $0.isPlaying } }

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
    package func play(at sampleTime: Int64 = .min) {
        state.withLock {
            $0.isPlaying = true
            source.play(at: sampleTime)
        }
    }

    /// Fades out; the player's time stands.
    package func pause() {
        state.withLock {
            $0.isPlaying = false
            source.pause()
        }
    }

    /// Ends what sounds, drops the queue, and sets the player's time to 0; all completions are made.
    package func stop() {
        deliver {
            $0.isPlaying = false
            source.pause()
            $0.due += $0.schedule.stop()
            flush(&$0, keepsClock: false)
        }
    }

    package func schedule(_ item: ScheduledItem, interrupting interruption: ScheduleInterruption = .none) {
        deliver {
            noteRendered(&$0)
            let outcome = $0.schedule.schedule(item, interrupting: interruption)
            $0.due += outcome.due
            if outcome.mustFlush { flush(&$0, keepsClock: true) }
        }
    }

    /// Feeds nothing any more and drops what it has fed, so that another can feed the source; makes no completions.
    package func retire() {
        state.withLock {
            $0.isRetired = true
            flush(&$0, keepsClock: false)
        }
    }

    // MARK: The thread that feeds

    /// Feeds, and makes the completions that are due.
    package func pump(minimumFrames: Int) -> Bool {
        var isWanted = false
        deliver { state in
            guard !state.isRetired else { return }
            // A cycle that is longer than the read-ahead would never find all its frames.
            let cycleFrames = max(minimumFrames, engine.lastCycle?.frames ?? 0)
            if source.readAheadFrames < cycleFrames { source.readAheadFrames = cycleFrames }
            noteRendered(&state)
            feed(&state, minimumFrames: minimumFrames)
            isWanted = !state.schedule.isEmpty || state.mustDrainConverter
        }
        return isWanted
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
        let position = source.positionFrames
        let isAllRendered =
            position >= state.writtenFrames && state.pending.isEmpty && !state.mustDrainConverter
        let rendered = isAllRendered ? state.schedule.fedFrames : state.fed.playerFrames(atRenderer: position)
        state.due += state.schedule.update(rendered: rendered, now: engine.sampleTime)
    }

    private func flush(_ state: inout State, keepsClock: Bool) {
        source.flush(toFrame: 0, keepsClock: keepsClock)
        converter?.reset()
        state.pending = []
        state.writtenFrames = 0
        state.mustDrainConverter = false
        let map = FrameMap(ratio: converter?.takeRatio() ?? 1)
        state.fed = map
        if !keepsClock { state.clock = map }
    }

    /// What was set on the converter meanwhile holds from what comes out of it next.
    private func takeRatio(_ state: inout State) {
        guard let ratio = converter?.takeRatio(), ratio != state.fed.ratio || ratio != state.clock.ratio else { return }
        let written = state.writtenFrames + Int64(state.pending.count / source.channels)
        state.fed.change(to: ratio, atRenderer: written)
        state.clock.change(to: ratio, atRenderer: source.elapsedFrames + max(0, written - source.positionFrames))
    }

    private func feed(_ state: inout State, minimumFrames: Int) {
        while writePending(&state), case let room = source.writableFrames, room > 0 {
            // Not more than fits after conversion, so that little has to wait.
            let limit = max(1, min(Self.chunkFrames, Int(Double(room) / state.fed.ratio)))
            switch state.schedule.step(limit: limit) {
            case .hold(let time):
                if drainConverter(&state) { continue }
                // Long ago is as good as the beginning, and no distance that the renderer takes from it overflows.
                let elapsed = max(0, state.clock.rendererFrames(atPlayer: time))
                guard source.hold(untilElapsed: elapsed) else { return }
                state.schedule.advanceHold()
            case .frames(let item, let from, let count):
                let got = state.scratch.withUnsafeMutableBufferPointer { scratch in
                    let room = UnsafeMutableBufferPointer(rebasing: scratch[..<(count * source.channels)])
                    return min(max(0, read(item, from, room, count)), count)
                }
                convert(got, &state)
                state.due += state.schedule.advance(frames: got)
                // It ended early: the completion is due as if this had been its length.
                if got < count { state.due += state.schedule.abandonFirst() }
            case nil:
                guard state.writtenFrames > 0 || state.mustDrainConverter else { return }
                // An item that comes in time follows without a seam.
                let waiting = source.readAheadFrames - room
                if state.mustDrainConverter, waiting > max(minimumFrames, source.readAheadFrames / 2) { return }
                if drainConverter(&state) { continue }
                _ = source.append(interleaved: UnsafeBufferPointer(start: nil, count: 0), isEnd: true)
                return
            }
        }
    }

    /// Writes what waits; false when the lane is full.
    private func writePending(_ state: inout State) -> Bool {
        guard !state.pending.isEmpty else { return true }
        let written = state.pending.withUnsafeBufferPointer { source.append(interleaved: $0, isEnd: false) }
        state.writtenFrames += Int64(written)
        state.pending.removeFirst(written * source.channels)
        return state.pending.isEmpty
    }

    /// Brings the scratch's frames into the lane.
    private func convert(_ frames: Int, _ state: inout State) {
        guard frames > 0 else { return }
        guard let converter else {
            let written = state.scratch.withUnsafeBufferPointer {
                source.append(
                    interleaved: UnsafeBufferPointer(rebasing: $0[..<(frames * source.channels)]), isEnd: false)
            }
            state.writtenFrames += Int64(written)
            precondition(written == frames, "no more is read than there is room for")
            return
        }
        state.mustDrainConverter = true
        takeRatio(&state)
        var done = 0
        var idleRuns = 0
        // To the last frame that is ready: what is set next is then for what follows.
        while idleRuns == 0 || (idleRuns == 1 && done < frames) {
            let result = run(converter, input: done..<frames, isEnd: false, &state)
            done += result.consumed
            idleRuns = result.consumed == 0 && result.produced == 0 ? idleRuns + 1 : 0
            if idleRuns > 0 { takeRatio(&state) }
        }
    }

    /// Gets out what the converter still holds; whether there was anything.
    private func drainConverter(_ state: inout State) -> Bool {
        guard state.mustDrainConverter, let converter else { return false }
        takeRatio(&state)
        if run(converter, input: 0..<0, isEnd: true, &state).produced == 0 { state.mustDrainConverter = false }
        return true
    }

    private func run(
        _ converter: any FrameConverter, input: Range<Int>, isEnd: Bool, _ state: inout State
    ) -> (consumed: Int, produced: Int) {
        let channels = source.channels
        let room = Int((Double(input.isEmpty ? Self.chunkFrames : input.count) * state.fed.ratio).rounded(.up)) + 64
        var result = (consumed: 0, produced: 0)
        let output = [Float](unsafeUninitializedCapacity: room * channels) { output, count in
            result = state.scratch.withUnsafeBufferPointer {
                converter.convert(
                    UnsafeBufferPointer(rebasing: $0[(input.lowerBound * channels)..<(input.upperBound * channels)]),
                    isEnd: isEnd, into: UnsafeMutableBufferPointer(rebasing: output[..<(room * channels)]))
            }
            count = result.produced * channels
        }
        state.pending += output
        return result
    }
}
