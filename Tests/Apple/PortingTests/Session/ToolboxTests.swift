import AudioToolbox
import CoreAudio
import CoreAudioTypes
import MediaToolbox
import OpenAVFAudio
import OpenAVFoundation
import OpenAudioSession
import Testing

/// Files that import only AudioToolbox, CoreAudio or MediaToolbox.
@Suite struct ToolboxTests {
    @Test func modules_haveTheTypesOfTheirNames() {
        var format = AudioStreamBasicDescription()
        format.mFormatID = kAudioFormatLinearPCM
        let status: OSStatus = noErr
        #expect(status == 0 && format.mFormatID != 0)
        let property: AudioUnitPropertyID = kAudioOutputUnitProperty_ChannelMap
        #expect(property == 2002 && kAudioUnitScope_Output == 2)
        #expect("\(AUAudioUnit.self)" == "AUAudioUnit")
        #expect(kAudioFileStreamError_UnsupportedFileType == 0x7479_703f)
    }

    @Test func memory_ofBuffersWithoutAny_isLeftAlone() {
        var samples: [Float] = [1, 2]
        let bytes = samples.count * MemoryLayout<Float>.size
        let empty = AudioBuffer()
        var full = empty
        samples.withUnsafeMutableBytes { memory in
            full.mData = memory.baseAddress
            memset(empty.mData, 0, bytes)
            memcpy(empty.mData, full.mData, bytes)
            memcpy(full.mData, empty.mData, bytes)
            #expect(memory.loadUnaligned(fromByteOffset: 4, as: Float.self) == 2)
            memset(full.mData, 0, bytes / 2)
            memcpy(full.mData!, memory.baseAddress! + 4, 4)
        }
        #expect(samples == [2, 2])
    }

    /// As apps write it for iOS.
    @Test func tap_isCreated_asOnIOS() {
        let process: MTAudioProcessingTapProcessCallback = { tap, frames, flags, list, framesOut, flagsOut in
            let status = MTAudioProcessingTapGetSourceAudio(tap, frames, list, flagsOut, nil, framesOut)
            if status != noErr { print("no sound: \(status)") }
        }
        let start: MTAudioProcessingTapInitCallback = { _, clientInfo, storage in storage.pointee = clientInfo }
        let finalize: MTAudioProcessingTapFinalizeCallback = { _ in }
        let prepare: MTAudioProcessingTapPrepareCallback = { _, frames, format in }
        let unprepare: MTAudioProcessingTapUnprepareCallback = { _ in }
        var callbacks = MTAudioProcessingTapCallbacks(
            version: kMTAudioProcessingTapCallbacksVersion_0, clientInfo: nil, init: start, finalize: finalize,
            prepare: prepare, unprepare: unprepare, process: process)
        let allocator: CFAllocator? = kCFAllocatorDefault
        var tap: Unmanaged<MTAudioProcessingTap>?
        let status = MTAudioProcessingTapCreate(
            allocator, &callbacks, kMTAudioProcessingTapCreationFlag_PostEffects, &tap)
        #expect(status == noErr && tap?.takeRetainedValue() != nil)
    }
}
