import TestAudio
import TestSupport
import Testing

@testable import AudioFiles

/// The order of input, end and more input, which libsoxr itself does not survive in every form.
@Suite struct SampleRateConverterTests {
    private static let rates: [Double] = [
        8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_001, 88_200, 96_000,
    ]
    private static let outputRate = 48_000.0

    private typealias Converter = SampleRateConverter<Float>

    private func converter(from rate: Double) throws -> Converter {
        try Converter(from: rate, to: Self.outputRate, channels: 1)
    }

    /// Gives all of a stream, or nil for a part of the tail; appends what comes out.
    ///
    /// - Returns: the frames that came out.
    @discardableResult
    private func give(
        _ stream: [Float]?, to converter: Converter, room: Int, _ output: inout [Float]
    ) throws -> Int {
        var memory = [Float](repeating: 0, count: room)
        var done = 0
        let before = output.count
        repeat {
            let progress = try memory.withUnsafeMutableBufferPointer { memory in
                guard let stream else { return try converter.convert(nil, into: memory) }
                return try stream[done...].withUnsafeBufferPointer { try converter.convert($0, into: memory) }
            }
            done += progress.consumedFrames
            output += memory[..<progress.producedFrames]
        } while done < stream?.count ?? 0
        return output.count - before
    }

    /// Each stream through a converter of its own.
    private func whole(_ streams: [[Float]], from rate: Double) throws -> [[Float]] {
        try streams.map { stream in
            let converter = try converter(from: rate)
            var output: [Float] = []
            try give(stream, to: converter, room: 4096, &output)
            while try give(nil, to: converter, room: 4096, &output) > 0 {}
            return output
        }
    }

    @Test(arguments: rates)
    func input_whileTheTailComesOut_beginsAStreamBehindTheTail(_ rate: Double) throws {
        var random = Seeded(seed: UInt64(rate))
        let streams = (0..<100).map { _ in
            TestSignal.sine(hertz: 200).samples(
                frames: .random(in: 1...Int(rate / 20), using: &random), channels: 1, sampleRate: rate)
        }
        let converter = try converter(from: rate)
        var output: [Float] = []
        var interruptedEnds = 0
        for stream in streams {
            try give(stream, to: converter, room: .random(in: 1...1000, using: &random), &output)
            // The next one comes at the beginning, in the middle or at the end of the tail.
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let room = Int.random(in: 1...1000, using: &random)
                if try give(nil, to: converter, room: room, &output) == room { interruptedEnds += 1 }
            }
        }
        while try give(nil, to: converter, room: 1000, &output) > 0 {}
        let expected = try whole(streams, from: rate).joined()
        #expect(output.count == expected.count)
        // -100 dB: the converter's own precision, with other block boundaries.
        #expect(largestDifference(output[...], Array(expected)[...]) < 1e-5)
        // Tails that were longer than the room.
        #expect(interruptedEnds > 20)
    }

    @Test(arguments: rates)
    func emptyInput_isNotTheEnd(_ rate: Double) throws {
        let signal = TestSignal.sine(hertz: 200).samples(frames: 4000, channels: 1, sampleRate: rate)
        let converter = try converter(from: rate)
        let nothing = UnsafeMutableBufferPointer<Float>(start: nil, count: 0)
        var output: [Float] = []
        for start in stride(from: 0, to: signal.count, by: 500) {
            try give(Array(signal[start..<start + 500]), to: converter, room: 700, &output)
            // An array without elements has no address.
            try give([], to: converter, room: 700, &output)
            _ = try converter.convert(UnsafeBufferPointer(nothing), into: nothing)
        }
        while try give(nil, to: converter, room: 700, &output) > 0 {}
        let expected = try whole([signal], from: rate)[0]
        #expect(output.count == expected.count)
        #expect(largestDifference(output[...], expected[...]) < 1e-5)
    }

    @Test func end_withoutRoom_keepsTheTail() throws {
        let signal = TestSignal.sine(hertz: 200).samples(frames: 1000, channels: 1, sampleRate: 8000)
        let converter = try converter(from: 8000)
        var output: [Float] = []
        try give(signal, to: converter, room: 700, &output)
        let nothing = UnsafeMutableBufferPointer<Float>(start: nil, count: 0)
        _ = try converter.convert(nil, into: nothing)
        // Input has to wait for the tail.
        #expect(try signal.withUnsafeBufferPointer { try converter.convert($0, into: nothing).consumedFrames } == 0)
        while try give(nil, to: converter, room: 700, &output) > 0 {}
        #expect(output.count == 6000)
    }

    @Test func end_ofNothing_givesNothing_asOftenAsItIsAskedFor() throws {
        let converter = try converter(from: 44_100)
        var output: [Float] = []
        for _ in 0..<3 {
            for _ in 0..<3 { #expect(try give(nil, to: converter, room: 700, &output) == 0) }
            try give([0.5, 0.5, 0.5], to: converter, room: 700, &output)
            while try give(nil, to: converter, room: 700, &output) > 0 {}
        }
        // 3 frames are 3.27.
        #expect(output.count == 9)
    }

    @Test func reset_whileTheTailComesOut_forgetsIt() throws {
        let signal = TestSignal.sine(hertz: 200).samples(frames: 1000, channels: 1, sampleRate: 8000)
        let converter = try converter(from: 8000)
        var output: [Float] = []
        try give(signal, to: converter, room: 700, &output)
        #expect(try give(nil, to: converter, room: 10, &output) == 10)
        try converter.reset()
        output = []
        try give(signal, to: converter, room: 700, &output)
        while try give(nil, to: converter, room: 700, &output) > 0 {}
        #expect(try output == whole([signal], from: 8000)[0])
    }

    @Test func variableRate_withoutInputAndRoom_isNotAtItsEnd() throws {
        let signal = TestSignal.sine(hertz: 200).samples(frames: 1000, channels: 1, sampleRate: 8000)
        let nothing = UnsafeMutableBufferPointer<Float>(start: nil, count: 0)
        func play(asking: Bool) throws -> [Float] {
            let converter = try VariableRateConverter(channels: 1, highestSpeed: 4)
            try converter.setSpeed(1)
            var output: [Float] = []
            var memory = [Float](repeating: 0, count: 1000)
            for _ in 0..<20 {
                var done = 0
                while done < signal.count {
                    let progress = try memory.withUnsafeMutableBufferPointer { memory in
                        try signal[done...].withUnsafeBufferPointer { try converter.convert($0, into: memory) }
                    }
                    done += progress.consumed
                    output += memory[..<progress.produced]
                    if asking { _ = try converter.convert(UnsafeBufferPointer(nothing), into: nothing) }
                }
            }
            return output
        }
        #expect(try play(asking: true) == play(asking: false))
    }
}
