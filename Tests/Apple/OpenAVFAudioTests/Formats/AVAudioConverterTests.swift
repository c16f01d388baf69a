import Foundation
import OpenAVFAudio
import Testing

struct AVAudioConverterTests: ConverterTesting {
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
}
