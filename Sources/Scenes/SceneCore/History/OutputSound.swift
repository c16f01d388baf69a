/// What one output played during a scene: when it sounded, and how loud.
///
/// It grows piece by piece, so that an hour needs no memory for its samples.
package struct OutputSound: Hashable, Sendable {
    /// Seconds of one column of levels.
    package static let columnSeconds = 0.01
    /// A shorter silence between two sounds is part of the sound: a wave passes through zero.
    private static let gapSeconds = 0.002

    /// The scene's name of the device.
    package let name: String
    package let rate: Int
    package private(set) var channels: [Channel]
    /// Frames of the machine that were looked at, from its start.
    package private(set) var endFrame = 0
    /// Frames in which any channel was not zero.
    package private(set) var frames = 0
    /// Where in what the app plays it was; nil where that is not asked for, or not known.
    package private(set) var positions: PlayedPositions?
    /// Where the sound began or ended without a fade: frames.
    package private(set) var clicks: [Int] = []

    package struct Channel: Hashable, Sendable {
        /// Where it sounded, as frames, in order.
        package fileprivate(set) var ranges: [Range<Int>] = []
        /// The greatest magnitude of each column.
        package fileprivate(set) var peaks: [Float] = []
        /// The sum of the squares of each column.
        package fileprivate(set) var powers: [Float] = []
        fileprivate var last: Float = 0

        fileprivate mutating func add(_ peak: Float, _ power: Float, at column: Int) {
            if peaks.count <= column {
                let missing = column + 1 - peaks.count
                peaks.append(contentsOf: repeatElement(0, count: missing))
                powers.append(contentsOf: repeatElement(0, count: missing))
            }
            peaks[column] = max(peaks[column], peak)
            powers[column] += power
        }
    }

    /// An edge of more than -12 dBFS is heard as a click.
    private static let clickLevel: Float = 0.25

    /// - Parameter original: what the app plays; nil if no position is asked for.
    package init(name: String, rate: Int, channelCount: Int, original: OriginalSound? = nil) {
        self.name = name
        self.rate = rate
        positions = original.map { PlayedPositions(in: $0, gap: Int(Self.gapSeconds * Double(rate))) }
        channels = Array(repeating: Channel(), count: channelCount)
    }

    package var columnFrames: Int { max(1, rate / 100) }

    /// Adds what was played since: `[channel][frame]` from an offset on, whose first frame is the machine's `start`.
    ///
    /// What is missing before it was silent.
    package mutating func add(_ samples: [[Float]], offset: Int, from start: Int) {
        var sounding = 0
        for index in channels.indices where samples.indices.contains(index) {
            samples[index].withUnsafeBufferPointer { buffer in
                sounding = max(sounding, add(UnsafeBufferPointer(rebasing: buffer[offset...]), from: start, to: index))
            }
        }
        if let first = samples.first { positions?.add(first[offset...], from: start) }
        frames += sounding
        endFrame = start + (samples.first?.count ?? offset) - offset
    }

    /// - Returns: how many frames sounded.
    private mutating func add(_ samples: UnsafeBufferPointer<Float>, from start: Int, to channel: Int) -> Int {
        let gap = Int(Self.gapSeconds * Double(rate))
        var sounding = 0
        var ranges: [Range<Int>] = []
        var position = 0
        while position < samples.count {
            let frame = start + position
            let end = min(samples.count, position + columnFrames - frame % columnFrames)
            let (peak, power) = Self.measure(UnsafeBufferPointer(rebasing: samples[position..<end]))
            if peak != 0 {
                var (first, last) = (position, end - 1)
                while samples[first] == 0 { first += 1 }
                while samples[last] == 0 { last -= 1 }
                sounding += last - first + 1
                Self.append((start + first)..<(start + last + 1), to: &ranges, gap: gap)
                channels[channel].add(peak, power, at: frame / columnFrames)
            }
            position = end
        }
        noteClicks(of: ranges, samples, from: start, gap: gap, channel: channel)
        for range in ranges { Self.append(range, to: &channels[channel].ranges, gap: gap) }
        channels[channel].last = samples.last ?? 0
        return sounding
    }

    /// The greatest magnitude and the sum of the squares, eight samples at a time: sums of floats are in the order that is
    /// written, and one of scalars cannot be vectorised.
    private static func measure(_ samples: UnsafeBufferPointer<Float>) -> (peak: Float, power: Float) {
        guard let base = samples.baseAddress else { return (0, 0) }
        var sums = SIMD8<Float>.zero
        var greatest = SIMD8<Float>.zero
        var index = 0
        while index + 8 <= samples.count {
            let values = UnsafeRawPointer(base + index).loadUnaligned(as: SIMD8<Float>.self)
            let squares = values * values
            sums += squares
            greatest.replace(with: squares, where: squares .> greatest)
            index += 8
        }
        var (power, square) = (sums.sum(), greatest.max())
        while index < samples.count {
            power += samples[index] * samples[index]
            square = max(square, samples[index] * samples[index])
            index += 1
        }
        // The square of the quietest samples is zero.
        if square == 0, let quiet = samples.first(where: { $0 != 0 }) { return (abs(quiet), power) }
        return (square.squareRoot(), power)
    }

    private static func append(_ range: Range<Int>, to ranges: inout [Range<Int>], gap: Int) {
        if let open = ranges.last, range.lowerBound - open.upperBound <= gap {
            ranges[ranges.count - 1] = open.lowerBound..<range.upperBound
        } else {
            ranges.append(range)
        }
    }

    private mutating func noteClicks(
        of ranges: [Range<Int>], _ samples: UnsafeBufferPointer<Float>, from start: Int, gap: Int, channel: Int
    ) {
        guard clicks.count < 1000 else { return }
        let before = channels[channel]
        if let last = before.ranges.last, last.upperBound == start, abs(before.last) > Self.clickLevel,
            ranges.first?.lowerBound != start
        {
            clicks.append(start - 1)
        }
        for range in ranges {
            let isContinued = before.ranges.last.map { range.lowerBound - $0.upperBound <= gap } ?? false
            if !isContinued, abs(samples[range.lowerBound - start]) > Self.clickLevel {
                clicks.append(range.lowerBound)
            }
            let end = range.upperBound - start
            if end < samples.count, abs(samples[end - 1]) > Self.clickLevel { clicks.append(range.upperBound - 1) }
        }
    }

    // MARK: Questions

    private func frame(_ time: AudioScene.Time) -> Int { time.frame(atRate: rate) }

    package func time(ofFrame frame: Int) -> AudioScene.Time {
        AudioScene.Time(microseconds: Int((Double(frame) * 1e6 / Double(rate)).rounded()))
    }

    private func ranges(of channel: Int?) -> [[Range<Int>]] {
        if let channel {
            channels.indices.contains(channel - 1) ? [channels[channel - 1].ranges] : []
        } else {
            channels.map(\.ranges)
        }
    }

    /// The first time within these at which it sounded, on a channel from 1 or on any; nil where it was silent.
    package func firstSound(
        from start: AudioScene.Time, to end: AudioScene.Time, channel: Int? = nil
    ) -> AudioScene.Time? {
        let window = frame(start)..<max(frame(start), frame(end))
        let first = ranges(of: channel).compactMap { ranges -> Int? in
            // The first that ends after the window's begin.
            var (low, high) = (0, ranges.count)
            while low < high {
                let middle = (low + high) / 2
                if ranges[middle].upperBound <= window.lowerBound { low = middle + 1 } else { high = middle }
            }
            guard low < ranges.count, ranges[low].lowerBound < window.upperBound else { return nil }
            return max(ranges[low].lowerBound, window.lowerBound)
        }.min()
        return first.map(time(ofFrame:))
    }

    /// The root mean square of all channels between two times, in dBFS; -infinity for silence.
    package func decibels(from start: AudioScene.Time, to end: AudioScene.Time) -> Double {
        let columns = frame(start) / columnFrames..<max(frame(start) / columnFrames + 1, frame(end) / columnFrames)
        let power = channels.reduce(0.0) { sum, channel in
            let known = columns.clamped(to: 0..<channel.powers.count)
            return sum + channel.powers[known].reduce(0) { $0 + Double($1) }
        }
        let mean = power / Double(max(1, columns.count * columnFrames * channels.count))
        return mean > 0 ? 10 * Decibels.log10(mean) : -.infinity
    }

    /// The greatest magnitude of the columns of a stretch of time, 0...1 and above.
    package func peak(from start: AudioScene.Time, to end: AudioScene.Time) -> Float {
        let columns = frame(start) / columnFrames..<max(frame(start) / columnFrames + 1, frame(end) / columnFrames)
        return channels.reduce(0) { greatest, channel in
            max(greatest, channel.peaks[columns.clamped(to: 0..<channel.peaks.count)].max() ?? 0)
        }
    }

    /// One character for each stretch of the scene.
    func strip(columns: Int, of duration: AudioScene.Time, level: (Float) -> String) -> String {
        (0..<columns).map { column in
            let start = AudioScene.Time(microseconds: duration.microseconds * column / columns)
            let end = AudioScene.Time(microseconds: duration.microseconds * (column + 1) / columns)
            return level(peak(from: start, to: end))
        }.joined()
    }

    /// The character for a peak, in ASCII.
    static func glyph(ofLevel peak: Float) -> String {
        let glyphs = [".", ":", "-", "=", "+", "*", "#", "@"]
        return peak == 0 ? " " : glyphs[min(glyphs.count - 1, Int(min(peak, 1) * Float(glyphs.count)))]
    }
}

/// The logarithm without Foundation: the same bits on every machine.
enum Decibels {
    static func log10(_ value: Double) -> Double {
        guard value > 0, value.isFinite else { return -.infinity }
        // The exponent exactly, the significand in 1..<2 by the series of the inverse hyperbolic tangent.
        let exponent = Double(value.exponent)
        let ratio = (value.significand - 1) / (value.significand + 1)
        var (term, sum, divisor) = (ratio, 0.0, 1.0)
        while abs(term) > 1e-18 {
            sum += term / divisor
            term *= ratio * ratio
            divisor += 2
        }
        return (exponent * 0.693_147_180_559_945_3 + 2 * sum) / 2.302_585_092_994_045_7
    }
}
