import Foundation
import OpenAVFAudio
import OpenAudioSession
import Testing

struct AVAudioFormatTests {
    @Test func standardFormat_isFloat32WithChannelsApart() throws {
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2))
        #expect(format.isStandard && format.commonFormat == .pcmFormatFloat32 && !format.isInterleaved)
        #expect(format.sampleRate == 44_100 && format.channelCount == 2 && format.channelLayout == nil)
        let description = format.streamDescription.pointee
        #expect(description.mFormatID == kAudioFormatLinearPCM)
        #expect(description.mFormatFlags == 41, "float, packed, non-interleaved")
        #expect(description.mBytesPerFrame == 4 && description.mBytesPerPacket == 4)
        #expect(description.mFramesPerPacket == 1 && description.mBitsPerChannel == 32)
        #expect(format.description == "<AVAudioFormat: 2 ch, 44100.0 Hz, Float32, deinterleaved>")
    }

    @Test(arguments: [
        (AVAudioCommonFormat.pcmFormatFloat32, false, UInt32(41), UInt32(4)), (.pcmFormatFloat32, true, 9, 8),
        (.pcmFormatFloat64, false, 41, 8), (.pcmFormatFloat64, true, 9, 16),
        (.pcmFormatInt16, false, 44, 2), (.pcmFormatInt16, true, 12, 4),
        (.pcmFormatInt32, false, 44, 4), (.pcmFormatInt32, true, 12, 8),
    ])
    func commonFormat_hasItsDescriptionAndIsReadBackFromIt(
        common: AVAudioCommonFormat, interleaved: Bool, flags: UInt32, bytes: UInt32
    ) throws {
        let format = try #require(
            AVAudioFormat(commonFormat: common, sampleRate: 48_000, channels: 2, interleaved: interleaved))
        #expect(format.streamDescription.pointee.mFormatFlags == flags)
        #expect(format.streamDescription.pointee.mBytesPerFrame == bytes)
        #expect(format.commonFormat == common && format.isInterleaved == interleaved)
        let again = try #require(AVAudioFormat(streamDescription: format.streamDescription))
        #expect(again.isEqual(format) && again.hash == format.hash)
        #expect(try #require(AVAudioFormat(settings: format.settings)).isEqual(format))
    }

    @Test func init_withMoreThanTwoChannelsAndNoLayout_isNil() throws {
        #expect(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 3) == nil)
        #expect(
            AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 48_000, channels: 6, interleaved: true) == nil)
        let layout = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_MPEG_5_1_A))
        let surround = AVAudioFormat(standardFormatWithSampleRate: 48_000, channelLayout: layout)
        #expect(surround.channelCount == 6 && surround.channelLayout == layout)
        #expect(AVAudioFormat(streamDescription: surround.streamDescription) == nil)
        let described = AVAudioFormat(streamDescription: surround.streamDescription, channelLayout: layout)
        #expect(described == surround)
        let quad = AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_Quadraphonic)
        #expect(AVAudioFormat(streamDescription: surround.streamDescription, channelLayout: quad) == nil)
    }

    @Test(arguments: [-1, .nan, .infinity] as [Double])
    func init_withARateThatIsNone_isNil(rate: Double) {
        #expect(AVAudioFormat(standardFormatWithSampleRate: rate, channels: 1) == nil)
        #expect(AVAudioFormat(settings: [AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: rate]) == nil)
    }

    @Test func init_withNoChannelsOrOtherFormat_isNil() {
        #expect(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 0) == nil)
        #expect(AVAudioFormat(commonFormat: .otherFormat, sampleRate: 48_000, channels: 1, interleaved: true) == nil)
    }

    @Test func otherFormatWithALayout_makesAFormatWithoutWidth() throws {
        let layout = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_Stereo))
        let format = AVAudioFormat(
            commonFormat: .otherFormat, sampleRate: 48_000, interleaved: false, channelLayout: layout)
        #expect(format.commonFormat == .otherFormat && format.streamDescription.pointee.mBytesPerFrame == 0)
        #expect(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 1) == nil)
    }

    @Test func formats_areEqualByWhatTheySay() throws {
        let plain = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2))
        let stereo = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_Stereo))
        let laidOut = AVAudioFormat(standardFormatWithSampleRate: 48_000, channelLayout: stereo)
        #expect(plain == laidOut && plain.hash == laidOut.hash, "two channels are stereo")
        let headphones = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_StereoHeadphones))
        #expect(plain != AVAudioFormat(standardFormatWithSampleRate: 48_000, channelLayout: headphones))
        #expect(plain != AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2))
        #expect(plain != AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 1))
        #expect(!plain.isEqual("a text") && !plain.isEqual(nil))
    }

    @Test func settings_sayWhatTheFormatSays() throws {
        let format = try #require(
            AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 8_000, channels: 1, interleaved: true))
        let settings = format.settings
        #expect(settings[AVFormatIDKey] as? UInt32 == kAudioFormatLinearPCM)
        #expect(settings[AVFormatIDKey] as? Int == Int(kAudioFormatLinearPCM))
        #expect(settings[AVSampleRateKey] as? Double == 8_000)
        #expect(settings[AVNumberOfChannelsKey] as? Int == 1)
        #expect(settings[AVLinearPCMBitDepthKey] as? Int == 16)
        #expect(settings[AVLinearPCMIsFloatKey] as? Bool == false)
        #expect(settings[AVLinearPCMIsBigEndianKey] as? Bool == false)
        #expect(settings[AVLinearPCMIsNonInterleaved] as? Bool == false)
        let layout = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_MPEG_5_0_A))
        let surround = AVAudioFormat(standardFormatWithSampleRate: 48_000, channelLayout: layout)
        #expect(surround.settings[AVChannelLayoutKey] is Data)
        #expect(AVAudioFormat(settings: surround.settings) == surround)
    }

    /// As apps write them: numbers of any type, or a part of the keys.
    @Test func settings_asAppsWriteThem_makeAFormat() throws {
        let aac = try #require(
            AVAudioFormat(settings: [
                AVFormatIDKey: Int(kAudioFormatMPEG4AAC), AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 2,
                AVEncoderAudioQualityKey: AVAudioQuality.high.rawValue,
            ]))
        #expect(aac.commonFormat == .otherFormat && aac.streamDescription.pointee.mFormatID == kAudioFormatMPEG4AAC)
        #expect(aac.description == "<AVAudioFormat: 2 ch, 44100.0 Hz, 'aac '>")
        let pcm = AVAudioFormat(settings: [
            AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 16_000.0, AVNumberOfChannelsKey: UInt32(1),
        ])
        #expect(pcm?.commonFormat == .pcmFormatInt16 && pcm?.isInterleaved == true)
        #expect(AVAudioFormat(settings: [:]) == nil)
        #expect(AVAudioFormat(settings: [AVFormatIDKey: "lpcm", AVSampleRateKey: 1, AVNumberOfChannelsKey: 1]) == nil)
        #expect(
            AVAudioFormat(settings: [
                AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1,
                AVLinearPCMBitDepthKey: 7,
            ]) == nil)
    }

    @Test func streamDescription_ofAnotherWidthOrOrder_isOtherFormat() throws {
        var description = AudioStreamBasicDescription.pcm(48_000, 2, bits: 24, isFloat: false, isInterleaved: true)
        #expect(AVAudioFormat(streamDescription: &description)?.commonFormat == .otherFormat)
        description = .pcm(48_000, 2, bits: 16, isFloat: false, isBigEndian: true, isInterleaved: true)
        #expect(AVAudioFormat(streamDescription: &description)?.commonFormat == .otherFormat)
        description = .pcm(48_000, 2, bits: 16, isFloat: false, isInterleaved: true)
        description.mBytesPerFrame = 2
        #expect(AVAudioFormat(streamDescription: &description)?.commonFormat == .otherFormat, "too few bytes for two")
    }

    @Test func magicCookie_isKept() throws {
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 1))
        #expect(format.magicCookie == nil)
        format.magicCookie = Data([1, 2])
        #expect(format.magicCookie == Data([1, 2]))
    }
}
