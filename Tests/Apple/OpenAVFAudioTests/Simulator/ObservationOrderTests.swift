import AudioModel
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import OpenAVFAudioTestKit
@testable import OpenAudioSession

/// What an observer hears that is added after a call of the session has returned: only what comes after it.
///
/// `OBSERVER_ROUNDS=10000 swift test --skip-build --filter ObservationOrderTests` looks longer.
@Suite struct ObservationOrderTests {
    private static let rounds = ProcessInfo.processInfo.environment["OBSERVER_ROUNDS"].flatMap(Int.init) ?? 100

    private final class Listener: Sendable {
        let heard = History<String>()
        func hear(_ notification: Notification) { heard.append(notification) }
    }

    /// Observers of every kind, added now.
    private final class Observers {
        let byBlock = History<String>()
        let onMainQueue = History<String>()
        let bySelector = Listener()
        /// Added by a module that sees Foundation's function only.
        let foundations = History<String>()
        private var kept: [any NSObjectProtocol] = []
        private let observer: Observer
        private let sequence: NotificationCenter.Notifications

        init(_ name: Notification.Name, _ session: AVAudioSession) {
            let center = NotificationCenter.default
            kept = [
                center.addObserver(forName: name, object: session, queue: nil) { [byBlock] in byBlock.append($0) },
                center.addObserver(forName: name, object: session, queue: .main) { [onMainQueue] in
                    onMainQueue.append($0)
                },
            ]
            center.addObserver(bySelector, selector: Selector(Listener.hear), name: name, object: session)
            observer = Observer(name, object: session) { [foundations] in foundations.append($0) }
            sequence = center.notifications(named: name, object: session)
        }

        deinit {
            for token in kept { NotificationCenter.default.removeObserver(token) }
            NotificationCenter.default.removeObserver(bySelector)
        }

        var firstOfTheSequence: String {
            get async { await sequence.first { _ in true }.map(History<String>.text) ?? "none" }
        }
    }

    // Behaviour 98
    @Test func observer_addedAfterTheCalls_hearsNothingOfThem() async throws {
        for round in 0..<Self.rounds {
            try await AudioSimulator.run(.phone) { phone in
                try phone.session.setCategory(.playback)
                try phone.session.setActive(true)
                let observers = Observers(AVAudioSession.routeChangeNotification, phone.session)
                phone.plug(.wiredHeadphones)
                let expected = ["newDeviceAvailable"]
                let heard = [
                    observers.byBlock.entries, observers.onMainQueue.entries, observers.bySelector.heard.entries,
                    observers.foundations.entries, [await observers.firstOfTheSequence],
                ]
                #expect(heard == Array(repeating: expected, count: 5), "round \(round)")
            }
        }
    }

    @Test @MainActor func observer_addedOnTheMainThread_hearsNothingOfEarlierCalls() async throws {
        for round in 0..<Self.rounds {
            try await AudioSimulator.run(.phone) { phone in
                try phone.session.setCategory(.playback)
                try phone.session.setActive(true)
                let heard = History<String>()
                let center = NotificationCenter.default
                let names = [
                    AVAudioSession.routeChangeNotification, AVAudioSession.didBecomeActiveNotification,
                    AVAudioSession.didBecomeInactiveNotification,
                ]
                let tokens = names.map { name in
                    center.addObserver(forName: name, object: phone.session, queue: nil) { heard.append($0) }
                }
                phone.settle()
                #expect(heard.entries == [], "round \(round)")
                try phone.session.setActive(false)
                phone.settle()
                #expect(heard.entries == ["inactive"], "round \(round)")
                for token in tokens { center.removeObserver(token) }
            }
        }
    }

    @Test func observerOfAnotherApp_addedAfterTheCall_isNotToldOfItsInterruption() async throws {
        for round in 0..<Self.rounds {
            try await AudioSimulator.run(.phone) { phone in
                try phone.session.setCategory(.playback)
                try phone.session.setActive(true)
                let call = try phone.launchApp(named: "Call")
                try call.session.setCategory(.playAndRecord, mode: .voiceChat)
                try call.session.setActive(true)
                let observers = Observers(AVAudioSession.interruptionNotification, phone.session)
                try call.session.setActive(false, options: .notifyOthersOnDeactivation)
                phone.settle()
                #expect(observers.byBlock.entries == ["ended"], "round \(round)")
                #expect(observers.bySelector.heard.entries == ["ended"], "round \(round)")
            }
        }
    }

    @Test func observerAddedBefore_isToldBeforeTheCallReturns() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let heard = History<String>()
            let observer = Observer(AVAudioSession.routeChangeNotification, object: phone.session) { heard.append($0) }
            try phone.session.setCategory(.playback)
            #expect(heard.entries == ["categoryChange"])
            withExtendedLifetime(observer) {}
        }
    }

    // MARK: Observers that need the caller

    @Test @MainActor func observerOnTheMainQueue_ofACallOnTheMainThread_isToldWhenThatIsFree() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let heard = History<String>()
            let center = NotificationCenter.default
            let (told, hears) = AsyncStream<Void>.makeStream()
            let first = center.addObserver(
                forName: AVAudioSession.routeChangeNotification, object: phone.session, queue: .main
            ) {
                heard.append($0)
                hears.yield()
            }
            try phone.session.setCategory(.playback)
            try phone.session.setCategory(.playAndRecord)
            let late = History<String>()
            let second = center.addObserver(
                forName: AVAudioSession.routeChangeNotification, object: phone.session, queue: .main
            ) { late.append($0) }
            #expect(heard.entries == [])
            for await _ in told.prefix(2) {}
            #expect(heard.entries == ["categoryChange", "categoryChange"])
            #expect(late.entries == [])
            center.removeObserver(first)
            center.removeObserver(second)
        }
    }

    @Test func observerThatWaitsForTheQueueOfTheCaller_doesNotKeepIt() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let queue = DispatchQueue(label: "app")
            let heard = History<String>()
            let observer = Observer(AVAudioSession.routeChangeNotification, object: phone.session) { notification in
                let text = History<String>.text(notification)
                queue.sync { heard.append(text) }
            }
            let session = phone.session
            let isDone = await withCheckedContinuation { continuation in
                queue.async {
                    let result = Result { try session.setCategory(.playback) }
                    continuation.resume(returning: (try? result.get()) != nil)
                }
            }
            #expect(isDone)
            phone.settle()
            #expect(heard.entries == ["categoryChange"])
            withExtendedLifetime(observer) {}
        }
    }

    @Test func callInAnObserver_returns_andItsChangeIsToldAfterwards() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let heard = History<String>()
            let session = phone.session
            let isFirst = Atomic(true)
            let observer = Observer(AVAudioSession.routeChangeNotification, object: session) { notification in
                heard.append(notification)
                guard isFirst.exchange(false, ordering: .relaxed) else { return }
                heard.append((try? session.setCategory(.playAndRecord)) == nil ? "refused" : "set")
            }
            try session.setCategory(.playback)
            phone.settle()
            #expect(heard.entries == ["categoryChange", "set", "categoryChange"])
            withExtendedLifetime(observer) {}
        }
    }

    @Test func callsOfManyThreads_withObserversThatCall_allReturn() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let apps = try (0..<4).map { try phone.launchApp(named: "app \($0)") }
            let observers = apps.map { app in
                Observer(AVAudioSession.routeChangeNotification, object: app.session) { _ in
                    // Another app's session.
                    for other in apps { try? other.session.setPreferredSampleRate(48000) }
                }
            }
            await withTaskGroup { group in
                for app in apps {
                    for thread in 0..<4 {
                        group.addTask {
                            for _ in 0..<20 {
                                try? app.session.setCategory(thread.isMultiple(of: 2) ? .playback : .playAndRecord)
                                try? app.session.setActive(thread < 2)
                            }
                        }
                    }
                }
            }
            phone.settle()
            #expect(phone.violations == [])
            withExtendedLifetime(observers) {}
        }
    }

    @Test func notificationOfTheApp_postedInAnObserver_isHeardByAnObserverAddedThere() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let heard = History<String>()
            let own = Notification.Name("own of \(UUID())")
            let observer = Observer(AVAudioSession.routeChangeNotification, object: phone.session) { _ in
                let center = NotificationCenter.default
                let token = center.addObserver(forName: own, object: nil, queue: nil) { _ in heard.append("own") }
                center.post(name: own, object: nil)
                center.removeObserver(token)
            }
            try phone.session.setCategory(.playback)
            phone.settle()
            #expect(heard.entries == ["own"])
            withExtendedLifetime(observer) {}
        }
    }
}

extension History<String> {
    fileprivate static func text(_ notification: Notification) -> String {
        let info = notification.userInfo
        if let reason = info?[AVAudioSessionRouteChangeReasonKey] as? UInt {
            return AVAudioSession.RouteChangeReason(rawValue: reason).map { "\($0)" } ?? "reason \(reason)"
        }
        if let type = info?[AVAudioSessionInterruptionTypeKey] as? UInt {
            return AVAudioSession.InterruptionType(rawValue: type).map { "\($0)" } ?? "type \(type)"
        }
        return notification.name == AVAudioSession.didBecomeActiveNotification ? "active" : "inactive"
    }

    fileprivate func append(_ notification: Notification) { append(Self.text(notification)) }
}
