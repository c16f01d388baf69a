import Foundation
import OpenAVFAudio
import Synchronization
import Testing

struct PCMBufferTests {
    private func format(
        _ common: AVAudioCommonFormat, channels: UInt32 = 2, interleaved: Bool
    ) throws -> AVAudioFormat {
        try #require(
            AVAudioFormat(commonFormat: common, sampleRate: 48_000, channels: channels, interleaved: interleaved))
    }

    @Test func newBuffer_isEmptyAndSilent() throws {
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: try format(.pcmFormatFloat32, interleaved: false), frameCapacity: 100))
        #expect(buffer.frameCapacity == 100 && buffer.frameLength == 0)
        let channels = try #require(buffer.floatChannelData)
        #expect((0..<2).allSatisfy { channel in (0..<100).allSatisfy { channels[channel][$0] == 0 } })
        #expect(buffer.int16ChannelData == nil && buffer.int32ChannelData == nil)
    }

    @Test func channels_whileApart_haveMemoryOfTheirOwn() throws {
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: try format(.pcmFormatFloat32, interleaved: false), frameCapacity: 4))
        buffer.frameLength = 4
        #expect(buffer.stride == 1)
        let channels = try #require(buffer.floatChannelData)
        for frame in 0..<4 {
            channels[0][frame] = Float(frame)
            channels[1][frame] = Float(-frame)
        }
        let list = UnsafeMutableAudioBufferListPointer(buffer.mutableAudioBufferList)
        #expect(list.count == 2 && list.allSatisfy { $0.mNumberChannels == 1 && $0.mDataByteSize == 16 })
        #expect(Array(UnsafeBufferPointer<Float>(list[0])) == [0, 1, 2, 3])
        #expect(Array(UnsafeBufferPointer<Float>(list[1])) == [0, -1, -2, -3])
    }

    @Test func channels_whileInterleaved_areOneSampleApart() throws {
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: try format(.pcmFormatInt16, interleaved: true), frameCapacity: 3))
        buffer.frameLength = 3
        #expect(buffer.stride == 2 && buffer.floatChannelData == nil)
        let channels = try #require(buffer.int16ChannelData)
        #expect(channels[1] == channels[0] + 1)
        for frame in 0..<3 {
            channels[0][frame * buffer.stride] = Int16(frame)
            channels[1][frame * buffer.stride] = Int16(10 + frame)
        }
        let list = UnsafeMutableAudioBufferListPointer(buffer.mutableAudioBufferList)
        #expect(list.count == 1 && list[0].mNumberChannels == 2 && list[0].mDataByteSize == 12)
        #expect(Array(UnsafeBufferPointer<Int16>(list[0])) == [0, 10, 1, 11, 2, 12])
    }

    @Test func int32Buffer_hasItsPointersAndNoOthers() throws {
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: try format(.pcmFormatInt32, channels: 1, interleaved: true), frameCapacity: 1))
        #expect(buffer.int32ChannelData != nil && buffer.int16ChannelData == nil && buffer.floatChannelData == nil)
    }

    @Test func byteSizes_followLengthInOneListAndCapacityInTheOther() throws {
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: try format(.pcmFormatFloat64, interleaved: false), frameCapacity: 10))
        #expect(buffer.audioBufferList.pointee.mBuffers.mDataByteSize == 0)
        buffer.frameLength = 7
        let valid = UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: buffer.audioBufferList))
        #expect(valid.map(\.mDataByteSize) == [56, 56])
        let whole = UnsafeMutableAudioBufferListPointer(buffer.mutableAudioBufferList)
        #expect(whole.map(\.mDataByteSize) == [80, 80])
        #expect(valid.map(\.mData) == whole.map(\.mData))
    }

    @Test func frameLength_beyondTheCapacity_traps() async {
        await #expect(processExitsWith: .failure) {
            let format = AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 1)!
            AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 10)!.frameLength = 11
        }
    }

    @Test func buffer_ofWhatIsNoPCMOrTooLarge_isNil() throws {
        var aac = AudioStreamBasicDescription()
        aac.mFormatID = kAudioFormatMPEG4AAC
        aac.mChannelsPerFrame = 2
        let compressed = try #require(AVAudioFormat(streamDescription: &aac))
        #expect(AVAudioPCMBuffer(pcmFormat: compressed, frameCapacity: 1) == nil)
        let stereo = try format(.pcmFormatFloat64, interleaved: true)
        #expect(AVAudioPCMBuffer(pcmFormat: stereo, frameCapacity: 1 << 28) == nil, "2^32 bytes")
        var narrow = AudioStreamBasicDescription.pcm(48_000, 2, bits: 8, isFloat: false, isInterleaved: true)
        narrow.mBytesPerFrame = 1
        #expect(
            AVAudioPCMBuffer(pcmFormat: try #require(AVAudioFormat(streamDescription: &narrow)), frameCapacity: 1)
                == nil)
    }

    @Test func bufferWithoutRoom_isABuffer() throws {
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: try format(.pcmFormatFloat32, interleaved: false), frameCapacity: 0))
        buffer.frameLength = 0
        #expect(buffer.frameCapacity == 0 && buffer.floatChannelData != nil)
    }

    @Test func copy_hasTheSamplesInMemoryOfItsOwn() throws {
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: try format(.pcmFormatFloat32, interleaved: false), frameCapacity: 4))
        buffer.frameLength = 2
        let bits: [UInt32] = [0x7FC0_1234, 0x8000_0000, 0x0000_0001, 0xFF80_0000]
        for (frame, pattern) in bits.enumerated() { buffer.floatChannelData?[1][frame] = Float(bitPattern: pattern) }
        for copied in [buffer.copy(), buffer.mutableCopy()] {
            let copy = try #require(copied as? AVAudioPCMBuffer)
            #expect(copy !== buffer && copy.format == buffer.format)
            #expect(copy.frameLength == 2 && copy.frameCapacity == 4)
            let channel = try #require(copy.floatChannelData)[1]
            #expect((0..<4).map { channel[$0].bitPattern } == bits, "bit by bit, those beyond the length too")
            #expect(channel != buffer.floatChannelData?[1])
        }
    }

    @Test func noCopy_usesTheMemoryAndGivesItBack() throws {
        let returned = Mutex<[UInt32]>([])
        var samples: [Float] = [1, 2, 3, 4, 5, 6]
        try samples.withUnsafeMutableBufferPointer { memory in
            var list = AudioBufferList(mNumberBuffers: 1, mBuffers: AudioBuffer(memory, numberOfChannels: 2))
            let format = try format(.pcmFormatFloat32, interleaved: true)
            var buffer = AVAudioPCMBuffer(pcmFormat: format, bufferListNoCopy: &list) { given in
                returned.withLock { $0.append(given.pointee.mBuffers.mDataByteSize) }
            }
            #expect(buffer?.frameCapacity == 3 && buffer?.frameLength == 3)
            #expect(buffer?.floatChannelData?[0] == memory.baseAddress)
            buffer?.floatChannelData?[1][2] = 60
            #expect(returned.withLock { $0 }.isEmpty)
            buffer = nil
            #expect(returned.withLock { $0 } == [24])
        }
        #expect(samples == [1, 2, 3, 60, 5, 6])
    }

    @Test func noCopy_ofAListThatDoesNotFit_isNil() throws {
        let planar = try format(.pcmFormatFloat32, interleaved: false)
        let interleaved = try format(.pcmFormatFloat32, interleaved: true)
        var list = AudioBufferList(
            mNumberBuffers: 1, mBuffers: AudioBuffer(mNumberChannels: 2, mDataByteSize: 8, mData: nil))
        #expect(AVAudioPCMBuffer(pcmFormat: planar, bufferListNoCopy: &list) == nil, "two channels, one buffer")
        #expect(AVAudioPCMBuffer(pcmFormat: interleaved, bufferListNoCopy: &list) == nil, "no address")
        var sample: Float = 0
        withUnsafeMutablePointer(to: &sample) { pointer in
            list.mBuffers = AudioBuffer(mNumberChannels: 2, mDataByteSize: 4, mData: pointer)
            #expect(AVAudioPCMBuffer(pcmFormat: interleaved, bufferListNoCopy: &list) == nil, "less than a frame")
        }
    }
}
