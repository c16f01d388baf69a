import Synchronization

/// One stream of frames on its way to the mix: two lanes of interleaved Float32, and what is wanted of them.
///
/// Or the frames are made in the cycle, as `origin` says; then what is wanted of them, and the ramps, are the same.
///
/// - Control side (one thread at a time): `parameters.publish`.
/// - Producer (one thread at a time): the lane it writes to, `withdrawLane`, `offerLane`.
/// - Render thread: `render`. Any thread: `position`, `elapsed`, `zero`, `drains`, `lastSilentPause`, `underrunFrames`.
///
/// A seek needs no waiting: the renderer holds one lane, the producer fills the other and offers it. Taking it, the
/// renderer lets go of the old one. An offer that was not taken yet can be withdrawn and the lane filled again.
///
/// Ramps, all linear and `rampFrames` long: resume and return after a closed gate fade in, a pause fades out, a volume
/// change slides. Where audio stops without notice (a seek, an underrun) the last frame decays to 0, and what follows
/// fades in. So no step between two samples is larger than amplitude / rampFrames plus the signal's own. What was
/// not interrupted is passed on bit by bit: a source's first frames, its end, what follows an end or a hold, and every
/// sample at volume 1. In a cycle with `OAV_CYCLE_CUTS` only the volume has a ramp: sound begins and ends at the frame.
package struct RenderSource: ~Copyable {
    package let channels: Int
    package let parameters: LatestParameters
    /// The frame after the one that was rendered last.
    package let position = SeekCount()
    /// How long the source has played up to the end of the last cycle, with or without frames to play, since the seek that
    /// set its clock; the clock stands while it is paused.
    package let elapsed = SeekCount()
    /// The renderer's sample time at which the clock was 0, as long as it runs on as in the last cycle.
    package let zero = SeekCount()
    /// How often the end and the silence after it have been rendered; of the seek that led to the last of these ends.
    package let drains = SeekCount()
    /// The last request to pause after which nothing sounds.
    private let silentPauses = Atomic<UInt32>(0)
    private let missingFrames = Atomic<Int>(0)
    let rampFrames: Int
    /// Samples from one row to the next.
    let rowStride: Int
    let lanes: UnsafeMutablePointer<SeekBuffer>
    /// [channel][rowStride]: the current cycle's frames.
    let rows: UnsafeMutablePointer<Float>
    /// [channel]: the frame that decays.
    let last: UnsafeMutablePointer<Float>
    let state: UnsafeMutablePointer<SourceState>
    package let origin: SourceOrigin
    /// Whether the frames of `SourceOrigin.tap` come in time.
    private let isShared = Atomic<Bool>(false)
    /// 0, or 1 + the lane that the producer offers.
    private let offeredLane = Atomic<UInt32>(0)

    /// - Parameters:
    ///   - rowStride: the most frames of one cycle, or more.
    ///   - rampFrames: above 0.
    ///   - lanes: two; the renderer begins with the first.
    ///   - rows: `channels * rowStride` samples.
    ///   - last: `channels` samples, 0.
    ///   - origin: stays its owner's, and must outlive the source.
    @_noLocks @_noAllocation
    package init(
        channels: Int, rowStride: Int, rampFrames: Int, parameters: consuming LatestParameters,
        lanes: UnsafeMutablePointer<SeekBuffer>,
        rows: UnsafeMutablePointer<Float>, last: UnsafeMutablePointer<Float>, state: UnsafeMutablePointer<SourceState>,
        origin: SourceOrigin = .lane
    ) {
        precondition(channels > 0 && rowStride > 0 && rampFrames > 0, "a source has channels, rows and a ramp")
        self.channels = channels
        self.rowStride = rowStride
        self.rampFrames = rampFrames
        self.parameters = parameters
        self.lanes = lanes
        self.rows = rows
        self.last = last
        self.state = state
        self.origin = origin
    }

    // MARK: Any thread

    /// Of the requests to pause, the number of the last one after which nothing sounds; playing withdraws a request.
    @_noLocks @_noAllocation
    package func lastSilentPause() -> UInt32 { silentPauses.load(ordering: .acquiring) }

    /// Frames of silence because the source had run dry in the middle.
    @_noLocks @_noAllocation
    package func underrunFrames() -> Int { missingFrames.load(ordering: .relaxed) }

    /// Whether it plays what another stream has captured in the same cycles, and nothing of its lanes.
    @_noLocks @_noAllocation
    package func sharesCycles() -> Bool { isShared.load(ordering: .acquiring) }

    // MARK: Producer

    /// Takes an offer back.
    ///
    /// True: the renderer never saw it, the lane is the producer's. False: it was taken, and the other lane is the
    /// producer's.
    @_noLocks @_noAllocation
    package func withdrawLane() -> Bool {
        // Acquire: the renderer's last look at a lane it left comes before the producer's next write to it.
        offeredLane.exchange(0, ordering: .acquiringAndReleasing) != 0
    }

    /// Offers a lane that the renderer does not hold.
    @_noLocks @_noAllocation
    package func offerLane(_ lane: Int) {
        offeredLane.store(UInt32(truncatingIfNeeded: lane) &+ 1, ordering: .releasing)
    }

    // MARK: Render thread

    /// How many frames of the present lane are left before the offered one follows without a seam; nil without such an
    /// offer, and after that place.
    @_noLocks @_noAllocation
    func framesToJoin() -> Int? {
        // Acquire: what the producer has set in the lane comes before its offer.
        let offer = offeredLane.load(ordering: .acquiring)
        guard offer != 0 else { return nil }
        let left = lanes[Int(offer) &- 1].joinFrame() &- lanes[state.pointee.lane].ring.slots.readSlots()
        return left >= 0 ? left : nil
    }

    /// The lane offered since the last call, if any; the one held until now must not be touched after this.
    @_noLocks @_noAllocation
    func takeLane() -> Int? {
        guard hasOffer() else { return nil }
        let offer = offeredLane.exchange(0, ordering: .acquiringAndReleasing)
        return offer == 0 ? nil : Int(offer) &- 1
    }

    /// Whether `takeLane` would give one.
    @_noLocks @_noAllocation
    func hasOffer() -> Bool { offeredLane.load(ordering: .relaxed) != 0 }

    /// Nothing sounds any more after this request to pause.
    @_noLocks @_noAllocation
    func noteSilence(after pause: UInt32) { silentPauses.store(pause, ordering: .releasing) }

    @_noLocks @_noAllocation
    func noteShared(_ isShared: Bool) { self.isShared.store(isShared, ordering: .releasing) }

    @_noLocks @_noAllocation
    func countUnderrun(frames count: Int) {
        missingFrames.store(missingFrames.load(ordering: .relaxed) &+ count, ordering: .relaxed)
    }
}

/// Where the frames of a source come from.
package enum SourceOrigin {
    /// A lane, to which a producer writes ahead of the cycle.
    case lane
    /// What the cycle itself has captured.
    case inputs
    /// An app's block, which makes them in the cycle; a lane while it is too slow for that.
    case block(UnsafeMutablePointer<CycleCall>)
    /// What a tap has heard in this cycle or the one before, of a stream that has its cycles together with this one; a lane while the two
    /// have different clocks.
    case tap(UnsafeMutablePointer<RenderTap>)
}
