import AudioToolbox
import CoreAudio
import Testing

/// Files that import only AudioToolbox or CoreAudio.
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
}
