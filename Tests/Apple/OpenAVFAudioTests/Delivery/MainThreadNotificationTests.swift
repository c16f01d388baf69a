import AudioModel
import Dispatch
import Foundation
import RuntimeTestSupport
import SessionCore
import SessionRest
import TestSupport
import Testing

@testable import OpenAudioSession
@testable import SessionRuntime

// Helpers: SessionStory.swift
/// What the poster delivers on the main thread: the exact contents, the thread, and ways to wait for it.
@Suite struct MainThreadNotificationTests {
    private let runtime = unconnectedRuntime()
    private let session: AVAudioSession
    private var poster: NoticeQueue { runtime.notices }

    init() { session = AVAudioSession(runtime: runtime) }

    // MARK: Contents

    @Test func interruption_beganAndEnded_carriesExactlyTheKeysOfItsKind() async {
        let story = await SessionStory(of: session)
        poster.post(.interruptionBegan(.default))
        poster.post(.interruptionEnded(shouldResume: true))
        poster.post(.interruptionBegan(.routeDisconnected))
        poster.post(.interruptionEnded(shouldResume: false))
        poster.drain()
        #expect(
            story.older.entries == [
                "began default", "ended options 1", "began routeDisconnected", "ended options 0",
            ])
        #expect(
            story.newer.entries == [
                "inactive system default", "shouldResume", "inactive system routeDisconnected", "shouldNotResume",
            ])
        #expect(story.messages.entries == story.newer.entries)
    }

    @Test func interruptionValues_areNumbersThatAllFormsInUseDecode() throws {
        let ended = AVAudioSession.userInfo(forInterruptionEnded: [])
        #expect(ended[AVAudioSessionInterruptionTypeKey] as? UInt == 0)
        #expect(ended[AVAudioSessionInterruptionOptionKey] as? UInt == 0)
        #expect((ended[AVAudioSessionInterruptionOptionKey] as? NSNumber)?.uintValue == 0)
        #expect(ended.count == 2)
        let resumed = AVAudioSession.userInfo(forInterruptionEnded: .shouldResume)
        let options = try #require(resumed[AVAudioSessionInterruptionOptionKey] as? UInt)
        // One app compares with ==: no bit beside this one.
        #expect(AVAudioSession.InterruptionOptions(rawValue: options) == .shouldResume)
        let began = AVAudioSession.userInfo(forInterruptionBegan: .routeDisconnected)
        #expect(began[AVAudioSessionInterruptionTypeKey] as? Int == 1)
        #expect(began[AVAudioSessionInterruptionReasonKey] as? UInt == 4)
        #expect(began.count == 2)
    }

    @Test func hint_posted_carriesItsType() async {
        let story = await SessionStory(of: session)
        poster.post(.secondaryAudioHint(begins: true))
        poster.post(.secondaryAudioHint(begins: false))
        poster.drain()
        #expect(story.older.entries == ["hint begin", "hint end"])
        #expect(story.newer.entries == [])
    }

    @Test func lostThenResetOnMainWithoutPayload() async {
        let story = await SessionStory(of: session)
        poster.post(.mediaServicesLost(endedActivation: false))
        poster.post(.mediaServicesReset)
        poster.post(.mediaServicesLost(endedActivation: true))
        poster.post(.mediaServicesReset)
        poster.drain()
        #expect(story.older.entries == ["lost", "reset", "lost", "reset"])
        #expect(story.newer.entries == ["inactive system default"])
        #expect(story.messages.entries == ["inactive system default"])
    }

    @Test func lifecycle_ofTheApp_isToldWithoutAReason() async {
        let story = await SessionStory(of: session)
        poster.post(.becameActive)
        poster.post(.becameInactive)
        poster.post(.resumptionRecommended)
        poster.drain()
        #expect(story.older.entries == [])
        #expect(story.newer.entries == ["active", "inactive app", "shouldResume"])
        #expect(story.messages.entries == ["active", "inactive app", "shouldResume"])
    }

    @Test func contexts_areEqualByContents() {
        typealias Deactivation = AVAudioSession.DeactivationContext
        let interruption = AVAudioSession.InterruptionContext(reason: .default)
        let same = AVAudioSession.InterruptionContext(reason: .default)
        #expect(interruption == same)
        #expect(interruption.hash == same.hash)
        #expect(interruption != AVAudioSession.InterruptionContext(reason: .routeDisconnected))
        #expect(Deactivation(interruptionContext: interruption) == Deactivation(interruptionContext: same))
        #expect(Deactivation(interruptionContext: interruption) != Deactivation(interruptionContext: nil))
        #expect(Deactivation(interruptionContext: nil).source == .app)
        #expect(
            AVAudioSession.ResumptionContext(recommendation: .shouldResume)
                != AVAudioSession.ResumptionContext(recommendation: .shouldNotResume))
        #expect(
            AVAudioSession.DeactivationResult.systemInterruption(interruption)
                == .systemInterruption(same))
    }

    // MARK: The thread

    // Behaviour 20
    @Test func routeNotificationOffMainLifecycleOnMain() {
        let history = History<String>()
        let names = [
            AVAudioSession.interruptionNotification, AVAudioSession.silenceSecondaryAudioHintNotification,
            AVAudioSession.mediaServicesWereLostNotification, AVAudioSession.mediaServicesWereResetNotification,
            AVAudioSession.didBecomeActiveNotification, AVAudioSession.didBecomeInactiveNotification,
            AVAudioSession.resumptionRecommendationNotification, AVAudioSession.availableInputsChangeNotification,
            AVAudioSession.routeChangeNotification,
        ]
        let observers = names.map { name in
            Observer(name, object: session) { history.append("\($0.name.rawValue): \(MainThread.isCurrent)") }
        }
        poster.post(.interruptionBegan(.default))
        poster.post(.secondaryAudioHint(begins: true))
        poster.post(.mediaServicesLost(endedActivation: false))
        poster.post(.mediaServicesReset)
        poster.post(.becameActive)
        poster.post(.resumptionRecommended)
        poster.drain()
        poster.post(.availableInputsChanged)
        poster.post(.routeChanged(RouteChange(time: .zero, reason: .override, previous: .empty, current: .empty)))
        poster.drain()
        #expect(
            history.entries == [
                "AVAudioSessionInterruptionNotification: true",
                "AVAudioSessionDidBecomeInactiveNotification: true",
                "AVAudioSessionSilenceSecondaryAudioHintNotification: true",
                "AVAudioSessionMediaServicesWereLostNotification: true",
                "AVAudioSessionMediaServicesWereResetNotification: true",
                "AVAudioSessionDidBecomeActiveNotification: true",
                "AVAudioSessionResumptionRecommendationNotification: true",
                "AVAudioSessionAvailableInputsChangeNotification: false",
                "AVAudioSessionRouteChangeNotification: false",
            ])
        _ = observers
    }

    /// As most apps register: on the main queue, where Foundation would wait for an operation behind the one that posts.
    @Test func observerOnTheMainQueue_isRunWhereItIsPosted() {
        let history = History<String>()
        let observer = Observer(AVAudioSession.interruptionNotification, object: session, queue: .main) { _ in
            MainActor.assumeIsolated { history.append("on main: \(MainThread.isCurrent)") }
        }
        poster.post(.interruptionBegan(.default))
        poster.drain()
        #expect(history.entries == ["on main: true"])
        _ = observer
    }

    @Test func news_enqueuedFromAnyThread_arriveInOrder() async {
        let story = await SessionStory(of: session)
        for _ in 0..<100 {
            poster.post(.becameActive)
            poster.post(.interruptionBegan(.default))
        }
        poster.drain()
        #expect(
            story.newer.entries == Array(repeating: ["active", "inactive system default"], count: 100).flatMap(\.self))
        #expect(story.older.entries == Array(repeating: "began default", count: 100))
    }

    /// The main queue is not served while a test of the main actor runs: it has to deliver by itself.
    @MainActor @Test func settle_onTheMainThread_deliversThere() {
        let history = History<String>()
        let observers = [
            Observer(AVAudioSession.interruptionNotification, object: session) { _ in
                MainActor.assumeIsolated { history.append("interruption") }
            },
            Observer(AVAudioSession.routeChangeNotification, object: session) { _ in
                history.append("route, main: \(MainThread.isCurrent)")
            },
        ]
        poster.post(.routeChanged(RouteChange(time: .zero, reason: .override, previous: .empty, current: .empty)))
        poster.drain()
        poster.post(.interruptionBegan(.default))
        #expect(history.entries == ["route, main: false"])
        poster.drain()
        #expect(history.entries == ["route, main: false", "interruption"])
        _ = observers
    }

    @Test func mainThread_isKnownOnEveryQueueAndThread() async {
        #expect(await MainActor.run { MainThread.isCurrent })
        #expect(await Task.detached { !MainThread.isCurrent }.value)
        // However long the tests that run beside this one keep the main thread.
        func isMain(on queue: DispatchQueue) async -> Bool {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: MainThread.isCurrent) }
            }
        }
        #expect(await isMain(on: .main))
        #expect(await !isMain(on: .global()))
    }

    // MARK: Handlers

    @Test func observer_askingForTheSharedInstance_getsTheSessionThatPosted() {
        let history = History<ObjectIdentifier>()
        let observer = Observer(AVAudioSession.interruptionNotification, object: session) { _ in
            history.append(ObjectIdentifier(AVAudioSession.sharedInstance()))
        }
        poster.post(.interruptionBegan(.default))
        poster.drain()
        #expect(history.entries == [ObjectIdentifier(session)])
        _ = observer
    }

    @Test func observer_callingBackIntoTheSession_doesNotDeadlock() {
        let history = History<String>()
        let session = session
        let observer = Observer(AVAudioSession.interruptionNotification, object: session) { _ in
            do {
                try session.setActive(true)
            } catch {
                history.append("\((error as NSError).code == AVAudioSession.ErrorCode.mediaServicesFailed.rawValue)")
            }
        }
        poster.post(.interruptionBegan(.default))
        poster.drain()
        #expect(history.entries == ["true"])
        _ = observer
    }

    /// Events that cause events on the other thread, and back: `settle` returns after all of them.
    @Test func observers_causingNewsForEachOthersThread_areSettledTogether() {
        let history = History<String>()
        let poster = poster
        let observers = [
            Observer(AVAudioSession.interruptionNotification, object: session) { _ in
                history.append("interruption")
                poster.post(.availableInputsChanged)
            },
            Observer(AVAudioSession.availableInputsChangeNotification, object: session) { _ in
                history.append("inputs")
                poster.post(.secondaryAudioHint(begins: true))
            },
            Observer(AVAudioSession.silenceSecondaryAudioHintNotification, object: session) { _ in
                history.append("hint")
                if history.entries.count < 30 { poster.post(.interruptionBegan(.default)) }
            },
        ]
        poster.post(.interruptionBegan(.default))
        poster.drain()
        #expect(history.entries == Array(repeating: ["interruption", "inputs", "hint"], count: 10).flatMap(\.self))
        _ = observers
    }

    @Test func news_afterTheSessionIsGone_isNotPosted() {
        let history = History<String>()
        let runtime = unconnectedRuntime()
        var gone: AVAudioSession? = AVAudioSession(runtime: runtime)
        weak let weakSession = gone
        gone = nil
        #expect(weakSession == nil)
        let observer = Observer(AVAudioSession.interruptionNotification, object: nil) { notification in
            if notification.object == nil { history.append("posted without an object") }
        }
        runtime.notices.post(.interruptionBegan(.default))
        runtime.notices.drain()
        #expect(history.entries == [])
        _ = (gone, observer)
    }

    @Test func shutdown_withNewsForTheMainThread_deliversItAndDropsWhatComesLater() async {
        let story = await SessionStory(of: session)
        poster.post(.becameActive)
        poster.shutdown()
        poster.post(.becameInactive)
        poster.drain()
        #expect(story.newer.entries == ["active"])
    }

    @Test func settle_inAnObserverOnTheMainThread_trapsInsteadOfHanging() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let runtime = unconnectedRuntime()
            let session = AVAudioSession(runtime: runtime)
            let observer = Observer(AVAudioSession.interruptionNotification, object: session) { _ in
                runtime.notices.drain()
            }
            runtime.notices.post(.interruptionBegan(.default))
            runtime.notices.drain()
            withExtendedLifetime(observer) {}
        }
        let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(output.contains("settle() was called in an observer on the main thread"))
    }
}
