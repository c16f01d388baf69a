import Foundation
import OpenAVFAudio
import TestAudio
import Testing

struct AVAudioConverterStreamTests: ConverterTesting {
    @Test(arguments: [(44_100.0, 48_000.0), (48_000, 44_100), (48_000, 16_000), (8_000, 48_000), (96_000, 48_000)])
    func rateConversion_hasTheLengthAndTheLevel(from: Double, to: Double) throws {
        let frames = Int(from) / 5
        let tone = TestSignal.sine(hertz: 1_000).samples(frames: frames, channels: 1, sampleRate: from)
        let converter = try #require(AVAudioConverter(from: format(rate: from), to: format(rate: to)))
        let (result, statuses) = try stream(tone, through: converter, piece: 441, room: 480)
        #expect(result.count == Int(to) / 5, "a fifth of a second, as before")
        #expect(statuses.dropLast().allSatisfy { $0 == .haveData })
        let ideal = TestSignal.sine(hertz: 1_000).samples(frames: result.count, channels: 1, sampleRate: to)
        let edge = result.count / 4
        let error = zip(result, ideal).dropFirst(edge).dropLast(edge).map { abs($0 - $1) }.max() ?? 1
        #expect(error < 0x1p-16, "20 bit precision of the filter, no delay: the same sine at the same frames")
    }

    @Test func rateConversion_inPieces_isAsInOneGo() throws {
        let tone = TestSignal.sine(hertz: 440).samples(frames: 5_000, channels: 1, sampleRate: 44_100)
        func converter() throws -> AVAudioConverter {
            try #require(AVAudioConverter(from: format(rate: 44_100), to: format(rate: 48_000)))
        }
        let whole = try stream(tone, through: converter(), piece: 5_000, room: 8_000).samples
        #expect(whole.count == 5_442, "5 000 * 480 / 441, to the nearest frame")
        for (piece, room) in [(1, AVAudioFrameCount(512)), (441, 1), (999, 777), (5_000, 1_024)] {
            #expect(try stream(tone, through: converter(), piece: piece, room: room).samples == whole)
        }
    }

    /// Apps do so with the buffers of a tap, for a recogniser that wants 16 kHz.
    @Test(arguments: [512, 1024, 1600, 4096, 4800], [true, false])
    func converterForEachBuffer_givesMostOfTheSound(frames: Int, isMadeAnew: Bool) throws {
        let (from, to) = (try format(), try format(.pcmFormatInt16, rate: 16_000, interleaved: true))
        let tone = TestSignal.sine(hertz: 400).samples(frames: 20 * frames, channels: 1, sampleRate: 48_000)
        let kept = try #require(AVAudioConverter(from: from, to: to))
        for start in stride(from: 0, to: tone.count, by: frames) {
            let converter = isMadeAnew ? try #require(AVAudioConverter(from: from, to: to)) : kept
            converter.reset()
            let room = AVAudioFrameCount(frames / 3 + 1)
            let output = try #require(AVAudioPCMBuffer(pcmFormat: to, frameCapacity: room))
            var inputs = [try buffer([Array(tone[start..<start + frames])], from)]
            let status = converter.convert(to: output, error: nil) { _, status in
                status.pointee = inputs.isEmpty ? .noDataNow : .haveData
                return inputs.isEmpty ? nil : inputs.removeFirst()
            }
            #expect(status == .inputRanDry)
            // 32 frames of 16 kHz are held back, of 1024 frames of 48 kHz 31 of 341.
            #expect(Int(output.frameLength) == (frames + 2) / 3 - 32)
            let ideal = TestSignal.sine(hertz: 400).samples(frames: 20 * frames, channels: 1, sampleRate: 48_000)
            let samples = try #require(output.int16ChannelData)[0]
            // Silence is before the first frame; 36 frames on, the filter does not reach so far back.
            for frame in 36..<Int(output.frameLength) {
                #expect(abs(Float(samples[frame]) / 32_768 - ideal[start + 3 * frame]) < 0x1p-14)
            }
        }
    }

    /// More comes out of a buffer than goes in, and more than one step gives.
    @Test(arguments: [(44_100.0, 48_000.0), (24_000, 44_100), (16_000, 48_000), (8_000, 48_000)])
    func converterToAHigherRate_givesAllThatOneBufferIsGoodFor(from: Double, to: Double) throws {
        let frames = Int(from) / 2
        let tone = TestSignal.sine(hertz: 400).samples(frames: frames, channels: 1, sampleRate: from)
        let converter = try #require(AVAudioConverter(from: format(rate: from), to: format(rate: to)))
        let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 48_000))
        var inputs = [try buffer([tone], converter.inputFormat)]
        let status = converter.convert(to: output, error: nil) { _, status in
            status.pointee = inputs.isEmpty ? .noDataNow : .haveData
            return inputs.isEmpty ? nil : inputs.removeFirst()
        }
        #expect(status == .inputRanDry)
        let heldBack = Int((32 * to / from).rounded(.up))
        #expect(Int(output.frameLength) >= Int(to) / 2 - heldBack, "32 frames of the lower rate are held back")
    }

    @Test func masteringAlgorithm_isAnotherFilter_untilItIsSetBack() throws {
        let tone = TestSignal.sine(hertz: 8400).samples(frames: 24_000, channels: 1, sampleRate: 48_000)
        let converter = try #require(AVAudioConverter(from: format(), to: format(rate: 16_000)))
        func peak() throws -> Float {
            converter.reset()
            return try stream(tone, through: converter, piece: 4096, room: 4096).samples.dropFirst(1000).dropLast(1000)
                .map(abs).max() ?? 0
        }
        let usual = try peak()
        converter.sampleRateConverterAlgorithm = AVSampleRateConverterAlgorithm_Mastering
        let mastered = try peak()
        converter.sampleRateConverterAlgorithm = AVSampleRateConverterAlgorithm_Normal
        // 5 % above the Nyquist frequency: the short filter mirrors 7 % of it, the long one nothing.
        #expect(mastered < 0.001 && (0.02...0.1).contains(usual), "\(mastered) \(usual)")
        #expect(try peak() == usual)
    }

    @Test func rateConversion_ofChannels_keepsThemApart() throws {
        let input = try buffer(
            [[Float](repeating: 0.5, count: 9_600), [Float](repeating: -0.25, count: 9_600)],
            format(channels: 2, interleaved: true))
        for (channels, map) in [(UInt32(2), [1, 0]), (1, [1])] {
            let to = try format(rate: 24_000, channels: channels)
            let converter = try #require(AVAudioConverter(from: input.format, to: to))
            converter.channelMap = map.map { NSNumber(value: $0) }
            let output = try #require(AVAudioPCMBuffer(pcmFormat: to, frameCapacity: 2_400))
            #expect(
                converter.convert(to: output, error: nil) { _, status in
                    status.pointee = .haveData; return input
                } == .haveData)
            // The middle of a constant is the constant, to the filter's precision.
            #expect(abs(try floats(output, channel: 0)[1_200] + 0.25) < 0x1p-16)
            if channels == 2 { #expect(abs(try floats(output, channel: 1)[1_200] - 0.5) < 0x1p-16) }
        }
    }

    @Test func stream_whileTheInputComesLater_runsDryAndGoesOn() throws {
        let converter = try #require(AVAudioConverter(from: format(), to: format(.pcmFormatInt16)))
        let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 5))
        var inputs = [try buffer([[0.5, 0.25, -0.5]], format())]
        var asked: [AVAudioPacketCount] = []
        func convert(_ atTheEnd: AVAudioConverterInputStatus) -> AVAudioConverterOutputStatus {
            let input: AVAudioConverterInputBlock = { count, status in
                asked.append(count)
                status.pointee = inputs.isEmpty ? atTheEnd : .haveData
                return inputs.isEmpty ? nil : inputs.removeFirst()
            }
            return converter.convert(to: output, error: nil, withInputFrom: input)
        }
        #expect(convert(.noDataNow) == .inputRanDry && output.frameLength == 3)
        #expect(convert(.noDataNow) == .inputRanDry && output.frameLength == 0)
        inputs = [try buffer([[1, 0, 0, 0]], format()), try buffer([[0, 0, -1]], format())]
        #expect(convert(.noDataNow) == .haveData && output.frameLength == 5)
        #expect(convert(.endOfStream) == .haveData && output.frameLength == 2, "what was left of the last buffer")
        #expect(output.int16ChannelData?[0][1] == -32_768)
        #expect(convert(.endOfStream) == .endOfStream && output.frameLength == 0)
        #expect(asked == [5, 2, 5, 5, 1, 3])
        inputs = [try buffer([[1]], format())]
        #expect(convert(.endOfStream) == .endOfStream, "the stream is over until reset()")
        converter.reset()
        #expect(convert(.endOfStream) == .haveData && output.frameLength == 1)
    }

    @Test func rateConverter_asksForTheInputThatItNeeds() throws {
        let converter = try #require(AVAudioConverter(from: format(rate: 48_000), to: format(rate: 16_000)))
        let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 160))
        var asked: [AVAudioPacketCount] = []
        let status = converter.convert(to: output, error: nil) { count, status in
            asked.append(count)
            status.pointee = .noDataNow
            return nil
        }
        #expect(status == .inputRanDry && asked == [480])
    }

    @Test func inputBlock_thatGivesNothingAsData_runsDry() throws {
        let converter = try #require(AVAudioConverter(from: format(), to: format()))
        let output = try #require(AVAudioPCMBuffer(pcmFormat: format(), frameCapacity: 5))
        let empty = try #require(AVAudioPCMBuffer(pcmFormat: format(), frameCapacity: 5))
        for given in [nil, empty] {
            let status = converter.convert(to: output, error: nil) { _, status in
                status.pointee = .haveData
                return given
            }
            #expect(status == .inputRanDry)
        }
    }

    @Test func stream_withBuffersOfOtherFormats_isAnErrorWithAReason() throws {
        let converter = try #require(AVAudioConverter(from: format(), to: format()))
        let output = try #require(AVAudioPCMBuffer(pcmFormat: format(), frameCapacity: 5))
        let stereo = try buffer([[1], [1]], format(channels: 2))
        var error: NSError?
        var status = converter.convert(to: output, error: &error) { _, status in
            status.pointee = .haveData
            return stereo
        }
        #expect(status == .error && error?.code == -50 && output.frameLength == 0)
        #expect(error?.localizedDescription.contains("it does not take buffers of <AVAudioFormat: 2 ch") == true)
        status = converter.convert(to: stereo, error: &error) { _, _ in nil }
        #expect(status == .error)
        let none = try #require(AVAudioPCMBuffer(pcmFormat: format(), frameCapacity: 0))
        status = converter.convert(to: none, error: &error) { _, _ in nil }
        #expect(status == .error && error?.code == Int(kAudioConverterErr_InvalidOutputSize))
    }

    @Test func quality_changesThePrecision() throws {
        let tone = TestSignal.sine(hertz: 1_000).samples(frames: 8_820, channels: 1, sampleRate: 44_100)
        let ideal = TestSignal.sine(hertz: 1_000).samples(frames: 9_600, channels: 1, sampleRate: 48_000)
        func error(_ quality: AVAudioQuality) throws -> Float {
            let converter = try #require(AVAudioConverter(from: format(rate: 44_100), to: format(rate: 48_000)))
            #expect(converter.sampleRateConverterQuality == AVAudioQuality.high.rawValue)
            converter.sampleRateConverterQuality = 3
            #expect(converter.sampleRateConverterQuality == AVAudioQuality.high.rawValue, "no such quality")
            converter.sampleRateConverterQuality = quality.rawValue
            #expect(converter.sampleRateConverterQuality == quality.rawValue)
            let result = try stream(tone, through: converter, piece: 4_096, room: 4_096).samples
            return zip(result, ideal).dropFirst(2_400).dropLast(2_400).map { abs($0 - $1) }.max() ?? 1
        }
        let (worst, usual, best) = (try error(.min), try error(.high), try error(.max))
        #expect(worst > 10 * usual, "\(worst) \(usual) \(best)")
        #expect(best < usual)
    }

    @Test func priming_isAlwaysNormalAndWithoutFrames() throws {
        let converter = try #require(AVAudioConverter(from: format(), to: format(rate: 44_100)))
        #expect(converter.primeMethod == .normal)
        converter.primeMethod = .none
        converter.primeInfo = AVAudioConverterPrimeInfo(leadingFrames: 5, trailingFrames: 6)
        #expect(converter.primeInfo.leadingFrames == 0 && converter.primeInfo.trailingFrames == 0)
    }
}
