import Foundation
import OpenAVFAudio
import TestAudio
import Testing

struct AVAudioConverterTests {
    private func format(
        _ common: AVAudioCommonFormat = .pcmFormatFloat32, rate: Double = 48_000, channels: UInt32 = 1,
        interleaved: Bool = false
    ) throws -> AVAudioFormat {
        try #require(
            AVAudioFormat(commonFormat: common, sampleRate: rate, channels: channels, interleaved: interleaved))
    }

    private func surround(_ tag: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_5_1_A) throws -> AVAudioFormat {
        AVAudioFormat(
            standardFormatWithSampleRate: 48_000, channelLayout: try #require(AVAudioChannelLayout(layoutTag: tag)))
    }

    /// A Float32 buffer of these frames for each channel.
    private func buffer(_ channels: [[Float]], _ format: AVAudioFormat) throws -> AVAudioPCMBuffer {
        let count = channels[0].count
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(count)))
        buffer.frameLength = AVAudioFrameCount(count)
        let data = try #require(buffer.floatChannelData)
        for (channel, samples) in channels.enumerated() {
            for (frame, sample) in samples.enumerated() { data[channel][frame * buffer.stride] = sample }
        }
        return buffer
    }

    private func floats(_ buffer: AVAudioPCMBuffer, channel: Int = 0) throws -> [Float] {
        let data = try #require(buffer.floatChannelData)
        return (0..<Int(buffer.frameLength)).map { data[channel][$0 * buffer.stride] }
    }

    /// Converts a stream that is given in pieces of `piece` frames, in output buffers of `room` frames.
    private func stream(
        _ samples: [Float], through converter: AVAudioConverter, piece: Int, room: AVAudioFrameCount
    ) throws -> (samples: [Float], statuses: [AVAudioConverterOutputStatus]) {
        let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: room))
        var given = 0
        var result: [Float] = []
        var statuses: [AVAudioConverterOutputStatus] = []
        while statuses.last != .endOfStream {
            try #require(statuses.count < 50_000)
            var error: NSError?
            let status = converter.convert(to: output, error: &error) { _, status in
                guard given < samples.count else {
                    status.pointee = .endOfStream
                    return nil
                }
                let next = Array(samples[given..<min(given + piece, samples.count)])
                given += next.count
                status.pointee = .haveData
                return try? buffer([next], converter.inputFormat)
            }
            try #require(error == nil && status != .error)
            statuses.append(status)
            result += try floats(output)
        }
        return (result, statuses)
    }

    @Test func int16ToFloat_isExactAndBack() throws {
        let converter = try #require(
            AVAudioConverter(from: format(.pcmFormatInt16, interleaved: true), to: format(.pcmFormatFloat32)))
        let input = try #require(AVAudioPCMBuffer(pcmFormat: converter.inputFormat, frameCapacity: 65_536))
        input.frameLength = 65_536
        for value in 0..<65_536 { input.int16ChannelData?[0][value] = Int16(truncatingIfNeeded: value) }
        let middle = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 65_536))
        try converter.convert(to: middle, from: input)
        #expect(try floats(middle) == (0..<65_536).map { Float(Int16(truncatingIfNeeded: $0)) / 32_768 })
        let back = try #require(AVAudioConverter(from: converter.outputFormat, to: converter.inputFormat))
        let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.inputFormat, frameCapacity: 65_536))
        try back.convert(to: output, from: middle)
        #expect((0..<65_536).allSatisfy { output.int16ChannelData?[0][$0] == Int16(truncatingIfNeeded: $0) })
    }

    @Test func floatToInteger_goesToTheNearestStepAndIsClipped() throws {
        let step: Float = 1 / 32_768
        let input = try buffer(
            [[0.4 * step, 0.5 * step, 0.6 * step, 1.5 * step, -0.6 * step, 1, -1, 2, -2, .nan, .infinity]], format())
        let converter = try #require(AVAudioConverter(from: format(), to: format(.pcmFormatInt16)))
        let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 11))
        try converter.convert(to: output, from: input)
        let samples = try #require(output.int16ChannelData)[0]
        #expect((0..<11).map { samples[$0] } == [0, 0, 1, 2, -1, 32_767, -32_768, 32_767, -32_768, 0, 32_767])
    }

    @Test(arguments: [AVAudioCommonFormat.pcmFormatFloat64, .pcmFormatInt32])
    func float_throughWiderSamples_isTheSame(common: AVAudioCommonFormat) throws {
        let samples: [Float] = (0..<5_000).map { Float($0 % 257) / 257 - 0.5 }
        let there = try #require(AVAudioConverter(from: format(), to: format(common, interleaved: true)))
        let back = try #require(AVAudioConverter(from: format(common, interleaved: true), to: format()))
        let middle = try #require(AVAudioPCMBuffer(pcmFormat: there.outputFormat, frameCapacity: 5_000))
        let output = try #require(AVAudioPCMBuffer(pcmFormat: format(), frameCapacity: 5_000))
        try there.convert(to: middle, from: buffer([samples], format()))
        try back.convert(to: output, from: middle)
        // Int32 has 31 bits below full scale: a Float32 of 24 bits fits from 2^-7 on; below, the step is 2^-31.
        let step: Float = common == .pcmFormatInt32 ? 0x1p-31 : 0
        #expect(zip(try floats(output), samples).allSatisfy { abs($0 - $1) <= step })
    }

    @Test func interleaving_changesPlacesOnly() throws {
        let planar = try format(channels: 2)
        let interleaved = try format(channels: 2, interleaved: true)
        let input = try buffer([[1, 2, 3], [-1, -2, -3]], planar)
        let converter = try #require(AVAudioConverter(from: planar, to: interleaved))
        let output = try #require(AVAudioPCMBuffer(pcmFormat: interleaved, frameCapacity: 3))
        try converter.convert(to: output, from: input)
        #expect(Array(UnsafeBufferPointer<Float>(output.audioBufferList.pointee.mBuffers)) == [1, -1, 2, -2, 3, -3])
    }

    @Test func packedAndSwappedIntegers_areRead() throws {
        var description = AudioStreamBasicDescription.pcm(
            48_000, 1, bits: 24, isFloat: false, isBigEndian: true, isInterleaved: true)
        let packed = try #require(AVAudioFormat(streamDescription: &description))
        let input = try #require(AVAudioPCMBuffer(pcmFormat: packed, frameCapacity: 3))
        input.frameLength = 3
        let bytes: [UInt8] = [0x80, 0, 0, 0x40, 0, 0, 0xFF, 0xFF, 0xFF]
        input.mutableAudioBufferList.pointee.mBuffers.mData?.copyMemory(from: bytes, byteCount: 9)
        let output = try #require(AVAudioPCMBuffer(pcmFormat: format(), frameCapacity: 3))
        try #require(AVAudioConverter(from: packed, to: format())).convert(to: output, from: input)
        #expect(try floats(output) == [-1, 0.5, -0x1p-23])
        let back = try #require(AVAudioPCMBuffer(pcmFormat: packed, frameCapacity: 3))
        try #require(AVAudioConverter(from: format(), to: packed)).convert(to: back, from: output)
        #expect(Array(UnsafeBufferPointer<UInt8>(back.audioBufferList.pointee.mBuffers)) == bytes)
    }

    @Test func channelMap_byDefault_keepsPlaces() throws {
        func map(_ from: AVAudioFormat, _ to: AVAudioFormat) throws -> [Int] {
            try #require(AVAudioConverter(from: from, to: to)).channelMap.map(\.intValue)
        }
        let (mono, stereo, five) = (try format(), try format(channels: 2), try surround())
        #expect(try map(stereo, stereo) == [0, 1])
        #expect(try map(mono, stereo) == [0, 0])
        #expect(try map(stereo, mono) == [0])
        #expect(try map(stereo, five) == [0, 1, -1, -1, -1, -1])
        #expect(try map(five, stereo) == [0, 1])
        #expect(try map(five, surround(kAudioChannelLayoutTag_MPEG_5_1_D)) == [2, 0, 1, 4, 5, 3])
        #expect(try map(five, surround(kAudioChannelLayoutTag_WAVE_5_1_B)) == [0, 1, 2, 3, 4, 5])
        #expect(try map(stereo, surround(kAudioChannelLayoutTag_DiscreteInOrder | 4)) == [0, 1, -1, -1])
    }

    @Test func channelMap_setByTheApp_isFollowedWithSilenceForNegatives() throws {
        let discrete = try surround(kAudioChannelLayoutTag_DiscreteInOrder | 4)
        let converter = try #require(AVAudioConverter(from: format(channels: 2), to: discrete))
        converter.channelMap = [-1, 1, 0, 1]
        #expect(converter.channelMap == [-1, 1, 0, 1])
        let output = try #require(AVAudioPCMBuffer(pcmFormat: discrete, frameCapacity: 2))
        for channel in 0..<4 { output.floatChannelData?[channel][0] = 9 }
        try converter.convert(to: output, from: buffer([[0.25, 0.5], [-0.25, -0.5]], format(channels: 2)))
        #expect(
            try (0..<4).map { try floats(output, channel: $0) } == [
                [0, 0], [-0.25, -0.5], [0.25, 0.5], [-0.25, -0.5],
            ])
    }

    @Test(arguments: [[0], [0, 1, 0], [0, 2], []] as [[Int]])
    func channelMap_ofAnotherSizeOrChannel_isIgnored(map: [Int]) throws {
        let converter = try #require(AVAudioConverter(from: format(channels: 2), to: format(channels: 2)))
        converter.channelMap = [1, -7]
        converter.channelMap = map.map { NSNumber(value: $0) }
        #expect(converter.channelMap == [1, -1])
    }

    /// BS.775: centre and surrounds at −3 dB, no low-frequency channel; divided by 1 + √2, the largest sum.
    @Test func downmix_ofSurround_hasTheStatedCoefficients() throws {
        let converter = try #require(AVAudioConverter(from: surround(), to: format(channels: 2)))
        converter.downmix = true
        let output = try #require(AVAudioPCMBuffer(pcmFormat: format(channels: 2), frameCapacity: 6))
        // Frame n has channel n only: the output's frames are the matrix' columns.
        let unit = (0..<6).map { channel in (0..<6).map { $0 == channel ? Float(1) : 0 } }
        try converter.convert(to: output, from: buffer(unit, surround()))
        let (full, less) = (Float(1 / (1 + 2.0.squareRoot())), Float(0.5.squareRoot() / (1 + 2.0.squareRoot())))
        let left = try floats(output, channel: 0)
        let right = try floats(output, channel: 1)
        // The gains are Float32: one step of them at 0.5.
        #expect(zip(left, [full, 0, less, 0, less, 0]).allSatisfy { abs($0 - $1) <= 0x1p-24 }, "\(left)")
        #expect(zip(right, [0, full, less, 0, 0, less]).allSatisfy { abs($0 - $1) <= 0x1p-24 }, "\(right)")
    }

    @Test func downmix_ofStereoToMono_isTheMean() throws {
        let converter = try #require(AVAudioConverter(from: format(channels: 2), to: format()))
        let input = try buffer([[1, 0, 0.5], [0, 1, -0.5]], format(channels: 2))
        let output = try #require(AVAudioPCMBuffer(pcmFormat: format(), frameCapacity: 3))
        try converter.convert(to: output, from: input)
        #expect(try floats(output) == [1, 0, 0.5], "without downmix the right channel is left out")
        converter.downmix = true
        try converter.convert(to: output, from: input)
        #expect(try floats(output) == [0.5, 0.5, 0])
        converter.channelMap = [1]
        try converter.convert(to: output, from: input)
        #expect(try floats(output) == [0, 1, -0.5], "a map that was set goes before downmix")
    }

    @Test func simpleConversion_ofWhatItCannotDo_throws() throws {
        let input = try buffer([[1, 2, 3]], format())
        let output = try #require(AVAudioPCMBuffer(pcmFormat: format(), frameCapacity: 2))
        func error(_ converter: AVAudioConverter?, _ output: AVAudioPCMBuffer) -> NSError? {
            do {
                try converter?.convert(to: output, from: input)
                return nil
            } catch { return error as NSError }
        }
        let small = error(try AVAudioConverter(from: format(), to: format()), output)
        #expect(small?.code == Int(kAudioConverterErr_InvalidOutputSize))
        #expect(small?.localizedDescription.hasPrefix("3 frames do not fit into an output buffer of 2;") == true)
        let other = error(try AVAudioConverter(from: format(), to: format(channels: 2)), output)
        #expect(other?.code == -50 && other?.domain == "com.apple.coreaudio.avfaudio")
        let rated = try AVAudioConverter(from: format(), to: format(rate: 16_000))
        let slow = try #require(AVAudioPCMBuffer(pcmFormat: format(rate: 16_000), frameCapacity: 9))
        #expect(error(rated, slow)?.code == Int(kAudioConverterErr_OperationNotSupported))
    }

    @Test func converter_ofWhatIsNoPCM_isNil() throws {
        let aac = try #require(
            AVAudioFormat(settings: [
                AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 2,
            ]))
        #expect(try AVAudioConverter(from: format(), to: aac) == nil)
        #expect(try AVAudioConverter(from: aac, to: format()) == nil)
        #expect(try AVAudioConverter(from: format(rate: 0), to: format(rate: 0)) == nil)
        #expect(try AVAudioConverter(from: format(rate: 50), to: format()) == nil, "rates from 100 Hz on")
    }

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
            converter.convert(to: output, error: nil) { count, status in
                asked.append(count)
                status.pointee = inputs.isEmpty ? atTheEnd : .haveData
                return inputs.isEmpty ? nil : inputs.removeFirst()
            }
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
        #expect(error?.localizedDescription.contains("it takes no buffer of <AVAudioFormat: 2 ch") == true)
        status = converter.convert(to: stereo, error: &error) { _, _ in nil }
        #expect(status == .error)
        let none = try #require(AVAudioPCMBuffer(pcmFormat: format(), frameCapacity: 0))
        status = converter.convert(to: none, error: &error) { _, _ in nil }
        #expect(status == .error && error?.code == Int(kAudioConverterErr_InvalidOutputSize))
    }

    @Test func dither_carriesWhatIsSmallerThanAStep() throws {
        let step: Float = 1 / 32_768
        let input = try buffer([[Float](repeating: 0.25 * step, count: 100_000)], format())
        let converter = try #require(AVAudioConverter(from: format(), to: format(.pcmFormatInt16)))
        let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 100_000))
        func steps() throws -> [Int] {
            try converter.convert(to: output, from: input)
            let samples = try #require(output.int16ChannelData)[0]
            return (0..<100_000).map { Int(samples[$0]) }
        }
        #expect(try steps().allSatisfy { $0 == 0 })
        converter.dither = true
        let dithered = try steps()
        // The mean of 100 000 values whose deviation is below 1 step: 0.01 is three deviations of it.
        #expect(abs(Double(dithered.reduce(0, +)) / 100_000 - 0.25) < 0.01)
        #expect(Set(dithered) == [-1, 0, 1])
    }

    @Test func dither_whereTheOutputIsNotCoarser_changesNothing() throws {
        let converter = try #require(AVAudioConverter(from: format(.pcmFormatInt16), to: format(.pcmFormatInt32)))
        converter.dither = true
        let input = try #require(AVAudioPCMBuffer(pcmFormat: converter.inputFormat, frameCapacity: 100))
        input.frameLength = 100
        let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 100))
        try converter.convert(to: output, from: input)
        #expect((0..<100).allSatisfy { output.int32ChannelData?[0][$0] == 0 })
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
