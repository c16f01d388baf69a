import CAudioTypes
import Foundation
import OpenAVFAudioTestKit
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFAudio

/// What the numbers of system sounds stand for.
@Suite struct SystemSoundTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func create(_ path: String) -> (status: OSStatus, id: SystemSoundID) {
        var id: SystemSoundID = 0
        return (AudioServicesCreateSystemSoundID(URL(filePath: path), &id), id)
    }

    @Test func systemSound_isOfAFileOfAtMost30Seconds() throws {
        let short = create(try TestFile.write(.ramp, seconds: 0.1, in: directory))
        let other = create(try TestFile.write(.ramp, seconds: 30, sampleRate: 8_000, in: directory))
        #expect((short.status, other.status) == (0, 0) && short.id > 4095 && other.id > short.id)
        let long = create(try TestFile.write(.ramp, seconds: 30.1, sampleRate: 8_000, in: directory))
        #expect(long == (kAudioServicesSystemSoundExceededMaximumDurationError, 0))
        #expect(create(try TestFile.notAudio(in: directory)) == (kAudioServicesSystemSoundUnspecifiedError, 0))
        #expect(create(directory.path("missing.wav")) == (kAudioServicesSystemSoundUnspecifiedError, 0))
        #expect(kAudioServicesSystemSoundExceededMaximumDurationError == -1502)
        #expect(kAudioServicesSystemSoundUnspecifiedError == -1500)
        for id in [short.id, other.id] { #expect(AudioServicesDisposeSystemSoundID(id) == kAudioServicesNoError) }
        #expect(AudioServicesDisposeSystemSoundID(short.id) == kAudioServicesSystemSoundUnspecifiedError)
        #expect(AudioServicesDisposeSystemSoundID(kSystemSoundID_Vibrate) == -1500)
    }

    /// Vibration and unknown numbers end at once, without sound; files sound.
    @Test func systemSound_soundsOnce() async throws {
        let sound = create(try TestFile.write(.sine(hertz: 440), seconds: 0.2, in: directory))
        try await AudioSimulator.run(.phone) { phone in
            let ends = History<String>()
            AudioServicesPlaySystemSoundWithCompletion(kSystemSoundID_Vibrate) { ends.append("vibration") }
            AudioServicesPlayAlertSoundWithCompletion(999_999) { ends.append("unknown") }
            AudioServicesPlayAlertSound(kSystemSoundID_Vibrate)
            phone.advance(bySeconds: 0.5)
            try ends.wait(for: "both ends") { $0.count == 2 }
            #expect(ends.entries == ["vibration", "unknown"])
            #expect(phone.loudFrames(of: .builtInSpeaker) == 0)
            AudioServicesPlaySystemSound(sound.id)
            phone.advance(bySeconds: 1)
            #expect((8_000...9_600).contains(phone.loudFrames(of: .builtInSpeaker)))
            AudioServicesPlayAlertSoundWithCompletion(sound.id) { ends.append("sound") }
            phone.advance(bySeconds: 1)
            try ends.wait(for: "the end") { $0.last == "sound" }
            #expect(phone.loudFrames(of: .builtInSpeaker) > 16_000)
        }
        AudioServicesDisposeSystemSoundID(sound.id)
    }

    @Test func iOSOwnSounds_areThoseOfTheTheme() throws {
        let theme = directory.path("shared/sounds/freedesktop/stereo")
        try FileManager.default.createDirectory(atPath: theme, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(filePath: theme + "/message-new-email.oga"))
        let environment = ["XDG_DATA_DIRS": "/missing:" + directory.path("shared"), "HOME": "/missing"]
        #expect(ThemeSound.path(of: 1000, environment: environment) == theme + "/message-new-email.oga")
        #expect(ThemeSound.path(of: 1005, environment: environment) == nil)
        #expect(ThemeSound.path(of: kSystemSoundID_Vibrate, environment: environment) == nil)
        #expect(ThemeSound.path(of: 1000, environment: ["XDG_DATA_HOME": directory.path("shared")]) != nil)
    }
}
