import Foundation
import OpenAVFAudio
import OpenAVFoundation
import OpenAudioSession
import Testing

/// The C types: their layout is checked where they are declared; here is what Swift code does with them.
struct AudioTypesTests {
    @Test func audioBufferList_whileAllocated_isACollectionOfItsBuffers() {
        let list = AudioBufferList.allocate(maximumBuffers: 3)
        defer { free(list.unsafeMutablePointer) }
        var samples: [Float] = [1, 2, 3, 4]
        samples.withUnsafeMutableBufferPointer { memory in
            list[1] = AudioBuffer(memory, numberOfChannels: 2)
            #expect(list.map(\.mDataByteSize) == [0, 16, 0])
            #expect(list.map(\.mNumberChannels) == [0, 2, 0])
            #expect(Array(UnsafeBufferPointer<Float>(list[1])) == [1, 2, 3, 4])
            UnsafeMutableBufferPointer<Float>(list[1])[3] = 9
            #expect(memory[3] == 9)
        }
        #expect(AudioBufferList.sizeInBytes(maximumBuffers: 3) == 24 + 2 * 16)
        list.count = 2
        #expect(list.count == 2 && list.unsafePointer.pointee.mNumberBuffers == 2)
        #expect(UnsafeMutableAudioBufferListPointer(Optional<UnsafeMutablePointer<AudioBufferList>>.none) == nil)
    }

    @Test func audioBufferList_whileIndexIsBeyondItsCount_traps() async {
        await #expect(processExitsWith: .failure) {
            let list = AudioBufferList.allocate(maximumBuffers: 1)
            _ = list[1]
        }
    }

    @Test(arguments: [
        (kAudioFormatLinearPCM, "lpcm"), (kAudioFormatAppleLossless, "alac"), (kAudioFormatFLAC, "flac"),
        (kAudioFormatOpus, "opus"), (kAudioFormatMPEGLayer1, ".mp1"), (kAudioFormatMPEGLayer2, ".mp2"),
        (kAudioFormatMPEGLayer3, ".mp3"), (kAudioFormatULaw, "ulaw"), (kAudioFormatALaw, "alaw"),
        (kAudioFormatAppleIMA4, "ima4"), (kAudioFormatMPEG4AAC, "aac "),
        (kAudioUnitSubType_AUiPodTimeOther, "ipto"),
        (kCMMediaType_Audio, "soun"), (kAudioFileAIFFType, "AIFF"),
        (kAudioFileAIFCType, "AIFC"), (kAudioFileWAVEType, "WAVE"), (kAudioFileRF64Type, "RF64"),
        (kAudioFileNextType, "NeXT"), (kAudioFileCAFType, "caff"), (kAudioFileFLACType, "flac"),
        (kAudioFileMPEG4Type, "mp4f"), (kAudioFileM4AType, "m4af"), (kAudioFileM4BType, "m4bf"),
        (kAudioFile3GPType, "3gpp"), (kAudioFile3GP2Type, "3gp2"), (kAudioFileAC3Type, "ac-3"),
        (kAudioFileAAC_ADTSType, "adts"), (kAudioFileMP3Type, "MPG3"),
        (UInt32(bitPattern: kAudioFileUnspecifiedError), "wht?"),
        (UInt32(bitPattern: kAudioFileUnsupportedFileTypeError), "typ?"),
        (UInt32(bitPattern: kAudioFileUnsupportedDataFormatError), "fmt?"),
        (UInt32(bitPattern: kAudioFileInvalidFileError), "dta?"),
        (UInt32(bitPattern: kAudioFilePermissionsError), "prm?"),
        (UInt32(bitPattern: kAudioConverterErr_FormatNotSupported), "fmt?"),
        (UInt32(bitPattern: kAudioConverterErr_OperationNotSupported), "op??"),
        (UInt32(bitPattern: kAudioConverterErr_InvalidOutputSize), "otsz"),
        (UInt32(bitPattern: kAudioConverterErr_UnspecifiedError), "what"),
    ])
    func fourCharacterCodes_areCoreAudios(code: UInt32, characters: String) {
        #expect(code == characters.utf8.reduce(0) { $0 << 8 | UInt32($1) })
    }

    @Test func numbers_areCoreAudios() {
        #expect(noErr == 0 && kAudio_ParamError == -50 && OSStatus.self == Int32.self)
        #expect(kAudioFileEndOfFileError == -39 && kAudioFileNotOpenError == -38)
        #expect(kAudioFileFileNotFoundError == -43 && kAudioFileUnspecifiedError == 2_003_334_207)
        let flags = [
            kAudioFormatFlagIsFloat, kAudioFormatFlagIsBigEndian, kAudioFormatFlagIsSignedInteger,
            kAudioFormatFlagIsPacked, kAudioFormatFlagIsAlignedHigh, kAudioFormatFlagIsNonInterleaved,
            kAudioFormatFlagIsNonMixable,
        ]
        #expect(flags == [1, 2, 4, 8, 16, 32, 64] && kAudioFormatFlagsAreAllClear == 0x8000_0000)
        let linear = [
            kLinearPCMFormatFlagIsFloat, kLinearPCMFormatFlagIsBigEndian, kLinearPCMFormatFlagIsSignedInteger,
            kLinearPCMFormatFlagIsPacked, kLinearPCMFormatFlagIsNonInterleaved,
        ]
        #expect(linear == [1, 2, 4, 8, 32])
        // What this machine has; the header has the other order, too.
        #expect(kAudioFormatFlagsNativeEndian == (1.bigEndian == 1 ? 2 : 0))
        #expect(kAudioFormatFlagsNativeFloatPacked == kAudioFormatFlagsNativeEndian | 9)
        #expect(AudioTimeStampFlags.sampleHostTimeValid == [.sampleTimeValid, .hostTimeValid])
        #expect(AudioChannelBitmap.bit_LFEScreen.rawValue == 8 && AudioChannelFlags.meters.rawValue == 4)
        #expect(SMPTETimeType.type30.rawValue == 3 && SMPTETimeFlags.running.rawValue == 2)
        #expect(
            [AudioFormatID.self, AudioFormatFlags.self, AudioChannelLayoutTag.self].allSatisfy { $0 == UInt32.self })
        #expect(AudioFileTypeID.self == UInt32.self)
    }

    @Test(
        arguments: [
            (kAudioChannelLayoutTag_UseChannelDescriptions, 0, 0), (kAudioChannelLayoutTag_UseChannelBitmap, 1, 0),
            (kAudioChannelLayoutTag_Mono, 100, 1), (kAudioChannelLayoutTag_Stereo, 101, 2),
            (kAudioChannelLayoutTag_StereoHeadphones, 102, 2), (kAudioChannelLayoutTag_Quadraphonic, 108, 4),
            (kAudioChannelLayoutTag_MPEG_3_0_A, 113, 3), (kAudioChannelLayoutTag_MPEG_3_0_B, 114, 3),
            (kAudioChannelLayoutTag_MPEG_4_0_A, 115, 4), (kAudioChannelLayoutTag_MPEG_5_0_A, 117, 5),
            (kAudioChannelLayoutTag_MPEG_5_0_B, 118, 5), (kAudioChannelLayoutTag_MPEG_5_0_C, 119, 5),
            (kAudioChannelLayoutTag_MPEG_5_0_D, 120, 5), (kAudioChannelLayoutTag_MPEG_5_1_A, 121, 6),
            (kAudioChannelLayoutTag_MPEG_5_1_B, 122, 6), (kAudioChannelLayoutTag_MPEG_5_1_C, 123, 6),
            (kAudioChannelLayoutTag_MPEG_5_1_D, 124, 6), (kAudioChannelLayoutTag_MPEG_6_1_A, 125, 7),
            (kAudioChannelLayoutTag_MPEG_7_1_C, 128, 8), (kAudioChannelLayoutTag_WAVE_4_0_B, 185, 4),
            (kAudioChannelLayoutTag_WAVE_5_0_B, 186, 5), (kAudioChannelLayoutTag_WAVE_5_1_B, 187, 6),
            (kAudioChannelLayoutTag_WAVE_6_1, 188, 7), (kAudioChannelLayoutTag_WAVE_7_1, 189, 8),
            (kAudioChannelLayoutTag_DiscreteInOrder, 147, 0), (kAudioChannelLayoutTag_Unknown, 0xFFFF, 0),
        ] as [(AudioChannelLayoutTag, UInt32, UInt32)])
    func layoutTags_areCoreAudiosAndEndInTheirChannelCount(tag: UInt32, number: UInt32, channels: UInt32) {
        #expect(tag == number << 16 | channels)
        if let layout = AVAudioChannelLayout(layoutTag: tag) { #expect(layout.places.count == Int(channels)) }
    }

    @Test func structs_haveTheSizesOfCoreAudios() {
        #expect(MemoryLayout<AudioStreamBasicDescription>.size == 40 && MemoryLayout<AudioTimeStamp>.size == 64)
        #expect(MemoryLayout<AudioBufferList>.size == 24 && MemoryLayout<AudioBuffer>.size == 16)
        #expect(MemoryLayout<AudioChannelLayout>.size == 32 && MemoryLayout<AudioChannelDescription>.size == 20)
        #expect(MemoryLayout<AudioStreamPacketDescription>.size == 16 && MemoryLayout<SMPTETime>.size == 24)
    }

    @Test func errorPointer_takesTheAddressOfAVariable() {
        func fail(_ error: NSErrorPointer) {
            error?.pointee = NSError(domain: NSOSStatusErrorDomain, code: -50)
        }
        var error: NSError?
        fail(&error)
        fail(nil)
        #expect(error?.code == -50)
    }
}
