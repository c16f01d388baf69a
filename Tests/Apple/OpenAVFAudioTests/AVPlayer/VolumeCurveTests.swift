import TestSupport
import Testing

@testable import OpenAVFoundation

/// At 4 frames a second, so that every volume is a literal.
@Suite struct VolumeCurveTests {
    private func curve(_ ramps: (Double, Double, Float, Float)...) -> VolumeCurve {
        var curve = VolumeCurve()
        for (start, end, from, to) in ramps {
            curve.set(VolumeCurve.Ramp(start: start, end: end, from: from, to: to))
        }
        return curve
    }

    private func volumes(_ curve: VolumeCurve, _ frames: Range<Int64>, rate: Double = 4) -> [Float] {
        var volumes: [Float] = []
        curve.forEachVolume(frames: frames.count, from: frames.lowerBound, sampleRate: rate) { frame, volume in
            #expect(frame == volumes.count)
            volumes.append(volume)
        }
        return volumes
    }

    @Test func volume_is1_beforeTheFirstTime_andStaysAfterTheLast() {
        #expect(volumes(VolumeCurve(), 0..<3) == [1, 1, 1])
        let curve = curve((0.5, 0.5, 0.25, 0.25), (1, 2, 0, 1), (3, 3, 0.5, 0.5))
        #expect(
            volumes(curve, 0..<14) == [1, 1, 0.25, 0.25, 0, 0.25, 0.5, 0.75, 1, 1, 1, 1, 0.5, 0.5])
        // The same in blocks, wherever they begin.
        for start in Int64(0)..<14 {
            #expect(volumes(curve, 0..<start) + volumes(curve, start..<14) == volumes(curve, 0..<14))
        }
        #expect(volumes(curve, -2..<0) == [1, 1])
        #expect(volumes(curve, 1_000_000..<1_000_001) == [0.5])
    }

    /// A third of a second is frame 16 000 at 48 kHz, though neither is a whole number of the other.
    @Test func times_thatAreNoExactNumbers_areTheirFrames() {
        for frame in stride(from: Int64(1), to: 48_000, by: 7) {
            let seconds = Double(frame) / 48_000
            #expect(volumes(curve((seconds, seconds, 0, 0)), frame - 1..<frame + 1, rate: 48_000) == [1, 0])
        }
        #expect(volumes(curve((0.3, 0.3, 0, 0)), 1..<3) == [1, 0])
    }

    @Test func newRamp_endsTheOneItBeginsWithin_andReplacesWhatBeginsWithinIt() {
        let cut = curve((0, 2, 0, 1), (1, 1, 0.75, 0.75))
        #expect(volumes(cut, 0..<6) == [0, 0.125, 0.25, 0.375, 0.75, 0.75])
        #expect(cut.ramps.map(\.to) == [0.5, 0.75])
        let replaced = curve((1, 1, 0, 0), (1.5, 2, 0, 0), (2, 2, 0.5, 0.5), (0.5, 2, 1, 1))
        #expect(volumes(replaced, 0..<10) == [1, 1, 1, 1, 1, 1, 1, 1, 0.5, 0.5])
        #expect(curve((1, 1, 0, 0), (1, 1, 0.5, 0.5)).ramps.count == 1)
        // One that is set earlier in time comes first.
        #expect(volumes(curve((1, 1, 0.5, 0.5), (0, 0, 0.25, 0.25)), 3..<5) == [0.25, 0.5])
    }

    @Test func volumes_areClamped() {
        let ramp = curve((0, 0, .nan, 7), (1, 1, -1, .infinity)).ramps
        #expect(ramp.map(\.from) == [0, 0] && ramp.map(\.to) == [1, 1])
    }

    @Test func ramp_thatEndsBeforeItBegins_traps() async {
        await #expect(processExitsWith: .failure) {
            var curve = VolumeCurve()
            curve.set(VolumeCurve.Ramp(start: 1, end: 0, from: 0, to: 1))
        }
    }

    @Test func rampAtATime_isTheOneItIsIn_orTheNext() {
        let curve = curve((1, 2, 0, 1), (3, 3, 0.5, 0.5))
        #expect([0, 1, 1.5].map { curve.ramp(at: $0)?.start } == [1, 1, 1])
        #expect([2, 3].map { curve.ramp(at: $0)?.start } == [3, 3])
        #expect(curve.ramp(at: 3.25) == nil)
    }
}
