package import CRealtime
import EffectCore
import Foundation

/// Converts the frames of an app's block to the renderer's rate, in the cycle, without delay and without allocation.
///
/// It is a windowed sinc of 64 taps (more if the rate falls) for each position of an output frame between two input
/// frames. It is flat within 0.1 dB up to 0.85 of half the lower rate; images and aliases are 90 dB down from 1.05 of
/// it on. At the beginning the block is asked for half a filter more, so that its frame 0 is heard in frame 0.
///
/// `@unchecked Sendable`: only the thread that has the block's turn uses it.
package final class CycleConverter: @unchecked Sendable {
    private static let taps = 64
    /// The largest number of entries of the table, 4 bytes each.
    private static let mostEntries = 1 << 19

    private let memory = RenderMemory()
    private let body: BlockCall.Body
    private let rate: Double
    private let outputRate: Double
    private let channels: Int
    /// An output frame is `step / places` input frames long.
    private let places: Int
    private let step: Int
    private let taps: Int
    /// The filter, [place][tap].
    private let table: UnsafeMutablePointer<Float>
    /// The input frames that are still needed, [channel][capacity]; the next output frame is at `place / places`.
    private let rows: UnsafeMutablePointer<Float>
    private let capacity: Int
    /// The position in each row where the block writes next, [channel].
    private let pointers: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    private var available = 0
    private var place = 0
    /// The block's next frame.
    private var made: Int64 = 0
    /// The next sample time of the output; a cycle at another time is a new beginning.
    private var next: Int64?

    /// - Parameters:
    ///   - body: the block; it makes `channels` planes at `rate`.
    ///   - maximumFrames: the longest cycle.
    /// - Returns: nil for rates whose table would be too large, or that are not whole numbers of hertz.
    package init?(
        _ body: @escaping BlockCall.Body, from rate: Double, to outputRate: Double, channels: Int, maximumFrames: Int
    ) {
        guard let (places, step, taps) = Self.shape(from: rate, to: outputRate) else { return nil }
        self.body = body
        self.rate = rate
        self.outputRate = outputRate
        self.channels = channels
        self.places = places
        self.step = step
        self.taps = taps
        table = memory.room(places * taps)
        capacity = taps + (maximumFrames * step) / places + 2
        rows = memory.silence(channels * capacity)
        pointers = memory.room(channels)
        pointers.initialize(repeating: rows, count: channels)
        fillTable()
    }

    package static func isPossible(from rate: Double, to outputRate: Double) -> Bool {
        shape(from: rate, to: outputRate) != nil
    }

    private static func shape(from rate: Double, to outputRate: Double) -> (places: Int, step: Int, taps: Int)? {
        guard let from = Int(exactly: rate), let to = Int(exactly: outputRate), from > 0, to > 0 else { return nil }
        var (divisor, rest) = (from, to)
        while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
        let (places, step) = (to / divisor, from / divisor)
        guard places <= mostEntries, step <= mostEntries else { return nil }
        let taps = (Self.taps * max(places, step) / places + 7) / 8 * 8
        return places * taps <= mostEntries ? (places, step, taps) : nil
    }

    /// Fills the table.
    ///
    /// The taps of each place add up to 1, so that a constant input stays constant.
    private func fillTable() {
        let cutoff = 0.95 * min(1, outputRate / rate)
        let half = Double(taps / 2)
        for place in 0..<places {
            let row = table + place * taps
            var sum = 0.0
            let values = (0..<taps).map { tap in
                let x = Double(tap) - (half - 1) - Double(place) / Double(places)
                let angle = Double.pi * x * cutoff
                let value = (x == 0 ? 1 : sin(angle) / angle) * Self.window(x / half)
                sum += value
                return value
            }
            for tap in 0..<taps { row[tap] = Float(values[tap] / sum) }
        }
    }

    /// Kaiser's window for 90 dB.
    private static func window(_ x: Double) -> Double {
        func bessel(_ x: Double) -> Double {
            var (sum, term, index) = (1.0, 1.0, 1.0)
            while term > 1e-12 * sum {
                term *= (x / (2 * index)) * (x / (2 * index))
                sum += term
                index += 1
            }
            return sum
        }
        let beta = 8.96
        return bessel(beta * max(0, 1 - x * x).squareRoot()) / bessel(beta)
    }

    // MARK: In the cycle

    /// Writes every frame of the output.
    package func process(_ process: UnsafePointer<oav_process>) {
        let frames = Int(process.pointee.frames)
        guard frames > 0 else { return }
        if next != process.pointee.sample_time { begin(process.pointee.sample_time) }
        next = process.pointee.sample_time + Int64(frames)
        let missing = (place + (frames - 1) * step) / places + taps - available
        if missing > 0 { make(missing, for: process.pointee) }
        for channel in 0..<channels {
            Self.convert(
                rows + channel * capacity, into: process.pointee.output.channels[channel], frames,
                (table, taps), from: place, (step, places))
        }
        let end = place + frames * step
        place = end % places
        drop(end / places)
    }

    private func begin(_ sampleTime: Int64) {
        available = taps / 2 - 1
        place = 0
        for channel in 0..<channels { (rows + channel * capacity).update(repeating: 0, count: available) }
        made = Int64((Double(sampleTime) * rate / outputRate).rounded())
    }

    private func make(_ frames: Int, for process: oav_process) {
        for channel in 0..<channels { pointers[channel] = rows + (channel * capacity + available) }
        var inner = process
        inner.frames = UInt32(frames)
        inner.sample_rate = rate
        inner.sample_time = made
        inner.output = oav_bus(channels: UnsafePointer(pointers), channel_count: UInt32(channels), flags: 0)
        body(&inner)
        // A sample that is not finite would spoil all output over the length of the filter.
        for channel in 0..<channels {
            for frame in 0..<frames where !pointers[channel][frame].isFinite { pointers[channel][frame] = 0 }
        }
        available += frames
        made += Int64(frames)
    }

    private func drop(_ frames: Int) {
        available -= frames
        for channel in 0..<channels {
            let row = rows + channel * capacity
            row.update(from: row + frames, count: available)
        }
    }

    @_noLocks @_noAllocation
    private static func convert(
        _ row: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, _ frames: Int,
        _ filter: (table: UnsafeMutablePointer<Float>, taps: Int), from place: Int, _ ratio: (step: Int, places: Int)
    ) {
        var (index, place) = (0, place)
        for frame in 0..<frames {
            index &+= place / ratio.places
            place %= ratio.places
            let (input, weights) = (row + index, UnsafeRawPointer(filter.table + place &* filter.taps))
            var sum = SIMD8<Float>.zero
            var tap = 0
            while tap < filter.taps {
                let bytes = tap &* MemoryLayout<Float>.size
                sum.addProduct(
                    UnsafeRawPointer(input).loadUnaligned(fromByteOffset: bytes, as: SIMD8<Float>.self),
                    weights.loadUnaligned(fromByteOffset: bytes, as: SIMD8<Float>.self))
                tap &+= 8
            }
            output[frame] = sum.sum()
            place &+= ratio.step
        }
    }
}
