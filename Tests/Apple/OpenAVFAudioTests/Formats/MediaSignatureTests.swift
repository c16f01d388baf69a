import Foundation
public import OpenAVFAudio
import OpenAudioSession
import Testing

// As in SignatureTests.swift: these extensions compile only while names, labels, types and `throws` are exactly Apple's.

private protocol FormatShape: NSObject, Sendable {
    init?(streamDescription asbd: UnsafePointer<AudioStreamBasicDescription>)
    init?(
        streamDescription asbd: UnsafePointer<AudioStreamBasicDescription>, channelLayout layout: AVAudioChannelLayout?)
    init?(standardFormatWithSampleRate sampleRate: Double, channels: AVAudioChannelCount)
    init?(settings: [String: Any])
    var isStandard: Bool { get }
    var commonFormat: AVAudioCommonFormat { get }
    var channelCount: AVAudioChannelCount { get }
    var sampleRate: Double { get }
    var isInterleaved: Bool { get }
    var streamDescription: UnsafePointer<AudioStreamBasicDescription> { get }
    var channelLayout: AVAudioChannelLayout? { get }
    var magicCookie: Data? { get set }
    var settings: [String: Any] { get }
}

private protocol BufferShape: NSObject, NSCopying, NSMutableCopying {
    var format: AVAudioFormat { get }
    var audioBufferList: UnsafePointer<AudioBufferList> { get }
    var mutableAudioBufferList: UnsafeMutablePointer<AudioBufferList> { get }
}

private protocol PCMBufferShape: AVAudioBuffer {
    var frameCapacity: AVAudioFrameCount { get }
    var frameLength: AVAudioFrameCount { get set }
    var stride: Int { get }
    var floatChannelData: UnsafePointer<UnsafeMutablePointer<Float>>? { get }
    var int16ChannelData: UnsafePointer<UnsafeMutablePointer<Int16>>? { get }
    var int32ChannelData: UnsafePointer<UnsafeMutablePointer<Int32>>? { get }
}

private protocol FileShape: NSObject {
    var url: URL { get }
    var fileFormat: AVAudioFormat { get }
    var processingFormat: AVAudioFormat { get }
    var length: AVAudioFramePosition { get }
    var framePosition: AVAudioFramePosition { get set }
    var isOpen: Bool { get }
    func read(into buffer: AVAudioPCMBuffer) throws
    func read(into buffer: AVAudioPCMBuffer, frameCount frames: AVAudioFrameCount) throws
    func write(from buffer: AVAudioPCMBuffer) throws
    func close()
}

private protocol TimeShape: NSObject, Sendable {
    static func hostTime(forSeconds seconds: TimeInterval) -> UInt64
    static func seconds(forHostTime hostTime: UInt64) -> TimeInterval
    func extrapolateTime(fromAnchor anchorTime: AVAudioTime) -> AVAudioTime?
    var isHostTimeValid: Bool { get }
    var hostTime: UInt64 { get }
    var isSampleTimeValid: Bool { get }
    var sampleTime: AVAudioFramePosition { get }
    var sampleRate: Double { get }
    var audioTimeStamp: AudioTimeStamp { get }
}

private protocol ConverterShape: NSObject {
    var inputFormat: AVAudioFormat { get }
    var outputFormat: AVAudioFormat { get }
    var channelMap: [NSNumber] { get set }
    var downmix: Bool { get set }
    var dither: Bool { get set }
    var sampleRateConverterQuality: Int { get set }
    var primeMethod: AVAudioConverterPrimeMethod { get set }
    var primeInfo: AVAudioConverterPrimeInfo { get set }
    func reset()
    func convert(to outputBuffer: AVAudioPCMBuffer, from inputBuffer: AVAudioPCMBuffer) throws
    func convert(
        to outputBuffer: AVAudioBuffer, error outError: NSErrorPointer,
        withInputFrom inputBlock: AVAudioConverterInputBlock
    ) -> AVAudioConverterOutputStatus
}

extension AVAudioBuffer: BufferShape {}
extension AVAudioPCMBuffer: PCMBufferShape {}
extension AVAudioFile: FileShape {}
extension AVAudioTime: TimeShape {}
extension AVAudioConverter: ConverterShape {}

// Apps declare this themselves: it must be free.
extension AVAudioPCMBuffer: @unchecked Sendable {}

struct MediaSignatureTests {
    @Test func mediaEnums_haveAppleRawValues() {
        #expect(AVAudioCommonFormat.otherFormat.rawValue == 0 && AVAudioCommonFormat.pcmFormatFloat32.rawValue == 1)
        #expect(AVAudioCommonFormat.pcmFormatFloat64.rawValue == 2 && AVAudioCommonFormat.pcmFormatInt16.rawValue == 3)
        #expect(AVAudioCommonFormat.pcmFormatInt32.rawValue == 4)
        #expect(AVAudioConverterInputStatus.haveData.rawValue == 0)
        #expect(AVAudioConverterInputStatus.noDataNow.rawValue == 1)
        #expect(AVAudioConverterInputStatus.endOfStream.rawValue == 2)
        #expect(AVAudioConverterOutputStatus.haveData.rawValue == 0)
        #expect(AVAudioConverterOutputStatus.inputRanDry.rawValue == 1)
        #expect(AVAudioConverterOutputStatus.endOfStream.rawValue == 2)
        #expect(AVAudioConverterOutputStatus.error.rawValue == 3)
        #expect(AVAudioConverterPrimeMethod.pre.rawValue == 0 && AVAudioConverterPrimeMethod.normal.rawValue == 1)
        #expect(AVAudioConverterPrimeMethod.none.rawValue == 2)
        #expect(AVAudioQuality.min.rawValue == 0 && AVAudioQuality.low.rawValue == 0x20)
        #expect(AVAudioQuality.medium.rawValue == 0x40 && AVAudioQuality.high.rawValue == 0x60)
        #expect(AVAudioQuality.max.rawValue == 0x7F)
    }

    @Test func settingKeys_haveTheTextsThatAppsStore() {
        #expect(AVFormatIDKey == "AVFormatIDKey" && AVSampleRateKey == "AVSampleRateKey")
        #expect(AVNumberOfChannelsKey == "AVNumberOfChannelsKey")
        #expect(AVLinearPCMBitDepthKey == "AVLinearPCMBitDepthKey")
        #expect(AVLinearPCMIsNonInterleaved == "AVLinearPCMIsNonInterleaved")
        #expect(AVEncoderAudioQualityKey == "AVEncoderQualityKey", "the one that is not its own name")
    }

    @Test func mediaTypeAliases_areApplesNumbers() {
        #expect(AVAudioFramePosition.self == Int64.self && AVAudioFrameCount.self == UInt32.self)
        #expect(AVAudioPacketCount.self == UInt32.self && AVAudioChannelCount.self == UInt32.self)
        #expect(AVAudioNodeBus.self == Int.self)
    }
}
