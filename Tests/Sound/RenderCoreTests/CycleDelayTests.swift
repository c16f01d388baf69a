import RenderCore
import Testing

/// Whether an input's frames are played in their own cycle or in the next.
@Suite("Cycle delay")
struct CycleDelayTests {
    private static let cycle = 256

    /// A delay, and the blocks that were captured for it.
    private struct Run {
        private(set) var delay = CycleDelay()
        private var position: UInt64 = 0
        /// The positions of the blocks that were not dropped.
        private var blocks: [UInt64] = []

        /// Runs one cycle as the renderer does.
        ///
        /// - Parameter isEarly: its frames have come before it, and not after it; nil: they never come.
        /// - Returns: whether the cycle had its frames, and whether the sound was broken.
        mutating func cycle(isEarly: Bool?) -> (isFound: Bool, isBroken: Bool) {
            if isEarly == true { blocks.append(position) }
            defer {
                if isEarly == false { blocks.append(position) }
                pass(cycles: 1)
            }
            var changes = false
            let cycle = self.cycle
            if let oldest = blocks.first, let newest = blocks.last {
                changes = delay.choose(
                    oldestPosition: oldest, newestFrames: cycle, cycleFrames: cycle, isEarly: newest == position)
                let begin = position - UInt64(delay.frames ?? 0)
                blocks.removeAll { $0 + UInt64(cycle) <= begin }
                if blocks.first == begin {
                    delay.found()
                    return (true, changes)
                }
            }
            _ = delay.missed(at: position)
            return (false, true)
        }

        /// Neither stream runs.
        mutating func pass(cycles: Int) { position += UInt64(cycles * cycle) }

        private var cycle: Int { CycleDelayTests.cycle }
    }

    @Test func firstFrames_thatComeEarly_areNotDelayed() {
        var run = Run()
        let cycles = (0..<1000).map { _ in run.cycle(isEarly: true) }
        #expect(run.delay.frames == 0)
        #expect(cycles.allSatisfy { $0.isFound })
        #expect(cycles.dropFirst().allSatisfy { !$0.isBroken })
    }

    @Test func frames_thatComeLate_areDelayedByACycle() {
        var run = Run()
        let cycles = (0..<1000).map { _ in run.cycle(isEarly: false) }
        #expect(run.delay.frames == Self.cycle)
        // Nothing has come before the first.
        #expect(cycles.dropFirst().allSatisfy { $0.isFound })
        #expect(cycles.dropFirst(2).allSatisfy { !$0.isBroken })
    }

    @Test func order_thatChangesForGood_breaksTheSoundOnce() {
        var run = Run()
        for _ in 0..<100 { _ = run.cycle(isEarly: false) }
        let cycles = (0..<1000).map { _ in run.cycle(isEarly: true) }
        #expect(run.delay.frames == 0)
        #expect(cycles.count { $0.isBroken } == 1)
        #expect(cycles.firstIndex { $0.isBroken } == CycleDelay.patienceCycles)
        let back = (0..<1000).map { _ in run.cycle(isEarly: false) }
        #expect(run.delay.frames == Self.cycle)
        // The cycle that lacked its frames, and the one that begins again.
        #expect(back.firstIndex { !$0.isBroken } == 2)
        #expect(back.count { $0.isBroken } == 2)
    }

    /// The patience doubles: an order that changes every second is heard a few times, not every second.
    @Test func order_thatKeepsChanging_breaksTheSoundEverMoreRarely() {
        var run = Run()
        var broken: [Int] = []
        for second in 0..<1000 {
            for _ in 0..<187 {
                if run.cycle(isEarly: second % 2 == 0).isBroken { broken.append(second) }
            }
        }
        #expect(broken.last ?? 0 < 10)
        #expect(run.delay.frames == Self.cycle)
    }

    /// A stream that pauses first lacks frames that never come: that says nothing about the order.
    @Test(arguments: [1, 2, 8, 9, 100], [0, 1000])
    func input_thatWasAway_isNotDelayedAfterwards(missingCycles: Int, pausedCycles: Int) {
        var run = Run()
        for _ in 0..<10 { _ = run.cycle(isEarly: true) }
        for _ in 0..<missingCycles { _ = run.cycle(isEarly: nil) }
        run.pass(cycles: pausedCycles)
        let cycles = (0..<1000).map { _ in run.cycle(isEarly: true) }
        #expect(run.delay.frames == 0)
        #expect(cycles.allSatisfy { $0.isFound })
        #expect(cycles.dropFirst().allSatisfy { !$0.isBroken })
    }

    /// Frames that come after their cycle are late, whatever comes in the next one.
    @Test(arguments: [true, false])
    func frames_thatComeLateOnce_areDelayedForAWhile(nextIsEarly: Bool) {
        var run = Run()
        for _ in 0..<10 { _ = run.cycle(isEarly: true) }
        _ = run.cycle(isEarly: false)
        _ = run.cycle(isEarly: nextIsEarly)
        #expect(run.delay.frames == Self.cycle)
        for _ in 0..<CycleDelay.patienceCycles { _ = run.cycle(isEarly: true) }
        #expect(run.delay.frames == (nextIsEarly ? 0 : Self.cycle))
    }

    /// In any order: a delay of none misses only the first late cycle; the sound breaks at most twice for each time that a run of early
    /// cycles ends.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func anyOrder_isPlayedWithoutAMissForLong(_ seed: UInt64) {
        var (run, state, misses) = (Run(), seed &* 2_654_435_761 &+ 1, 0)
        for _ in 0..<100_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let cycle = run.cycle(isEarly: state >> 63 == 0)
            if !cycle.isFound { misses += 1 }
        }
        // One more at the beginning, before which nothing has come.
        #expect(misses <= 2)
        #expect(run.delay.frames == Self.cycle)
    }
}
