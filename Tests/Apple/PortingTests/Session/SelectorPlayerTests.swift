import AVFoundation
import OpenAVFAudioTestKit
import Synchronization
import Testing

/// Observers that are registered with a selector, and `observe(\.property)`.
@Suite struct SelectorPlayerTests {
    @MainActor @Test func selectorObserver_ofTheMainActor_hearsOfACallAndOfAPlug() async throws {
        try await AudioSimulator.run(.phone) { phone in
            try AVAudioSession.sharedInstance().setCategory(.playback, mode: .default)
            phone.settle()
            let player = SelectorPlayer()
            try player.start()
            phone.settle()
            player.stopFollowingInterruptions()
            phone.receiveCall()
            phone.endCall()
            try await nextTurn()
            #expect(player.log == ["active"])
        }
    }

    @MainActor @Test func selectorObserver_untilItIsRemoved_getsEveryNotification() async throws {
        try await AudioSimulator.run(.phone) { phone in
            try AVAudioSession.sharedInstance().setCategory(.playback, mode: .default)
            phone.settle()
            let player = SelectorPlayer()
            try player.start()
            phone.receiveCall()
            phone.endCall()
            try AVAudioSession.sharedInstance().setActive(true)
            phone.plug(.wiredHeadphones)
            try await nextTurn()
            #expect(player.log.filter { $0 != "active" } == ["began", "ended", "route change 1"])
            player.stop()
            phone.unplug(.wiredHeadphones)
            phone.receiveCall()
            phone.endCall()
            try await nextTurn()
            #expect(player.log.filter { $0 != "active" } == ["began", "ended", "route change 1"])
        }
    }

    @Test func selectorObserver_thatIsReleased_isNotCalled() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = AVAudioSession.sharedInstance()
            try session.setCategory(.playback)
            phone.settle()
            var history: RouteHistory? = RouteHistory(session)
            weak let released = history
            try session.setActive(true)
            phone.plug(.wiredHeadphones)
            phone.settle()
            #expect(history?.entries == [1])
            history = nil
            #expect(released == nil)
            phone.unplug(.wiredHeadphones)
            phone.settle()
        }
    }

    @MainActor @Test func channelCount_observed_isToldOnTheMainThread() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = AVAudioSession.sharedInstance()
            try session.setCategory(.playAndRecord)
            let story = Mutex<[String]>([])
            let observation = session.observe(\.outputNumberOfChannels, options: [.old, .new, .initial]) {
                session, change in
                MainActor.assertIsolated()
                story.withLock {
                    $0.append("\(change.oldValue ?? 0) to \(change.newValue ?? 0), \(session.outputNumberOfChannels)")
                }
            }
            phone.plug(.wiredHeadphones)
            phone.settle()
            #expect(story.withLock { $0 } == ["0 to 1, 1", "1 to 2, 2"])
            observation.invalidate()
            phone.unplug(.wiredHeadphones)
            phone.settle()
            #expect(story.withLock { $0.count } == 2)
        }
    }
}

/// Lets the main queue run what was sent to it before.
@MainActor private func nextTurn() async throws {
    await withCheckedContinuation { continuation in
        OperationQueue.main.addOperation { continuation.resume() }
    }
}
