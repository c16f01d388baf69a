import Foundation
import OpenAVFoundation
import Testing

@testable import OpenAVFAudio
@testable import OpenAudioSession

/// Names that apps take from the neighbours of AVFAudio.
@Suite struct NeighbourConstantTests {
    @Test func streamErrors_areFourLetters() {
        let rows: [(OSStatus, String)] = [
            (kAudioFileStreamError_UnsupportedFileType, "typ?"), (kAudioFileStreamError_UnsupportedDataFormat, "fmt?"),
            (kAudioFileStreamError_UnsupportedProperty, "pty?"), (kAudioFileStreamError_BadPropertySize, "!siz"),
            (kAudioFileStreamError_NotOptimized, "optm"), (kAudioFileStreamError_InvalidPacketOffset, "pck?"),
            (kAudioFileStreamError_InvalidFile, "dta?"), (kAudioFileStreamError_ValueUnknown, "unk?"),
            (kAudioFileStreamError_DataUnavailable, "more"), (kAudioFileStreamError_IllegalOperation, "nope"),
            (kAudioFileStreamError_UnspecifiedError, "wht?"),
            (kAudioFileStreamError_DiscontinuityCantRecover, "dsc!"),
        ]
        #expect(rows.count == 12)
        for (value, text) in rows { #expect(value == text.utf8.reduce(0) { $0 << 8 | OSStatus($1) }) }
    }

    @Test func layoutTagsOfUnits_areThoseOfTheirLayouts() {
        let rows: [(AudioChannelLayoutTag, AudioChannelLayoutTag)] = [
            (kAudioChannelLayoutTag_AudioUnit_4, kAudioChannelLayoutTag_Quadraphonic),
            (kAudioChannelLayoutTag_AudioUnit_5, kAudioChannelLayoutTag_Pentagonal),
            (kAudioChannelLayoutTag_AudioUnit_6, kAudioChannelLayoutTag_Hexagonal),
            (kAudioChannelLayoutTag_AudioUnit_8, kAudioChannelLayoutTag_Octagonal),
            (kAudioChannelLayoutTag_AudioUnit_5_0, kAudioChannelLayoutTag_MPEG_5_0_B),
            (kAudioChannelLayoutTag_AudioUnit_5_1, kAudioChannelLayoutTag_MPEG_5_1_A),
            (kAudioChannelLayoutTag_AudioUnit_6_1, kAudioChannelLayoutTag_MPEG_6_1_A),
            (kAudioChannelLayoutTag_AudioUnit_7_1, kAudioChannelLayoutTag_MPEG_7_1_C),
            (kAudioChannelLayoutTag_AudioUnit_7_1_Front, kAudioChannelLayoutTag_MPEG_7_1_A),
        ]
        for (unit, layout) in rows { #expect(unit == layout) }
        let counts: [AudioChannelLayoutTag] = [
            kAudioChannelLayoutTag_AudioUnit_6_0, kAudioChannelLayoutTag_AudioUnit_7_0,
            kAudioChannelLayoutTag_AudioUnit_7_0_Front,
        ]
        #expect(counts.map { $0 & 0xFFFF } == [6, 7, 7])
        #expect(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_AudioUnit_5)?.channelCount == 5)
    }

    @Test func emptyFormat_hasNoChannels() {
        #expect(AVAudioFormat().channelCount == 0 && AVAudioFormat().sampleRate == 0)
        #expect(AVAudioPCMBuffer(pcmFormat: AVAudioFormat(), frameCapacity: 1) == nil)
    }

    @Test func converterAlgorithm_isKept() throws {
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 1))
        let converter = try #require(AVAudioConverter(from: format, to: format))
        #expect(converter.sampleRateConverterAlgorithm == AVSampleRateConverterAlgorithm_Normal)
        converter.sampleRateConverterAlgorithm = AVSampleRateConverterAlgorithm_Mastering
        #expect(converter.sampleRateConverterAlgorithm == "AVSampleRateConverterAlgorithm_Mastering")
        #expect(AVSampleRateConverterAlgorithm_MinimumPhase == "AVSampleRateConverterAlgorithm_MinimumPhase")
        #expect(AVSampleRateConverterAlgorithmKey == "AVSampleRateConverterAlgorithmKey")
    }

    @Test func avError_bridgesToItsDomainAndCode() {
        let error = AVError(.decodeFailed) as NSError
        #expect(error.domain == AVFoundationErrorDomain && error.code == AVError.Code.decodeFailed.rawValue)
        let rows: [(AVError.Code, Int)] = [
            (.unknown, -11800), (.outOfMemory, -11801), (.noDataCaptured, -11805), (.diskFull, -11807),
            (.maximumDurationReached, -11810), (.deviceNotConnected, -11814), (.mediaServicesWereReset, -11819),
            (.exportFailed, -11820), (.decodeFailed, -11821), (.invalidSourceMedia, -11822),
            (.fileAlreadyExists, -11823), (.fileFormatNotRecognized, -11828), (.fileFailedToParse, -11829),
            (.contentIsProtected, -11831), (.decoderNotFound, -11833), (.encoderNotFound, -11834),
            (.contentIsNotAuthorized, -11835), (.applicationIsNotAuthorized, -11836),
            (.operationNotSupportedForAsset, -11838), (.operationInterrupted, -11847),
            (.failedToLoadMediaData, -11849), (.serverIncorrectlyConfigured, -11850),
        ]
        #expect(rows.count == 22)
        // By their short names.
        let short = [
            AVError.unknown, AVError.outOfMemory, AVError.noDataCaptured, AVError.diskFull,
            AVError.maximumDurationReached, AVError.deviceNotConnected, AVError.mediaServicesWereReset,
            AVError.exportFailed, AVError.decodeFailed, AVError.invalidSourceMedia, AVError.fileAlreadyExists,
            AVError.fileFormatNotRecognized, AVError.fileFailedToParse, AVError.contentIsProtected,
            AVError.decoderNotFound, AVError.encoderNotFound, AVError.contentIsNotAuthorized,
            AVError.applicationIsNotAuthorized, AVError.operationNotSupportedForAsset, AVError.operationInterrupted,
            AVError.failedToLoadMediaData, AVError.serverIncorrectlyConfigured,
        ]
        #expect(short == rows.map(\.0))
        for (code, raw) in rows { #expect(code.rawValue == raw) }
        #expect(AVError(.unknown).errorCode == -11800 && AVError(.unknown).code == .unknown)
        #expect(AVError.errorDomain == AVFoundationErrorDomain)
    }

    @Test func initialiserOfThePlayer_servesAnAppsProtocol() {
        func open<Player: SoundPlayer>(_ type: Player.Type) throws -> Player {
            try type.init(contentsOf: URL(fileURLWithPath: "/nowhere"))
        }
        #expect(throws: (any Error).self) { try open(AVAudioPlayer.self) }
    }

    @Test func unit_fromADescription_isTheEffectOrAnError() async throws {
        var description = AudioComponentDescription()
        description.componentType = kAudioUnitType_FormatConverter
        description.componentSubType = kAudioUnitSubType_NewTimePitch
        #expect(try await AVAudioUnit.instantiate(with: description, options: []) is AVAudioUnitTimePitch)
        #expect(AVAudioUnitTimePitch(audioComponentDescription: description).rate == 1)
        description.componentSubType = kAudioUnitSubType_TimePitch
        #expect(AVAudioUnitTimePitch(audioComponentDescription: description).pitch == 0)
        description.componentSubType = kAudioUnitSubType_AUiPodTimeOther
        #expect(AVAudioUnitTimePitch(audioComponentDescription: description).overlap == 8)
        description.componentSubType = kAudioUnitSubType_Varispeed
        let unit = await withCheckedContinuation { continuation in
            AVAudioUnit.instantiate(with: description, options: [.loadOutOfProcess, .loadInProcess]) { unit, error in
                continuation.resume(returning: unit is AVAudioUnitVarispeed && error == nil)
            }
        }
        #expect(unit)
        #expect(AVAudioUnitTimeEffect(audioComponentDescription: description).name == "AUVarispeed")
        description.componentSubType = 0
        let refused = await #expect(throws: NSError.self) { _ = try await AVAudioUnit.instantiate(with: description) }
        #expect(refused?.code == -3000)
    }
}

/// As SwiftySound declares it.
private protocol SoundPlayer: AnyObject { init(contentsOf url: URL) throws }
extension AVAudioPlayer: SoundPlayer {}
