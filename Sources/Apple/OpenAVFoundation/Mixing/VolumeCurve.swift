import AudioModel

/// The volume of a sound over time: steps and ramps of linear gain.
///
/// It is 1 before the first ramp, and keeps the end value of each ramp until the next one.
struct VolumeCurve: Hashable, Sendable {
    /// A ramp with times in seconds of the sound; `start` and `end` of a step are equal.
    struct Ramp: Hashable, Sendable {
        var start: Double
        var end: Double
        var from: Float
        var to: Float

        init(start: Double, end: Double, from: Float, to: Float) {
            (self.start, self.end, self.from, self.to) = (start, end, from, to)
        }

        /// The volume at a time; `to` from the end on.
        fileprivate func volume(at seconds: Double, end: Double, start: Double) -> Float {
            seconds < end ? from + (to - from) * Float((seconds - start) / (end - start)) : to
        }
    }

    /// The ramps in order; they do not overlap.
    private(set) var ramps: [Ramp] = []
    /// A time this close to a frame counts as that frame, because times in seconds are seldom exact.
    private static let slack = 1e-3

    init() {}

    /// Adds a ramp.
    ///
    /// An earlier ramp ends where it begins, and ramps that begin within it are removed.
    ///
    /// - Parameter ramp: the ramp; its end is at or after its start. Volumes are clamped to 0...1, and NaN counts as 0.
    mutating func set(_ ramp: Ramp) {
        guard ramp.end >= ramp.start else {
            programmerError("a ramp ends after it begins, not from \(ramp.start) to \(ramp.end) s")
        }
        var ramp = ramp
        (ramp.from, ramp.to) = (Self.clamped(ramp.from), Self.clamped(ramp.to))
        ramps.removeAll { $0.start == ramp.start || $0.start > ramp.start && $0.start < ramp.end }
        let index = ramps.firstIndex { $0.start > ramp.start } ?? ramps.count
        if index > 0, case let before = ramps[index - 1], before.end > ramp.start {
            ramps[index - 1].to = before.volume(at: ramp.start, end: before.end, start: before.start)
            ramps[index - 1].end = ramp.start
        }
        ramps.insert(ramp, at: index)
    }

    private static func clamped(_ volume: Float) -> Float { volume.isNaN ? 0 : min(max(volume, 0), 1) }

    /// The ramp that contains a time, or else the first one after it.
    func ramp(at seconds: Double) -> Ramp? { ramps.first { $0.start >= seconds || seconds < $0.end } }

    /// Calls a body with the volume of each frame of a block, in order.
    ///
    /// - Parameter first: the first frame of the block in the sound.
    func forEachVolume(
        frames: Int, from first: Int64, sampleRate: Double, _ body: (_ frame: Int, _ volume: Float) -> Void
    ) {
        func place(_ seconds: Double) -> Double {
            let exact = seconds * sampleRate
            return abs(exact - exact.rounded()) < Self.slack ? exact.rounded() : exact
        }
        var (next, frame) = (ramps.firstIndex { place($0.start) > Double(first) } ?? ramps.count, 0)
        while frame < frames {
            // Up to the start of the next ramp.
            let limit = next < ramps.count ? place(ramps[next].start) - Double(first) : .infinity
            let end = limit < Double(frames) ? Int(limit.rounded(.up)) : frames
            if next == 0 {
                while frame < end {
                    body(frame, 1)
                    frame += 1
                }
            } else {
                let ramp = ramps[next - 1]
                let (start, stop) = (place(ramp.start), place(ramp.end))
                while frame < end {
                    body(frame, ramp.volume(at: Double(first) + Double(frame), end: stop, start: start))
                    frame += 1
                }
            }
            next += 1
        }
    }
}
