import Synchronization
import Threading

/// Converts interleaved frames from one sample rate to another, as a stream, and holds few of them back.
///
/// One thread at a time.
///
/// A windowed sinc of linear phase, computed frame by frame: what comes out depends on the input alone, not on the pieces in
/// which it came. Its output is aligned with the input, needs `heldBackFrames` of the input after a frame's own time, and is
/// `round(n * out / in)` frames long. libsoxr's filters (`SampleRateConverter`) are longer and work in blocks: the first frame
/// of 16 kHz comes out after 1758 of 48 kHz (decision 68).
package final class PolyphaseConverter: RateConverter {
    /// How long and how clean the filter is.
    package struct Filter: Hashable, Sendable {
        /// Periods of the lower rate on each side of a frame.
        var periods: Int
        /// Of what is above the lower Nyquist frequency, in decibels.
        var attenuation: Double

        /// 16 bit precision, flat to 81 % and to 87 % of the lower Nyquist frequency; what is as far above that frequency
        /// as this is below it is mirrored to between the two.
        package static let low = Filter(periods: 16, attenuation: 96)
        package static let medium = Filter(periods: 24, attenuation: 96)
        /// 20 bit precision, flat to 88 %.
        package static let high = Filter(periods: 32, attenuation: 120)
    }

    /// The frames of the input after a frame's own time that it is made of.
    package let heldBackFrames: Int
    private let channels: Int
    /// Frames of output for a number of input frames.
    private let (up, down): (Int, Int)
    /// [phase][tap]: the taps of one phase reach from `heldBackFrames - 1` before the frame at or before its time to
    /// `heldBackFrames` after it.
    private let taps: [Double]

    /// The input that is still needed; begins with the first tap of the next frame.
    private var window: [Double] = []
    /// Of the input, since the stream began.
    private var takenFrames: Int64 = 0
    private var givenFrames: Int64 = 0
    private var state = State.fresh

    private enum State {
        /// To `streaming` with the first frame.
        case fresh
        /// To `draining` at the end of the input, to `fresh` at a reset.
        case streaming
        /// Of this number of frames; to `fresh` when the last one is out, or at a reset.
        case draining(frames: Int64)
    }

    /// 4 MB: what any two usual rates need is less than 1.3 MB.
    private static let mostTaps = 1 << 19
    private static let mostWindowFrames = 4096

    /// - Returns: nil where the rates have no simple ratio, so that the filter would need too many phases.
    package init?(from inputRate: Double, to outputRate: Double, channels: Int, filter: Filter = .high) {
        guard let input = Int(exactly: inputRate), let output = Int(exactly: outputRate), input > 0, output > 0 else {
            return nil
        }
        let divisor = Self.commonDivisor(input, output)
        (up, down) = (output / divisor, input / divisor)
        self.channels = channels
        let slowdown = max(1, Double(down) / Double(up))
        heldBackFrames = Int((Double(filter.periods) * slowdown).rounded(.up))
        guard up <= Self.mostTaps / (2 * heldBackFrames) else { return nil }
        taps = Self.taps(Design(filter: filter, up: up, down: down), reach: heldBackFrames)
        begin()
    }

    private static func commonDivisor(_ one: Int, _ other: Int) -> Int {
        var (one, other) = (one, other)
        while other != 0 { (one, other) = (other, one % other) }
        return one
    }

    // MARK: The stream

    private func begin() {
        (takenFrames, givenFrames, state) = (0, 0, .fresh)
        // Silence before the first frame.
        window.removeAll(keepingCapacity: true)
        window.append(contentsOf: repeatElement(0, count: (heldBackFrames - 1) * channels))
    }

    package func reset() { begin() }

    package func convert(
        _ input: UnsafeBufferPointer<Double>?, into output: UnsafeMutableBufferPointer<Double>
    ) -> RateConversionProgress {
        if input == nil, case .streaming = state {
            let frames = (2 * takenFrames * Int64(up) + Int64(down)) / (2 * Int64(down))
            state = .draining(frames: frames)
            window.append(contentsOf: repeatElement(0, count: heldBackFrames * channels))
        }
        let room = output.count / channels
        if case .draining(let frames) = state {
            // Without room, no frame is not the end of the tail.
            guard room > 0 else { return RateConversionProgress(consumedFrames: 0, producedFrames: 0) }
            let count = give(upTo: Int(min(Int64(room), frames - givenFrames)), into: output, at: 0)
            if count > 0 { return RateConversionProgress(consumedFrames: 0, producedFrames: count) }
            begin()
        }
        guard let input else { return RateConversionProgress(consumedFrames: 0, producedFrames: 0) }
        var progress = RateConversionProgress(consumedFrames: 0, producedFrames: 0)
        let offered = input.count / channels
        while true {
            progress.producedFrames += give(
                upTo: room - progress.producedFrames, into: output, at: progress.producedFrames)
            let count = min(offered - progress.consumedFrames, mostFramesToTake)
            guard count > 0 else { return progress }
            take(input, progress.consumedFrames..<(progress.consumedFrames + count))
            progress.consumedFrames += count
        }
    }

    /// What is taken may have to wait for room.
    private var mostFramesToTake: Int { 2 * heldBackFrames + Self.mostWindowFrames - window.count / channels }

    private func take(_ input: UnsafeBufferPointer<Double>, _ frames: Range<Int>) {
        window.append(contentsOf: input[(frames.lowerBound * channels)..<(frames.upperBound * channels)])
        takenFrames += Int64(frames.count)
        state = .streaming
    }

    /// Gives what the window has all taps of.
    private func give(upTo most: Int, into output: UnsafeMutableBufferPointer<Double>, at start: Int) -> Int {
        let length = 2 * heldBackFrames
        let (channels, up, down) = (channels, Int64(up), Int64(down))
        let available = window.count / channels
        var (count, first) = (0, 0)
        // The frame of the input at or before that of the output, and the part of a frame between the two.
        let before = givenFrames * down / up
        var (whole, part) = (before, givenFrames * down % up)
        while count < most, first + length <= available {
            taps.withUnsafeBufferPointer { taps in
                window.withUnsafeBufferPointer { window in
                    let row = taps.baseAddress! + Int(part) * length
                    for channel in 0..<channels {
                        var sample = window.baseAddress! + first * channels + channel
                        var sum = 0.0
                        for tap in 0..<length {
                            sum += row[tap] * sample.pointee
                            sample += channels
                        }
                        output[(start + count) * channels + channel] = sum
                    }
                }
            }
            count += 1
            part += down
            whole += part / up
            part %= up
            first = Int(whole - before)
        }
        givenFrames += Int64(count)
        // One step is shorter than the taps: all of these frames have come.
        window.removeFirst(first * channels)
        return count
    }

    // MARK: The filter

    private struct Design: Hashable {
        var filter: Filter
        var up: Int
        var down: Int
    }

    /// Apps make a converter for each buffer.
    private static let designs = Mutex<[(design: Design, taps: [Double])]>([])
    private static let mostDesigns = 4

    private static func taps(_ design: Design, reach: Int) -> [Double] {
        if let known = designs.withLock({ $0.first { $0.design == design }?.taps }) { return known }
        let taps = makeTaps(design, reach: reach)
        designs.withLock { designs in
            designs.append((design, taps))
            if designs.count > mostDesigns { designs.removeFirst() }
        }
        return taps
    }

    /// A sinc in Kaiser's window, whose edge is at the lower Nyquist frequency; each phase adds up to 1.
    private static func makeTaps(_ design: Design, reach: Int) -> [Double] {
        let cutoff = min(1, Double(design.up) / Double(design.down))
        let beta = 0.1102 * (design.filter.attenuation - 8.7)
        let length = 2 * reach
        var taps = [Double](repeating: 0, count: design.up * length)
        for phase in 0..<design.up {
            var sum = 0.0
            for tap in 0..<length {
                let time = (Double(phase) / Double(design.up) + Double(reach - 1 - tap)) * cutoff
                let place = time / Double(design.filter.periods)
                guard abs(place) < 1 else { continue }
                let sinc = time == 0 ? 1 : sin(.pi * time) / (.pi * time)
                let value = sinc * bessel(beta * (1 - place * place).squareRoot())
                taps[phase * length + tap] = value
                sum += value
            }
            for tap in 0..<length { taps[phase * length + tap] /= sum }
        }
        return taps
    }

    /// Modified, of the first kind and order 0.
    private static func bessel(_ x: Double) -> Double {
        var (sum, term, index) = (1.0, 1.0, 1.0)
        while term > sum * 1e-17 {
            term *= (x / 2 / index) * (x / 2 / index)
            sum += term
            index += 1
        }
        return sum
    }
}
