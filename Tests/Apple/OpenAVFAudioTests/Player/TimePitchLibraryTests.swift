import EngineCore
import RuntimeTestSupport
import TestAudio
import Testing

@testable import OpenAVFAudio
@testable import OpenAVFoundation
@testable import OpenAudioSession

/// Time pitch in a program with only one of the classes that need it: none needs a call by the app.
@Suite struct TimePitchLibraryTests {
    @Test func player_ofAFile_bringsTheLibraryOfTimePitches() async {
        await #expect(processExitsWith: .success) {
            #expect(TimePitchLibraries.registered == nil)
            let machine = try AppMachine()
            let player = try machine.audioPlayer(seconds: 0.1)
            #expect(player.prepareToPlay())
            #expect(TimePitchLibraries.registered?.isInstalled == true)
        }
    }

    @Test func player_ofItems_bringsTheLibraryOfTimePitches() async {
        await #expect(processExitsWith: .success) {
            #expect(TimePitchLibraries.registered == nil)
            let machine = try AppMachine()
            let player = AVAudioSession.$taskSession.withValue(machine.session) { AVPlayer() }
            #expect(TimePitchLibraries.registered?.isInstalled == true)
            withExtendedLifetime(player) {}
        }
    }

    @Test func timePitch_ofAnEngine_bringsItsLibrary() async {
        await #expect(processExitsWith: .success) {
            #expect(TimePitchLibraries.registered == nil)
            #expect(AVAudioUnitTimePitch().rate == 1)
            #expect(TimePitchLibraries.registered?.isInstalled == true)
        }
    }
}
