package import AudioModel
import EffectCore
import RenderCore
import Synchronization

/// One source of a renderer: its requested state, and the frames that it plays.
///
/// - **Control side**: `play`, `pause`, `pauseAtOnce`, `takeFadeEnd`, `setVolume`, `drainFrames`.
/// - **Producer**: `writableFrames`, `write`, `append`, `hold`, `flush`, `truncate`, `takeDrain`.
/// - **Any thread**: `positionFrames`, `elapsedFrames`, `zeroSampleTime`, `underrunFrames`.
///
/// Each side may be any thread except the render thread. Each side has a lock, and the render thread takes neither. If
/// several threads write frames, they agree on the order.
///
/// It lives as long as a plan that the render thread may still use.
///
/// Sendable by rule: the pointers never change, and `RenderSource` documents the rules for the memory that they point
/// to.
package final class SourceFeed: @unchecked Sendable {
    package let channels: Int
    let source: UnsafeMutablePointer<RenderSource>
    private let lanes: UnsafeMutablePointer<SeekBuffer>
    /// The block that makes the frames in the cycle; nil if there is none.
    package let call: BlockCall?
    /// The tap of another stream whose frames this source may play in the same cycles; nil if there is none.
    package let shared: TapFeed?
    private let cycleCall: UnsafeMutablePointer<CycleCall>?
    private let memory = RenderMemory()
    private let control = Mutex(Control())
    private let producer: Mutex<Producer>

    private struct Control {
        var parameters = SourceParameters()
        /// The last pause whose end of fade `takeFadeEnd` has reported.
        var toldPause: UInt32 = 0
    }

    private struct Producer {
        var readAheadFrames: Int
        /// The lane that frames are written to.
        ///
        /// The render thread plays it now, or plays it next.
        var lane = 0
        /// The number of seeks, and the target of the last one.
        var generation: UInt32 = 0
        var target: Int64 = 0
        /// The last seek that set the clock, and the value that it set.
        var clockGeneration: UInt32 = 0
        var clockStart: Int64 = 0
        /// The drains that `takeDrain` has reported.
        var toldDrains: Int64 = 0
    }

    /// The origin of a source's frames.
    package enum Origin {
        /// A producer writes them ahead of the cycle.
        case producer
        /// The cycle's input.
        case inputs
        /// A block makes them in the cycle; a producer after the block was too slow.
        case block(BlockCall)
        /// This tap of another stream has heard them in the cycle before; a producer while the two streams have
        /// different clocks.
        case tap(TapFeed)
    }

    /// - Parameter readAheadFrames: how far the producer may be ahead. It is at least one cycle: with less, no cycle
    ///   could be filled.
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
        // A cache line more than a power of two: rows at a distance of a power of two would use the same cache lines.
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

    /// Plays from the current position; fades in, except at a beginning.
    ///
    /// - Parameter startSampleTime: the source is silent before this sample time of the renderer.
    package func play(at startSampleTime: Int64 = .min) {
        change { $0.playback = .playing(from: startSampleTime) }
    }

    /// Plays from a time of the host's clock on, exact to the frame.
    ///
    /// Sources with the same time in streams of one device begin together.
    package func play(at instant: HostTime) {
        change { $0.playback = .starting(atHostTime: instant.nanoseconds) }
    }

    /// Fades out, then holds the position; `takeFadeEnd` reports the end of the fade if a plan plays the source.
    package func pause() {
        change {
            $0.playback = .paused
            $0.pauseRequests &+= 1
        }
    }

    /// Makes the source silent from the next cycle on, without a fade and also during a fade, and holds the position.
    package func pauseAtOnce() {
        change {
            $0.playback = .paused
            $0.pauseRequests &+= 1
            $0.cuts &+= 1
        }
    }

    /// Returns true once after the fade of each pause has ended and the source is silent.
    package func takeFadeEnd() -> Bool {
        control.withLock { control in
            let pause = source.pointee.lastSilentPause()
            guard pause == control.parameters.pauseRequests, pause != control.toldPause else { return false }
            control.toldPause = pause
            return true
        }
    }

    /// - Parameter volume: the linear gain, 0 or more; 1 leaves samples unchanged. A negative or not finite value
    ///   counts as 0.
    package func setVolume(_ volume: Float) {
        change { $0.volume = volume.isFinite ? max(volume, 0) : 0 }
    }

    /// The frames of silence after the last frame before `takeDrain` returns true.
    ///
    /// It is 0 at first.
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

    /// How far the producer may be ahead, in frames: from 1 to the capacity of the source.
    package var readAheadFrames: Int {
        get { producer.withLock { $0.readAheadFrames } }
        set { producer.withLock { $0.readAheadFrames = min(max(1, newValue), capacityFrames) } }
    }

    /// The longest read-ahead.
    package var capacityFrames: Int { lanes.pointee.ring.slots.capacity }

    /// The number of frames that `write` would accept now.
    package var writableFrames: Int {
        producer.withLock { writableFrames($0) }
    }

    /// Appends interleaved frames.
    ///
    /// - Parameter interleaved: [frame][channel], nominal ±1. Samples after the last whole frame are left out. Samples
    ///   that are not finite play as 0.
    /// - Returns: the number of accepted frames; fewer than given if the read-ahead is full.
    package func write(interleaved: UnsafeBufferPointer<Float>) -> Int {
        producer.withLock { producer in
            guard let samples = interleaved.baseAddress else { return 0 }
            let count = min(interleaved.count / channels, writableFrames(producer))
            return lanes[producer.lane].ring.write(samples, count: count)
        }
    }

    /// Writes frames after a possible end, and marks their end as the new end or not.
    ///
    /// If the earlier end has already been rendered, the silence after it is not an underrun, and the new frames begin
    /// without a fade.
    ///
    /// - Returns: the number of accepted frames, as for `write`.
    package func append(interleaved: UnsafeBufferPointer<Float>, isEnd: Bool) -> Int {
        producer.withLock { producer in
            let lane = lanes + producer.lane
            var count = min(interleaved.count / channels, writableFrames(producer))
            if count > 0, let samples = interleaved.baseAddress {
                count = lane.pointee.ring.write(samples, count: count)
            }
            // After the frames: between the two steps the lane still ends at its earlier end, and that is not an
            // underrun.
            if isEnd { lane.pointee.markEnd() } else { lane.pointee.reopen() }
            return count
        }
    }

    /// Makes the frames that are written next wait until the source has played for `frames` frames.
    ///
    /// - Returns: false if too many holds are ahead; try again after some have passed.
    package func hold(untilElapsed frames: Int64) -> Bool {
        producer.withLock { lanes[$0.lane].hold(until: frames) }
    }

    /// Seeks: drops the written frames; the frames that are written next begin at this frame.
    ///
    /// `positionFrames` changes at once and the whole read-ahead can be written, also while nothing is rendered. If
    /// sound was playing, its last frame decays and the new frames fade in, except at the source's first frame.
    ///
    /// - Parameters:
    ///   - frame: the target, 0 or more.
    ///   - keepsClock: true if `elapsedFrames` continues; false if it is set to `frame`.
    package func flush(toFrame frame: Int64, keepsClock: Bool = false) {
        precondition(frame >= 0, "a position is 0 or more, not \(frame)")
        producer.withLock { producer in
            // A lane that the renderer has not taken yet is filled again. Otherwise the renderer uses it and has left
            // the other lane.
            var keepsClock = keepsClock
            if source.pointee.withdrawLane() {
                // The withdrawn lane may have had to set the clock; the new one does it then.
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

    /// Drops the frames that were written after a frame; the frames that are written next follow that frame without a
    /// seam.
    ///
    /// If the renderer is already past the frame, it goes back to it as after a `flush`.
    ///
    /// - Parameter frame: the position of the frame, as `positionFrames` counts. All frames before it have been
    ///   written, and all `hold`s are before it.
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

    /// Returns true once after each end and its `drainFrames` have been rendered, except for an end before the last
    /// `flush`.
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

    /// Whether the block is called in the cycle; the cycle takes no frames of a producer then.
    package var isInCycle: Bool { cycleCall?.pointee.isInCycle() ?? false }

    /// How often the block has taken more than half of its cycle.
    package var slowCalls: Int { cycleCall?.pointee.slowCalls() ?? 0 }

    /// Lets the cycle call the block again after it was too slow.
    package func forgiveBlock() { cycleCall?.pointee.forgive() }

    /// Whether it plays the frames that `shared` hears; it takes no frames of a producer then.
    package var sharesCycles: Bool { source.pointee.sharesCycles() }

    /// The frame after the last rendered frame; after `flush`, the target of the seek.
    package var positionFrames: Int64 {
        producer.withLock { source.pointee.position.frames(since: $0.generation) ?? $0.target }
    }

    /// How long the source has played up to the end of the last cycle, in frames, also without frames to play.
    package var elapsedFrames: Int64 {
        producer.withLock { source.pointee.elapsed.frames(since: $0.clockGeneration) ?? $0.clockStart }
    }

    /// The renderer's sample time at which `elapsedFrames` was 0, if it plays on without a pause; nil before the first
    /// render.
    package var zeroSampleTime: Int64? {
        producer.withLock { source.pointee.zero.frames(since: $0.clockGeneration) }
    }

    /// The frames of silence because the source ran dry before its end.
    package var underrunFrames: Int { source.pointee.underrunFrames() }
}
