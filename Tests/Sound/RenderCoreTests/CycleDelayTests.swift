import RenderCore
import Testing

/// Whether an input's frames are played in their own cycle or in the next.
@Suite("Cycle delay")
struct CycleDelayTests {
    private static let cycle = 256

    /// Runs one cycle as the renderer does.
    ///
    /// - Parameter isEarly: its frames have come; nil: none come at all.
    /// - Returns: whether the cycle had its frames, and whether the sound was broken.
    private func run(_ delay: inout CycleDelay, isEarly: Bool?) -> (isFound: Bool, isBroken: Bool) {
        guard let isEarly else {
            _ = delay.missed()
            return (false, true)
        }
        let changes = delay.choose(newestFrames: Self.cycle, cycleFrames: Self.cycle, isEarly: isEarly)
        guard isEarly || delay.frames != 0 else {
            _ = delay.missed()
            return (false, true)
        }
        delay.found()
        return (true, changes)
    }

    @Test func firstFrames_thatComeEarly_areNotDelayed() {
        var delay = CycleDelay()
        let cycles = (0..<1000).map { _ in run(&delay, isEarly: true) }
        #expect(delay.frames == 0)
        #expect(cycles.allSatisfy { $0.isFound })
        #expect(cycles.dropFirst().allSatisfy { !$0.isBroken })
    }

    @Test func frames_thatComeLate_areDelayedByACycle() {
        var delay = CycleDelay()
        let cycles = (0..<1000).map { _ in run(&delay, isEarly: false) }
        #expect(delay.frames == Self.cycle)
        #expect(cycles.allSatisfy { $0.isFound })
        #expect(cycles.dropFirst().allSatisfy { !$0.isBroken })
    }

    @Test func order_thatChangesForGood_breaksTheSoundOnce() {
        var delay = CycleDelay()
        for _ in 0..<100 { _ = run(&delay, isEarly: false) }
        let cycles = (0..<1000).map { _ in run(&delay, isEarly: true) }
        #expect(delay.frames == 0)
        #expect(cycles.count { $0.isBroken } == 1)
        #expect(cycles.firstIndex { $0.isBroken } == CycleDelay.patienceCycles)
        let back = (0..<1000).map { _ in run(&delay, isEarly: false) }
        #expect(delay.frames == Self.cycle)
        // The cycle that lacked its frames, and the one that begins again.
        #expect(back.firstIndex { !$0.isBroken } == 2)
        #expect(back.count { $0.isBroken } == 2)
    }

    /// The patience doubles: an order that changes every second is heard a few times, not every second.
    @Test func order_thatKeepsChanging_breaksTheSoundEverMoreRarely() {
        var delay = CycleDelay()
        var broken: [Int] = []
        for second in 0..<1000 {
            for _ in 0..<187 {
                if run(&delay, isEarly: second % 2 == 0).isBroken { broken.append(second) }
            }
        }
        #expect(broken.last ?? 0 < 10)
        #expect(delay.frames == Self.cycle)
    }

    @Test func input_thatWasAway_isNotDelayedAfterwards() {
        var delay = CycleDelay()
        for _ in 0..<10 { _ = run(&delay, isEarly: true) }
        for _ in 0...CycleDelay.mostMissedCycles { _ = run(&delay, isEarly: nil) }
        _ = run(&delay, isEarly: true)
        #expect(delay.frames == 0)
    }

    /// In any order: a delay of none misses only the first late cycle; the sound breaks at most twice for each time that a run of early
    /// cycles ends.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func anyOrder_isPlayedWithoutAMissForLong(_ seed: UInt64) {
        var (delay, state, misses) = (CycleDelay(), seed &* 2_654_435_761 &+ 1, 0)
        for _ in 0..<100_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let cycle = run(&delay, isEarly: state >> 63 == 0)
            if !cycle.isFound { misses += 1 }
        }
        #expect(misses <= 1)
        #expect(delay.frames == Self.cycle)
    }
}
