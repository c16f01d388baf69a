import AVFoundation
import OpenAVFAudioTestKit
import Synchronization
import Testing

/// The app's code of `InterruptionObserver.swift` on a simulated phone, with calls and another app.
@Suite struct InterruptionObserverTests {
    @Test func call_interruptsAndPlaysOnAfterwards() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let observer = InterruptionObserver()
            try observer.start()
            phone.receiveCall()
            #expect(await MainActor.run { observer.isPlaying } == false)
            phone.endCall()
            #expect(await MainActor.run { observer.isPlaying })
            #expect(await MainActor.run { observer.log } == ["began, reason default", "ended, plays on"])
            #expect(phone.violations == [])
        }
    }

    @Test func otherApp_thatSaysNothingAsItEnds_leavesItPaused() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let observer = InterruptionObserver()
            try observer.start()
            let radio = try phone.launchApp(named: "Radio")
            try radio.session.setCategory(.playback)
            try radio.session.setActive(true)
            phone.settle()
            try radio.session.setActive(false)
            phone.settle()
            #expect(await MainActor.run { observer.isPlaying } == false)
            #expect(await MainActor.run { observer.log } == ["began, reason default", "ended, stays paused"])
        }
    }

    @Test func valuesTakenByForce_areThere() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = AVAudioSession.sharedInstance()
            try session.setCategory(.playback)
            let history = Mutex<[String]>([])
            let token = NotificationCenter.default.addObserver(
                forName: AVAudioSession.interruptionNotification, object: session, queue: nil
            ) { notification in
                let line = describeByForce(notification)
                history.withLock { $0.append(line) }
            }
            try session.setActive(true)
            phone.receiveCall()
            phone.endCall()
            try session.setActive(true)
            let radio = try phone.launchApp(named: "Radio")
            try radio.session.setCategory(.playback)
            try radio.session.setActive(true)
            phone.settle()
            radio.kill()
            phone.settle()
            NotificationCenter.default.removeObserver(token)
            #expect(history.withLock { $0 } == ["stop", "resume", "stop", "stay"])
        }
    }

    /// The test itself is on the main actor, as tests of view models are: nothing hangs.
    @MainActor @Test func testOnTheMainActor_hearsOfACallAtOnce() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = AVAudioSession.sharedInstance()
            try session.setCategory(.playback)
            let model = SessionModel()
            model.follow(session)
            try session.setActive(true)
            phone.receiveCall()
            #expect(model.story == ["active", "inactive: interrupted (default)"])
            phone.endCall()
            try session.setActive(true)
            try session.setActive(false)
            phone.settle()
            #expect(
                model.story == [
                    "active", "inactive: interrupted (default)", "resume", "active", "inactive: by the app",
                ])
        }
    }

    @Test func activation_awaitedAsOniOS27_interruptsAnotherApp() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let radio = try phone.launchApp(named: "Radio")
            try radio.session.setCategory(.playback)
            #expect(try await radio.session.activate())
            let session = AVAudioSession.sharedInstance()
            try session.setCategory(.playback)
            let story = Mutex<[String]>([])
            let token = NotificationCenter.default.addObserver(
                forName: AVAudioSession.didBecomeInactiveNotification, object: radio.session, queue: .main
            ) { notification in
                let context =
                    notification.userInfo?[AVAudioSession.deactivationContextKey]
                    as? AVAudioSession.DeactivationContext
                story.withLock { $0.append(context?.source == .system ? "system" : "app") }
            }
            #expect(try await session.activate(options: []))
            phone.settle()
            #expect(try await session.deactivate(options: .notifyOthersOnDeactivation))
            phone.settle()
            NotificationCenter.default.removeObserver(token)
            #expect(story.withLock { $0 } == ["system"])
        }
    }
}
