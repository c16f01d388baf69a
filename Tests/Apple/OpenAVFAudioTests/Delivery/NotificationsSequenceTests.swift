import Foundation
import OpenAudioSession
import Synchronization
import Testing

@Suite struct NotificationsSequenceTests {
    private let center = NotificationCenter()
    private let name = Notification.Name("numbers")

    private func post(_ numbers: Range<Int>) {
        for number in numbers { center.post(name: name, object: nil, userInfo: ["number": NSNumber(value: number)]) }
    }

    private static func number(_ notification: Notification) -> Int {
        notification.userInfo?["number"] as? Int ?? -1
    }

    /// The first `count` numbers of a sequence.
    private func take(_ count: Int, from notifications: NotificationCenter.Notifications) async -> [Int] {
        var numbers: [Int] = []
        for await notification in notifications {
            numbers.append(Self.number(notification))
            if numbers.count == count { break }
        }
        return numbers
    }

    @Test func notifications_postedBeforeTheFirstNext_areNotLost() async {
        let notifications = center.notifications(named: name)
        post(0..<100)
        #expect(await take(100, from: notifications) == Array(0..<100))
    }

    @Test func notifications_postedByAnotherThreadWhileIterating_arriveInOrder() async {
        let notifications = center.notifications(named: name)
        let center = center
        let name = name
        Thread.detachNewThread {
            for number in 0..<1000 {
                center.post(name: name, object: nil, userInfo: ["number": NSNumber(value: number)])
            }
        }
        #expect(await take(1000, from: notifications) == Array(0..<1000))
    }

    @Test func iterators_ofOneSequence_eachReceiveEverythingSinceTheyWereMade() async {
        let notifications = center.notifications(named: name)
        post(0..<1)
        var first = notifications.makeAsyncIterator()
        post(1..<2)
        var second = notifications.makeAsyncIterator()
        post(2..<3)
        var ofFirst: [Int] = []
        for _ in 0..<3 { ofFirst.append(await first.next().map(Self.number) ?? -1) }
        #expect(ofFirst == [0, 1, 2])
        #expect(await second.next().map(Self.number) == 2)
    }

    @Test func notifications_ofOtherNamesAndObjects_areLeftOut() async {
        let wanted = NSNumber(value: 1.5)
        let other = NSNumber(value: 2.5)
        let notifications = center.notifications(named: name, object: wanted)
        center.post(name: name, object: other, userInfo: ["number": 1 as NSNumber])
        center.post(name: Notification.Name("else"), object: wanted, userInfo: ["number": 2 as NSNumber])
        center.post(name: name, object: wanted, userInfo: ["number": 3 as NSNumber])
        #expect(await take(1, from: notifications) == [3])
    }

    @Test func cancellation_whileWaiting_endsTheSequence() async {
        let (received, continuation) = AsyncStream<Int>.makeStream()
        let notifications = center.notifications(named: name)
        let task = Task {
            var numbers: [Int] = []
            for await notification in notifications {
                numbers.append(Self.number(notification))
                continuation.yield(numbers.count)
            }
            return numbers
        }
        post(0..<1)
        for await _ in received { break }
        task.cancel()
        #expect(await task.value == [0])
    }

    @Test func iteration_inACancelledTask_endsAtOnce() async {
        let notifications = center.notifications(named: name)
        post(0..<1)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var count = 0
            for await _ in notifications { count += 1 }
            return count
        }
        #expect(await task.value == 0)
    }

    @Test func observer_afterBreakingOut_isRemoved() async {
        let notifications = center.notifications(named: name)
        post(0..<1)
        #expect(await take(1, from: notifications) == [0])
        #expect(!center.keepsAnObject(postedAs: name))
        withExtendedLifetime(notifications) {}
    }

    @Test func observer_ofASequenceNeverIterated_isRemovedWithIt() {
        var notifications: NotificationCenter.Notifications? = center.notifications(named: name)
        #expect(center.keepsAnObject(postedAs: name), "the check itself must be able to fail")
        notifications = nil
        #expect(!center.keepsAnObject(postedAs: name))
        _ = notifications
    }

    @Test func observer_afterCancellation_isRemovedThoughTheIteratorLives() async {
        let center = center
        let name = name
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var iterator = center.notifications(named: name).makeAsyncIterator()
            let first = await iterator.next()
            let isCollecting = center.keepsAnObject(postedAs: name)
            let second = await iterator.next()
            return (first == nil, isCollecting, second == nil)
        }
        #expect(await task.value == (true, false, true))
    }

    @Test func sequence_ownedByAnObserversBlock_mayGoWithTheBlock() {
        final class Owner: Sendable {
            let notifications: NotificationCenter.Notifications
            init(_ notifications: NotificationCenter.Notifications) { self.notifications = notifications }
        }
        /// Something in the inbox that removes an observer itself as it goes.
        final class Guest: Sendable {
            private let center: NotificationCenter
            nonisolated(unsafe) private let token: any NSObjectProtocol  // Immutable; only the center looks into it.

            init(_ center: NotificationCenter) {
                self.center = center
                token = center.addObserver(forName: Notification.Name("guest"), object: nil, queue: nil) { _ in }
            }
            deinit { center.removeObserver(token) }
        }
        var owner: Owner? = Owner(center.notifications(named: name))
        center.post(name: name, object: Guest(center))
        let token = center.addObserver(forName: name, object: nil, queue: nil) { [owner] _ in _ = owner?.notifications }
        owner = nil
        // The center releases the block, and with it the sequence, while it holds its lock.
        center.removeObserver(token)
        #expect(!center.keepsAnObject(postedAs: name))
        _ = owner
    }

    @MainActor @Test func loop_onAnActor_compilesAndStaysThere() async {
        let notifications = center.notifications(named: name)
        post(0..<3)
        var numbers: [Int] = []
        for await notification in notifications {
            MainActor.assertIsolated()
            numbers.append(Self.number(notification))
            if numbers.count == 3 { break }
        }
        #expect(numbers == [0, 1, 2])
    }

    @Test func operators_ofAsyncSequence_applyAsOnApplesPlatforms() async {
        let numbers = center.notifications(named: name).compactMap { $0.userInfo?["number"] as? Int }
        post(0..<4)
        var even: [Int] = []
        for await number in numbers where number.isMultiple(of: 2) {
            even.append(number)
            if even.count == 2 { break }
        }
        #expect(even == [0, 2])
    }
}

extension NotificationCenter {
    /// Whether a collector is left: an object that is posted then stays alive in a buffer.
    fileprivate func keepsAnObject(postedAs name: Notification.Name) -> Bool {
        final class Probe: Sendable {}
        weak var probe: Probe?
        do {
            let object = Probe()
            probe = object
            post(name: name, object: object)
        }
        return probe != nil
    }
}
