import Foundation
import OpenAVFAudio
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

    @Test func constants_haveTheValuesOfCoreAudio() {
        #expect(noErr == 0)
        #expect(kAudioFormatLinearPCM == 0x6C70_636D)
        #expect(kAudioFormatMPEG4AAC == 0x6161_6320)
        #expect(kAudioFormatFlagIsFloat == 1 && kAudioFormatFlagIsNonInterleaved == 32)
        #expect(kAudioChannelLayoutTag_Stereo == 101 << 16 | 2)
        #expect(kAudioChannelLayoutTag_MPEG_5_1_A == 121 << 16 | 6)
        #expect(kAudioFileUnspecifiedError == 2_003_334_207)
        #expect(AudioTimeStampFlags.sampleHostTimeValid == [.sampleTimeValid, .hostTimeValid])
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
