/// What an app is to play, in which the sound of an output is found again.
///
/// It has to be unlike itself everywhere, such as music or noise.
package struct OriginalSound: Hashable, Sendable {
    /// One channel, at the rate of the outputs; its end is followed by its begin.
    package let samples: [Float]
    /// An original that is turned up further is not recognised.
    private static let greatestGain: Float = 16
    /// Of the greatest sample: less than what a change of the rate makes.
    private static let tolerance: Float = 0.05

    package init(_ samples: [Float]) { self.samples = samples }

    /// The frame at which the original is most like a part of it that was played, at any gain; nil where it is not like it anywhere.
    package func place(of part: ArraySlice<Float>) -> Int? {
        guard let loudest = part.indices.max(by: { abs(part[$0]) < abs(part[$1]) }), part[loudest] != 0,
            samples.count >= part.count
        else { return nil }
        let (peak, offset) = (part[loudest], loudest - part.startIndex)
        let limit = abs(peak) * Self.tolerance
        var best: (place: Int, error: Float)?
        samples.withUnsafeBufferPointer { samples in
            part.withUnsafeBufferPointer { part in
                for place in samples.indices {
                    let gain = peak / samples[(place + offset) % samples.count]
                    guard gain > 0, gain <= Self.greatestGain else { continue }
                    var (error, index, position) = (Float(0), 0, place)
                    while index < part.count {
                        let difference = part[index] - gain * samples[position]
                        guard abs(difference) <= limit else { break }
                        error += difference * difference
                        index += 1
                        position += 1
                        if position == samples.count { position = 0 }
                    }
                    if index == part.count, error < best?.error ?? .infinity { best = (place, error) }
                }
            }
        }
        return best?.place
    }

    /// How many frames after a place another one is, the short way round.
    func distance(from place: Int, to other: Int) -> Int {
        let forward = ((other - place) % samples.count + samples.count) % samples.count
        return forward > samples.count / 2 ? forward - samples.count : forward
    }
}

/// Where in an original the first channel of an output was at the begin and at the end of each stretch of sound.
package struct PlayedPositions: Hashable, Sendable {
    package struct Stretch: Hashable, Sendable {
        /// Of the machine.
        package var frames: Range<Int>
        /// Frames of the original; nil where what was played is no part of it.
        package var begin: Int?
        package var end: Int?
    }

    /// A stretch that may go on.
    fileprivate struct Open: Hashable, Sendable {
        var start: Int
        var head: [Float] = []
        /// The newest samples, in a circle; `count` were added.
        var tail = [Float](repeating: 0, count: PlayedPositions.tailFrames)
        var count = 0
        var soundingCount = 0
    }

    /// Longer than a fade.
    private static let fadeFrames = 960
    private static let partFrames = 256
    private static let edgeFrames = fadeFrames + partFrames
    fileprivate static let tailFrames = 4096

    package let original: OriginalSound
    private var closed: [Stretch] = []
    private var open: Open?
    /// A shorter silence is a part of the sound.
    private let gap: Int

    init(in original: OriginalSound, gap: Int) {
        self.original = original
        self.gap = min(gap, Self.tailFrames - Self.edgeFrames)
    }

    /// Those of less than 25 ms are left out.
    package var stretches: [Stretch] {
        var copy = self
        copy.close()
        return copy.closed
    }

    mutating func add(_ samples: ArraySlice<Float>, from start: Int) {
        if let open, open.start + open.count != start { close() }
        for (index, sample) in samples.enumerated() {
            if open == nil {
                guard sample != 0 else { continue }
                open = Open(start: start + index)
            }
            let isOver = open?.add(sample, headFrames: Self.edgeFrames, gap: gap) ?? false
            if isOver { close() }
        }
    }

    private mutating func close() {
        guard let open else { return }
        self.open = nil
        guard open.soundingCount >= Self.edgeFrames else { return }
        let begin = original.place(of: open.head[Self.fadeFrames...]).map { $0 - Self.fadeFrames }
        let first = open.soundingCount - Self.edgeFrames
        let part = (first..<(first + Self.partFrames)).map { open.tail[$0 % Self.tailFrames] }
        let end = original.place(of: part[...]).map { $0 + Self.edgeFrames }
        closed.append(Stretch(frames: open.start..<(open.start + open.soundingCount), begin: begin, end: end))
    }
}

extension PlayedPositions.Open {
    /// - Returns: whether the sound was over before this sample.
    fileprivate mutating func add(_ sample: Float, headFrames: Int, gap: Int) -> Bool {
        if head.count < headFrames { head.append(sample) }
        tail[count % tail.count] = sample
        count += 1
        if sample != 0 { soundingCount = count }
        return count - soundingCount > gap
    }
}
