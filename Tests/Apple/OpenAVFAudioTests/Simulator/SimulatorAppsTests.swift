import AudioModel
import AudioRuntime
import Foundation
import OpenAudioSession
import SessionCore
import Synchronization
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFAudioTestKit

/// Several apps on one simulated machine, by the public API of the test kit: whole histories, in the order of the events.
@Suite struct SimulatorAppsTests {
    let directory: TemporaryDirectory
    let story = Story()

    init() throws { directory = try TemporaryDirectory() }

    /// What the sessions' observers were told.
    final class Story: Sendable {
        private let lines = Mutex<[String]>([])
        private let observers = Mutex<[Observer]>([])

        /// What was told since the last call.
        func take() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }

        func follow(_ session: AVAudioSession, as name: String) {
            listen(session, AVAudioSession.interruptionNotification) { info in
                let began = info[AVAudioSessionInterruptionTypeKey] as? UInt == 1
                let option = info[AVAudioSessionInterruptionOptionKey] as? UInt
                return "\(name) interruption \(began ? "began" : "ended \(option ?? 99)")"
            }
            listen(session, AVAudioSession.silenceSecondaryAudioHintNotification) { info in
                "\(name) hint \(info[AVAudioSessionSilenceSecondaryAudioHintTypeKey] as? UInt ?? 99)"
            }
            listen(session, AVAudioSession.mediaServicesWereLostNotification) { _ in "\(name) lost" }
            listen(session, AVAudioSession.mediaServicesWereResetNotification) { _ in "\(name) reset" }
        }

        private func listen(
            _ session: AVAudioSession, _ name: NSNotification.Name,
            _ line: @escaping @Sendable ([AnyHashable: Any]) -> String
        ) {
            let observer = Observer(name, object: session) { [weak self] notification in
                let text = line(notification.userInfo ?? [:])
                self?.lines.withLock { $0.append(text) }
            }
            observers.withLock { $0.append(observer) }
        }
    }

    private func player(of session: AVAudioSession) throws -> FilePlayer {
        try FilePlayer(
            path: try TestFile.write(.quadrature(hertz: 440), seconds: 30, in: directory), runtime: session.runtime,
            policy: StreamPolicy(onInterruption: .pauseAndResume)
        ) { _ in }
    }

    /// A player of the phone's first app, in category playback.
    private func playMusic(on phone: AudioSimulator) throws -> FilePlayer {
        try phone.session.setCategory(.playback)
        let music = try player(of: phone.session)
        try music.play()
        return music
    }

    /// Frames of the speaker's in the next 0.1 s of virtual time in which something sounds.
    private func loudFrames(_ phone: AudioSimulator) -> Int {
        let start = phone.now
        phone.advance(bySeconds: 0.1)
        return phone.loudFrames(of: .builtInSpeaker, since: start)
    }

    @Test func otherAppInterrupts_andResumesAsItSays() async throws {
        try await AudioSimulator.run(.phone) { phone in
            story.follow(phone.session, as: "music")
            let music = try playMusic(on: phone)
            #expect(loudFrames(phone) > 4000)
            let other = try phone.launchApp(named: "Other")
            story.follow(other.session, as: "other")
            try other.session.setCategory(.playback)
            try other.session.setActive(true)
            phone.settle()
            #expect(story.take() == ["music interruption began"])
            phone.advance(bySeconds: 0.1)
            #expect(loudFrames(phone) == 0)
            try other.session.setActive(false, options: .notifyOthersOnDeactivation)
            phone.settle()
            #expect(story.take() == ["music interruption ended 1"])
            #expect(loudFrames(phone) > 4000)
            #expect(phone.violations == [])
            music.close()
        }
    }

    @Test func killedApp_leavesTheOtherWithoutAdviceToResume() async throws {
        try await AudioSimulator.run(.phone) { phone in
            story.follow(phone.session, as: "music")
            let music = try playMusic(on: phone)
            let other = try phone.launchApp(named: "Other")
            try other.session.setCategory(.playback)
            let voice = try player(of: other.session)
            try voice.play()
            phone.advance(bySeconds: 0.1)
            #expect(loudFrames(phone) > 4000)
            other.kill()
            other.kill()
            #expect(loudFrames(phone) == 0)
            #expect(story.take() == ["music interruption began", "music interruption ended 0"])
            #expect(music.status.state == .paused)
            #expect(throws: (any Error).self) { try other.session.setActive(true) }
            #expect(phone.violations == [])
            music.close()
            voice.close()
        }
    }

    @Test func callInterrupts_andItsEndResumes() async throws {
        try await AudioSimulator.run(.phone) { phone in
            story.follow(phone.session, as: "music")
            let music = try playMusic(on: phone)
            phone.receiveCall()
            phone.advance(bySeconds: 0.1)
            #expect(loudFrames(phone) == 0)
            phone.endCall()
            #expect(
                story.take().filter { $0.contains("interruption") } == [
                    "music interruption began", "music interruption ended 1",
                ])
            #expect(loudFrames(phone) > 4000)
            #expect(phone.violations == [])
            music.close()
        }
    }

    @Test func notificationLowersTheMusic_exactlyWhileItSounds() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let music = try playMusic(on: phone)
            phone.advance(bySeconds: 0.1)
            func peak() -> Float {
                phone.advance(bySeconds: 0.05)
                let samples = phone.samples(of: .builtInSpeaker)
                return samples[0].suffix(1000).map(abs).max() ?? 0
            }
            let full = peak()
            phone.playNotification(lasting: 0.08)
            let lowered = peak()
            phone.advance(bySeconds: 0.05)
            // -14 dB is 0.2; the samples are those of another part of the tone, hence the tolerance of 1 %.
            #expect(abs(lowered / full - 0.2) < 0.002)
            #expect(abs(peak() / full - 1) < 0.01)
            phone.playAlarm(lasting: 0.1)
            #expect(peak() < full / 2)
            #expect(phone.violations == [])
            music.close()
        }
    }

    @Test func foreignMusicIsHeardOf_untilItStops() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let radio = phone.startForeignAudio(role: "Music", name: "radio")
            #expect(phone.session.isOtherAudioPlaying)
            #expect(phone.session.secondaryAudioShouldBeSilencedHint)
            let game = phone.startForeignAudio(role: "Game")
            radio.stop()
            #expect(phone.session.isOtherAudioPlaying)
            #expect(!phone.session.secondaryAudioShouldBeSilencedHint)
            game.stop()
            #expect(!phone.session.isOtherAudioPlaying)
            #expect(phone.violations == [])
        }
    }

    @Test func everyAppLosesMediaServices_andGetsThemBack() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let other = try phone.launchApp(named: "Other")
            story.follow(phone.session, as: "first")
            story.follow(other.session, as: "other")
            try phone.session.setActive(true)
            phone.crashMediaServices()
            #expect(story.take().sorted() == ["first lost", "other lost"])
            #expect(throws: (any Error).self) { try other.session.setActive(true) }
            #expect(throws: (any Error).self) { try phone.launchApp(named: "Late") }
            phone.restartMediaServices()
            #expect(story.take().sorted() == ["first reset", "other reset"])
            try other.session.setActive(true)
            #expect(other.session.currentRoute.outputs.first?.portType == .builtInSpeaker)
            #expect(phone.violations == [])
        }
    }

    @Test func machineSleeps_andWakesUpSilent() async throws {
        try await AudioSimulator.run(.phone) { phone in
            story.follow(phone.session, as: "music")
            let music = try playMusic(on: phone)
            phone.advance(bySeconds: 0.1)
            phone.sleep()
            #expect(phone.isAsleep)
            #expect(loudFrames(phone) == 0)
            phone.wakeUp()
            #expect(!phone.isAsleep)
            // What the fade had left when the machine fell asleep.
            phone.advance(bySeconds: 0.1)
            #expect(loudFrames(phone) == 0)
            #expect(story.take() == ["music interruption began", "music interruption ended 0"])
            #expect(phone.violations == [])
            music.close()
        }
    }

    @Test func sharedInstance_isTheSessionOfTheAppThatRuns() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let other = try phone.launchApp(named: "Other")
            #expect(AVAudioSession.sharedInstance() === phone.session)
            #expect(other.run { AVAudioSession.sharedInstance() } === other.session)
            await other.run {
                await Task.yield()
                #expect(AVAudioSession.sharedInstance() === other.session)
            }
            #expect(AVAudioSession.sharedInstance() === phone.session)
            #expect(other.name == "Other")
        }
    }

    // Behaviour 99
    @Test func nestedInterruptionsUnwind() async throws {
        try await AudioSimulator.run(.phone) { phone in
            story.follow(phone.session, as: "music")
            let music = try playMusic(on: phone)
            phone.advance(bySeconds: 0.1)
            let apps = try ["second", "third"].map { name in
                let app = try phone.launchApp(named: name)
                story.follow(app.session, as: name)
                try app.session.setCategory(.playback)
                try app.session.setActive(true)
                phone.settle()
                return app
            }
            #expect(story.take() == ["music interruption began", "second interruption began"])
            try apps[1].session.setActive(false, options: .notifyOthersOnDeactivation)
            phone.settle()
            #expect(story.take() == ["second interruption ended 1"])
            // It does not play again in its time.
            phone.advance(bySeconds: 3)
            phone.settle()
            #expect(story.take() == ["music interruption ended 1"])
            #expect(phone.violations == [])
            music.close()
        }
    }
}
