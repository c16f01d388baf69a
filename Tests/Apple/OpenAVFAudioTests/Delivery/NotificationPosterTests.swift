import AudioModel
import Foundation
import RuntimeTestSupport
import SessionCore
import SessionRest
import TestSupport
import Testing

@testable import OpenAudioSession
@testable import SessionRuntime

@Suite struct NotificationPosterTests {
    private let runtime = unconnectedRuntime()
    private let session: AVAudioSession
    private var poster: NoticeQueue { runtime.notices }

    init() { session = AVAudioSession(runtime: runtime) }

    /// Observes this test's session only, so that tests may run side by side.
    private func observe(_ name: Notification.Name, _ block: @escaping @Sendable (Notification) -> Void) -> Observer {
        Observer(name, object: session, block)
    }

    @Test func routeChange_posted_carriesReasonAndPreviousRouteOffTheMainThread() throws {
        let history = History<String>()
        let observer = observe(AVAudioSession.routeChangeNotification) { notification in
            let info = notification.userInfo
            let reason = info?[AVAudioSessionRouteChangeReasonKey] as? UInt
            let previous = info?[AVAudioSessionRouteChangePreviousRouteKey] as? AVAudioSessionRouteDescription
            history.append(
                "\(reason ?? 99) \(previous?.outputs.map(\.uid) ?? []) main: \(Thread.isMainThread) "
                    + "object: \(notification.object is AVAudioSession)")
        }
        poster.post(.routeChanged(.unplug))
        poster.drain()
        #expect(history.entries == ["2 [\"headphones\"] main: false object: true"])
        _ = observer
    }

    @Test func reason_isANumberThatAllFormsInUseDecode() {
        let info = AVAudioSession.userInfo(for: .unplug)
        let value = info[AVAudioSessionRouteChangeReasonKey]
        #expect(info.count == 2)
        #expect(value as? UInt == 2)
        #expect(value as? Int == 2)
        #expect((value as? NSNumber)?.uintValue == 2)
        #expect((value as? UInt).flatMap(AVAudioSession.RouteChangeReason.init) == .oldDeviceUnavailable)
        #expect((value as? UInt).map(AVAudioSession.RouteChangeReason.init) == .some(.oldDeviceUnavailable))
    }

    @Test func everyReason_reachesUserInfoWithItsRawValue() {
        let rows: [(AudioModel.RouteChangeReason, AVAudioSession.RouteChangeReason)] = [
            (.unknown, .unknown), (.newDeviceAvailable, .newDeviceAvailable),
            (.oldDeviceUnavailable, .oldDeviceUnavailable), (.categoryChange, .categoryChange),
            (.override, .override), (.wakeFromSleep, .wakeFromSleep),
            (.noSuitableRouteForCategory, .noSuitableRouteForCategory),
            (.routeConfigurationChange, .routeConfigurationChange),
        ]
        #expect(rows.count == 8)
        for (reason, expected) in rows {
            let change = RouteChange(time: .zero, reason: reason, previous: .empty, current: .empty)
            let raw = AVAudioSession.userInfo(for: change)[AVAudioSessionRouteChangeReasonKey] as? UInt
            #expect(raw == expected.rawValue)
            #expect(raw == reason.rawValue)
        }
    }

    @Test func availableInputsChangeHasNoPayload() {
        let history = History<Bool>()
        let observer = observe(AVAudioSession.availableInputsChangeNotification) {
            history.append($0.userInfo == nil)
        }
        poster.post(.availableInputsChanged)
        poster.drain()
        #expect(history.entries == [true])
        _ = observer
    }

    @Test func newsAndWork_enqueuedInARow_arriveInOrderOnOneThread() {
        let history = History<String>()
        let threads = History<ObjectIdentifier>()
        let observer = observe(AVAudioSession.routeChangeNotification) { notification in
            let previous =
                notification.userInfo?[AVAudioSessionRouteChangePreviousRouteKey] as? AVAudioSessionRouteDescription
            history.append(previous?.outputs.first?.uid ?? "none")
            threads.append(ObjectIdentifier(Thread.current))
        }
        var expected: [String] = []
        for number in 0..<200 {
            var port = AudioModel.Port.speaker
            port.uid = "port \(number)"
            poster.post(
                .routeChanged(
                    RouteChange(
                        time: .zero, reason: .newDeviceAvailable, previous: Route(outputs: [port]), current: .empty)))
            poster.enqueue { history.append("work \(number)") }
            expected += ["port \(number)", "work \(number)"]
        }
        poster.drain()
        #expect(history.entries == expected)
        #expect(Set(threads.entries).count == 1)
        _ = observer
    }

    @Test func observer_callingBackIntoTheSession_doesNotDeadlock() {
        let history = History<String>()
        let session = session
        let observer = observe(AVAudioSession.routeChangeNotification) { _ in
            do {
                try session.setMode(AVAudioSession.Mode(rawValue: "none"))
            } catch {
                history.append("\((error as NSError).code) \(session.currentRoute.outputs.count)")
            }
        }
        poster.post(.routeChanged(.unplug))
        poster.drain()
        #expect(history.entries == ["-50 0"])
        _ = observer
    }

    @Test func observer_causingMoreNews_isSettledWithIt() {
        let history = History<String>()
        let poster = poster
        let observers = [
            observe(AVAudioSession.routeChangeNotification) { _ in
                history.append("route")
                poster.post(.availableInputsChanged)
            },
            observe(AVAudioSession.availableInputsChangeNotification) { _ in history.append("inputs") },
        ]
        poster.post(.routeChanged(.unplug))
        poster.drain()
        #expect(history.entries == ["route", "inputs"])
        _ = observers
    }

    @Test func observer_askingForTheSharedInstance_getsTheSessionThatPosted() {
        let history = History<ObjectIdentifier>()
        let observer = observe(AVAudioSession.routeChangeNotification) { _ in
            history.append(ObjectIdentifier(AVAudioSession.sharedInstance()))
        }
        poster.post(.routeChanged(.unplug))
        poster.drain()
        #expect(history.entries == [ObjectIdentifier(session)])
        _ = observer
    }

    @Test func settle_withoutNews_returnsAtOnce() {
        poster.drain()
    }

    @Test func shutdown_withNewsQueued_deliversItAndDropsWhatComesLater() {
        let history = History<String>()
        poster.enqueue { history.append("before") }
        poster.shutdown()
        poster.enqueue { history.append("after") }
        poster.drain()
        #expect(history.entries == ["before"])
    }

    @Test func news_afterTheSessionIsGone_isNotPosted() {
        let history = History<String>()
        let runtime = unconnectedRuntime()
        var gone: AVAudioSession? = AVAudioSession(runtime: runtime)
        weak let weakSession = gone
        gone = nil
        #expect(weakSession == nil)
        let observer = Observer(AVAudioSession.routeChangeNotification, object: nil) { notification in
            if notification.object == nil { history.append("posted without an object") }
        }
        runtime.notices.post(.routeChanged(.unplug))
        runtime.notices.enqueue { history.append("work goes on") }
        runtime.notices.drain()
        #expect(history.entries == ["work goes on"])
        _ = (gone, observer)
    }

    @Test func settle_calledByAnObserver_trapsInsteadOfHanging() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let poster = NoticeQueue()
            poster.enqueue { poster.drain() }
            poster.drain()
        }
        let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(output.contains("settle() was called on the poster thread"))
    }

    @Test func secondSession_forOneProcess_traps() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let runtime = unconnectedRuntime()
            let first = AVAudioSession(runtime: runtime)
            let second = AVAudioSession(runtime: runtime)
            _ = (first, second)
        }
        let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(output.contains("a SessionRuntime has one observer"))
    }
}

extension RouteChange {
    /// The headphones leave, the speaker is left.
    fileprivate static let unplug = RouteChange(
        time: .zero, reason: .oldDeviceUnavailable, previous: Route(outputs: [.headphones]),
        current: Route(outputs: [.speaker]))
}
