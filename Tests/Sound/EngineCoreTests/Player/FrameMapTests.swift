import Testing

@testable import EngineCore

@Suite struct FrameMapTests {
    @Test func map_withoutAChange_isARatio() {
        let map = FrameMap(ratio: 2)
        #expect((0...5).map { map.playerFrames(atRenderer: $0) } == [0, 0, 1, 1, 2, 2])
        #expect((0...3).map { map.rendererFrames(atPlayer: $0) } == [0, 2, 4, 6])
        // No rounding of a quotient loses a frame.
        let third = FrameMap(ratio: 1 / 3.0)
        #expect((0...1000).allSatisfy { third.playerFrames(atRenderer: $0) == 3 * $0 })
    }

    @Test func map_afterChanges_goesOnFromEach() {
        var map = FrameMap(ratio: 1)
        map.change(to: 2, atRenderer: 10)
        map.change(to: 0.5, atRenderer: 30)
        #expect(map.ratio == 0.5)
        #expect([0, 10, 20, 30, 40].map { map.playerFrames(atRenderer: $0) } == [0, 10, 15, 20, 40])
        #expect([0, 10, 15, 20, 40].map { map.rendererFrames(atPlayer: $0) } == [0, 10, 20, 30, 40])
    }

    @Test func change_beforeTheLast_countsFromThatOne() {
        var map = FrameMap(ratio: 1)
        map.change(to: 2, atRenderer: 10)
        map.change(to: 4, atRenderer: 5)
        #expect(map.playerFrames(atRenderer: 10) == 10)
        #expect(map.playerFrames(atRenderer: 18) == 12)
    }

    @Test func map_afterVeryManyChanges_keepsItsPlace() {
        var map = FrameMap(ratio: 1)
        // Ten frames at each ratio: 5 and 10 of the player's.
        for change in 1...1000 { map.change(to: change.isMultiple(of: 2) ? 1 : 2, atRenderer: Int64(10 * change)) }
        #expect(map.playerFrames(atRenderer: 10_010) == 10 + 500 * 5 + 499 * 10 + 10)
    }

    @Test(arguments: [0.5, 2] as [Double]) func map_beyondAllCounting_isTheEndOfTheRange(ratio: Double) {
        let map = FrameMap(ratio: ratio)
        #expect(map.playerFrames(atRenderer: .max) == (ratio < 1 ? .max : .max / 2 + 1))
        #expect(map.playerFrames(atRenderer: .min) == (ratio < 1 ? .min : .min / 2))
        #expect(map.rendererFrames(atPlayer: .max) == (ratio > 1 ? .max : .max / 2 + 1))
        #expect(map.rendererFrames(atPlayer: .min) == (ratio > 1 ? .min : .min / 2))
    }
}
