import Testing

@testable import EngineCore

@Suite struct NearestIntegerTests {
    @Test(
        arguments: [
            (2.5, 3), (-2.5, -3), (.nan, 0), (.infinity, .max), (-.infinity, .min), (0x1p63, .max), (-0x1p63, .min),
        ] as [(Double, Int64)])
    func nearest_isTheEndOfTheRangeBeyondIt(number: Double, integer: Int64) {
        #expect(Int64(nearest: number) == integer)
    }

    @Test func sumsAndDifferences_endWithTheRange() {
        #expect(Int64.max.addingClamped(1) == .max)
        #expect(Int64.min.addingClamped(-1) == .min)
        #expect((5 as Int64).addingClamped(-7) == -2)
        #expect(Int64.max.subtractingClamped(-1) == .max)
        #expect(Int64.min.subtractingClamped(1) == .min)
        #expect((5 as Int64).subtractingClamped(7) == -2)
    }
}
