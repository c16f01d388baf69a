package import AudioModel
import EffectCore
import RenderCore
import Synchronization

/// One source of a renderer: what is wanted of it, and the frames it plays.
///
/// - **Control side**: `play`, `pause`, `pauseAtOnce`, `takeFadeEnd`, `setVolume`, `drainFrames`.
/// - **Producer**: `writableFrames`, `write`, `append`, `hold`, `flush`, `truncate`, `takeDrain`.
/// - **Any thread**: `positionFrames`, `elapsedFrames`, `zeroSampleTime`, `underrunFrames`.
///
/// Each side may be any thread but the render thread: a lock a side keeps its callers apart, and the render thread takes
/// neither. The order in which several threads write frames is theirs to keep.
///
/// It lives as long as a plan that the render thread may still look at.
///
/// Sendable by rule: the pointers never change, and what they point to is shared by the rules that `RenderSource` documents.
package final class SourceFeed: @unchecked Sendable {
    package let channels: Int
    let source: UnsafeMutablePointer<RenderSource>
    private let lanes: UnsafeMutablePointer<SeekBuffer>
    /// The block that makes its frames in the cycle, if there is one.
    package let call: BlockCall?
    /// What hears the frames that it may play in the same cycles, if there is such a stream.
    package let shared: TapFeed?
    private let cycleCall: UnsafeMutablePointer<CycleCall>?
    private let memory = RenderMemory()
    private let control = Mutex(Control())
    private let producer: Mutex<Producer>

    private struct Control {
        var parameters = SourceParameters()
        /// The last request to pause whose fade `takeFadeEnd` has told the end of.
        var toldPause: UInt32 = 0
    }

    private struct Producer {
        var readAheadFrames: Int
        /// The lane that frames go to; the render thread plays it or will do so next.
        var lane = 0
        /// Seeks so far, and the last one's target.
        var generation: UInt32 = 0
        var target: Int64 = 0
        /// The last seek that set the clock, and what it set it to.
        var clockGeneration: UInt32 = 0
        var clockStart: Int64 = 0
        /// Those that `takeDrain` has told of.
        var toldDrains: Int64 = 0
    }

    /// What makes the frames of a source.
    package enum Origin {
        /// A producer, ahead of the cycle.
        case producer
        /// The cycle's input.
        case inputs
        /// A block, in the cycle; a producer once it was too slow for that.
        case block(BlockCall)
        /// Another stream, whose frames this tap has heard in the cycle before; a producer while the two have different clocks.
        case tap(TapFeed)
    }

    /// - Parameter readAheadFrames: how far the producer may be ahead; never below a cycle, which could not be filled.
    init(channels: Int, maximumFrames: Int, rampFrames: Int, readAheadFrames: Int, origin: Origin = .producer) {
        precondition(channels > 0, "a source has at least one channel")
        self.channels = channels
        let capacity = max(maximumFrames, readAheadFrames)
        let laneFrames = capacity.nextPowerOfTwo
        lanes = memory.room(2)
        for lane in 0..<2 {
            (lanes + lane).initialize(
                to: SeekBuffer(
                    storage: memory.room(laneFrames * channels), capacity: laneFrames, channels: channels,
                    holdStorage: memory.room(SeekBuffer.holdCapacity)))
        }
        // A cache line more than a power of two: rows that far apart would all compete for the same lines of the cache.
        let rowStride = maximumFrames + 16
        let rows = memory.silence(channels * rowStride)
        (call, shared) =
            switch origin {
            case .producer, .inputs: (nil, nil)
            case .block(let call): (call, nil)
            case .tap(let tap): (nil, tap)
            }
        cycleCall = call?.make(in: memory, rows: rows, channels: channels, rowStride: rowStride, isSink: false)
        let renderOrigin: SourceOrigin =
            switch origin {
            case .producer: .lane
            case .inputs: .inputs
            case .block: cycleCall.map { .block($0) } ?? .lane
            case .tap(let tap): .tap(tap.tap)
            }
        source = memory.block(
            of: RenderSource(
                channels: channels, rowStride: rowStride, rampFrames: rampFrames,
                parameters: LatestParameters(slots: memory.room(3)), lanes: lanes,
                rows: rows, last: memory.silence(channels),
                state: memory.block(of: SourceState(rampFrames: rampFrames)), origin: renderOrigin))
        producer = Mutex(Producer(readAheadFrames: capacity))
    }

    // MARK: Control side

    /// Plays from where it stands; fades in unless at a beginning.
    ///
    /// - Parameter startSampleTime: the renderer's sample time before which it stays silent.
    package func play(at startSampleTime: Int64 = .min) {
        change { $0.playback = .playing(from: startSampleTime) }
    }

    /// Plays as `play(at:)`, from an instant of the host's clock on: in the cycle in which it falls, on the frame.
    ///
    /// Sources of one instant in streams of one device begin together.
    package func play(at instant: HostTime) {
        change { $0.playback = .starting(atHostTime: instant.nanoseconds) }
    }

    /// Fades out, then holds the position; `takeFadeEnd` says when, if a plan plays the source.
    package func pause() {
        change {
            $0.playback = .paused
            $0.pauseRequests &+= 1
        }
    }

    /// From the next cycle on silent without a fade, even if one is under way, and holds the position.
    package func pauseAtOnce() {
        change {
            $0.playback = .paused
            $0.pauseRequests &+= 1
            $0.cuts &+= 1
        }
    }

    /// Whether the fade of the last pause has ended, and nothing sounds; true once for each.
    package func takeFadeEnd() -> Bool {
        control.withLock { control in
            let pause = source.pointee.lastSilentPause()
            guard pause == control.parameters.pauseRequests, pause != control.toldPause else { return false }
            control.toldPause = pause
            return true
        }
    }

    /// - Parameter volume: linear amplitude, 0 or more; 1 leaves the samples as they are. Not finite or negative: 0.
    package func setVolume(_ volume: Float) {
        change { $0.volume = volume.isFinite ? max(volume, 0) : 0 }
    }

    /// Frames of silence after the last frame before `takeDrain` is true.
    ///
    /// 0 at first.
    package var drainFrames: Int {
        get { control.withLock { Int($0.parameters.drainFrames) } }
        set { change { $0.drainFrames = Int32(clamping: max(0, newValue)) } }
    }

    private func change(_ body: (inout SourceParameters) -> Void) {
        control.withLock {
            body(&$0.parameters)
            source.pointee.parameters.publish($0.parameters)
        }
    }

    // MARK: Producer

    /// How far the producer may be ahead, in frames: 1 to the capacity that the source was made with.
    package var readAheadFrames: Int {
        get { producer.withLock { $0.readAheadFrames } }
        set { producer.withLock { $0.readAheadFrames = min(max(1, newValue), capacityFrames) } }
    }

    /// The longest read-ahead.
    package var capacityFrames: Int { lanes.pointee.ring.slots.capacity }

    /// How many frames `write` would take now.
    package var writableFrames: Int {
        producer.withLock { writableFrames($0) }
    }

    /// Appends interleaved frames.
    ///
    /// - Parameter interleaved: [frame][channel], nominal ±1; samples beyond the last whole frame are left out. Samples
    ///   that are not finite are played as 0.
    /// - Returns: the frames taken: fewer than given when the read-ahead is full.
    package func write(interleaved: UnsafeBufferPointer<Float>) -> Int {
        producer.withLock { producer in
            guard let samples = interleaved.baseAddress else { return 0 }
            let count = min(interleaved.count / channels, writableFrames(producer))
            return lanes[producer.lane].ring.write(samples, count: count)
        }
    }

    /// Writes frames after what may have been the end, and says whether they are the end in their turn.
    ///
    /// Silence between the two, where the end has been rendered already, is no underrun, and the new frames begin
    /// without a fade.
    ///
    /// - Returns: as for `write`.
    package func append(interleaved: UnsafeBufferPointer<Float>, isEnd: Bool) -> Int {
        producer.withLock { producer in
            let lane = lanes + producer.lane
            var count = min(interleaved.count / channels, writableFrames(producer))
            if count > 0, let samples = interleaved.baseAddress {
                count = lane.pointee.ring.write(samples, count: count)
            }
            // After the frames: in between the lane has ended where it had before, which is not late.
            if isEnd { lane.pointee.markEnd() } else { lane.pointee.reopen() }
            return count
        }
    }

    /// What is written next waits until the source has played for so many frames.
    ///
    /// - Returns: false when too many such places are ahead already; try again when some have passed.
    package func hold(untilElapsed frames: Int64) -> Bool {
        producer.withLock { lanes[$0.lane].hold(until: frames) }
    }

    /// Seeks: what was written before is dropped, what is written from now on begins at this frame.
    ///
    /// `positionFrames` follows at once and the whole read-ahead is free to write, also while nothing is rendered. Where
    /// audio was sounding, its last frame decays and what follows fades in, but for the source's first frame.
    ///
    /// - Parameters:
    ///   - frame: 0 or more.
    ///   - keepsClock: `elapsedFrames` goes on; else it is set to `frame`.
    package func flush(toFrame frame: Int64, keepsClock: Bool = false) {
        precondition(frame >= 0, "a position is 0 or more, not \(frame)")
        producer.withLock { producer in
            // An offer that was not taken is filled again. Otherwise the renderer holds it and has left the other.
            var keepsClock = keepsClock
            if source.pointee.withdrawLane() {
                // What the withdrawn lane would have done to the clock is still to do.
                keepsClock = keepsClock && lanes[producer.lane].keepsClock()
            } else {
                producer.lane = 1 - producer.lane
            }
            producer.generation &+= 1
            producer.target = frame
            if !keepsClock { (producer.clockGeneration, producer.clockStart) = (producer.generation, frame) }
            lanes[producer.lane].restart(
                atFrame: frame, generation: producer.generation, keepsClock: keepsClock)
            source.pointee.offerLane(producer.lane)
        }
    }

    /// Takes back what was written after a frame; what is written from now on follows that frame without a seam.
    ///
    /// If the renderer is already further, it goes back to that frame as after a `flush`.
    ///
    /// - Parameter frame: the number of frames before it, as `positionFrames` counts; all of them written, and all
    ///   `hold`s before it.
    package func truncate(toFrame frame: Int64) {
        producer.withLock { producer in
            if source.pointee.withdrawLane() {
                let lane = lanes + producer.lane
                lane.pointee.truncate(to: Int(frame - lane.pointee.firstFrame()))
            } else {
                let first = lanes[producer.lane].firstFrame()
                producer.lane = 1 - producer.lane
                lanes[producer.lane].restart(
                    atFrame: frame, generation: producer.generation, keepsClock: true, joining: Int(frame - first))
            }
            source.pointee.offerLane(producer.lane)
        }
    }

    /// Whether the end and `drainFrames` after it have been rendered; true once for each end, and not for one of a place that
    /// a `flush` has left.
    package func takeDrain() -> Bool {
        producer.withLock { producer in
            guard let drains = source.pointee.drains.frames(since: producer.generation),
                drains != producer.toldDrains
            else { return false }
            producer.toldDrains = drains
            return true
        }
    }

    private func writableFrames(_ producer: Producer) -> Int {
        let ring = lanes + producer.lane
        let waiting = ring.pointee.ring.slots.capacity - ring.pointee.ring.slots.writableSlots()
        return max(0, producer.readAheadFrames - waiting)
    }

    // MARK: Any thread

    /// Whether its block is called in the cycle, which takes no frames of a producer then.
    package var isInCycle: Bool { cycleCall?.pointee.isInCycle() ?? false }

    /// How often its block has taken more than half of its cycle.
    package var slowCalls: Int { cycleCall?.pointee.slowCalls() ?? 0 }

    /// A block that was too slow is called in the cycle again.
    package func forgiveBlock() { cycleCall?.pointee.forgive() }

    /// Whether it plays what `shared` hears, and takes no frames of a producer then.
    package var sharesCycles: Bool { source.pointee.sharesCycles() }

    /// The frame after the one that was rendered last; right after `flush`, its target.
    package var positionFrames: Int64 {
        producer.withLock { source.pointee.position.frames(since: $0.generation) ?? $0.target }
    }

    /// How long it has played up to the end of the last cycle, in frames, with or without something to play.
    package var elapsedFrames: Int64 {
        producer.withLock { source.pointee.elapsed.frames(since: $0.clockGeneration) ?? $0.clockStart }
    }

    /// The renderer's sample time at which `elapsedFrames` was 0, as long as it plays on; nil before it was rendered.
    package var zeroSampleTime: Int64? {
        producer.withLock { source.pointee.zero.frames(since: $0.clockGeneration) }
    }

    /// Frames of silence because it had run dry in the middle.
    package var underrunFrames: Int { source.pointee.underrunFrames() }
}
