import Foundation
import OpenAudioSession
import TestSupport
import Testing

/// `addObserver(_:selector:name:object:)` and its removal.
@Suite struct SelectorTests {
    private class Listener {
        let story = History<String>()
        func take(_ notification: Notification) { story.append("take \(notification.name.rawValue)") }
        func takeObject(_ notification: NSNotification) { story.append("object \(notification.userInfo?["n"] ?? "-")") }
        func takeNothing() { story.append("nothing") }
        func removeMyself() {
            story.append("removed")
            center?.removeObserver(self)
        }
        var center: NotificationCenter?
    }
    private final class LoudListener: Listener {
        override func takeNothing() { story.append("LOUD") }
    }

    private let center = NotificationCenter()
    private let one = Notification.Name("one")
    private let two = Notification.Name("two")

    @Test func formsOfAMethod_areCalledInTheOrderOfRegistration() {
        let listener = Listener()
        center.addObserver(listener, selector: Selector(Listener.take), name: one, object: nil)
        center.addObserver(listener, selector: Selector(Listener.takeObject), name: one, object: nil)
        center.addObserver(listener, selector: Selector(Listener.takeNothing), name: nil, object: nil)
        center.post(name: one, object: nil, userInfo: ["n": 7])
        #expect(Set(listener.story.entries) == ["take one", "object 7", "nothing"])
        center.post(name: two, object: nil)
        #expect(listener.story.entries.last == "nothing")
        #expect(listener.story.count == 4)
        center.removeObserver(listener)
        center.post(name: one, object: nil)
        #expect(listener.story.count == 4)
    }

    @Test func subclass_withTheSelectorOfItsSuperclass_usesItsOwnMethod() {
        let listener = LoudListener()
        center.addObserver(listener, selector: Selector(Listener.takeNothing), name: one, object: nil)
        center.post(name: one, object: nil)
        #expect(listener.story.entries == ["LOUD"])
        center.removeObserver(listener)
    }

    @Test func removal_byNameAndObject_leavesTheOthers() {
        let (listener, other, subject) = (Listener(), Listener(), NSObject())
        for name in [one, two] {
            center.addObserver(listener, selector: Selector(Listener.take), name: name, object: subject)
            center.addObserver(other, selector: Selector(Listener.takeNothing), name: name, object: nil)
        }
        center.removeObserver(listener, name: one, object: nil)
        center.removeObserver(listener, name: two, object: NSObject())
        center.removeObserver(other, name: two, object: nil)
        for name in [one, two] { center.post(name: name, object: subject) }
        center.post(name: two, object: nil)
        #expect(listener.story.entries == ["take two"])
        #expect(other.story.entries == ["nothing"])
        center.removeObserver(listener, name: two, object: subject)
        center.post(name: two, object: subject)
        #expect(listener.story.count == 1)
    }

    @Test func observer_thatRemovesItselfInItsHandler_isNotCalledAgain() {
        let listener = Listener()
        listener.center = center
        center.addObserver(listener, selector: Selector(Listener.removeMyself), name: one, object: nil)
        center.post(name: one, object: nil)
        center.post(name: one, object: nil)
        #expect(listener.story.entries == ["removed"])
    }

    private final class Clock: Sendable {
        let story = History<String>()
        func tick(_ timer: Timer) {
            story.append("tick")
            if story.entries.count(where: { $0 == "tick" }) == 3 { timer.invalidate() }
        }
        func ring() { story.append("ring") }
    }

    @Test func timers_callTheirMethods_untilTheyAreInvalidated() {
        let clock = Clock()
        // The run loop of a thread of its own: it ends when no timer is left.
        TestThread {
            _ = Timer.scheduledTimer(
                timeInterval: 0.001, target: clock, selector: Selector(Clock.tick), userInfo: nil, repeats: true)
            let ringing = Timer(
                timeInterval: 0.001, target: clock, selector: Selector(Clock.ring), userInfo: nil, repeats: false)
            RunLoop.current.add(ringing, forMode: .default)
            RunLoop.current.run()
        }
        .join()
        #expect(clock.story.entries.sorted() == ["ring", "tick", "tick", "tick"])
    }

    @Test func argument_ofAnotherKind_isNone() {
        let notification = Notification(name: one)
        let kinds: [any SelectorArgument.Type] = [Notification.self, NSNotification.self, Timer.self]
        #expect(kinds.map { $0.argument(notification) != nil } == [true, true, false])
        #expect(NSNotification.argument(notification)?.name == one)
    }

    @Test func selectorOfATimer_withACenter_endsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            NotificationCenter.default.addObserver(
                Clock(), selector: Selector(Clock.tick), name: nil, object: nil)
        }
    }

    @Test func token_ofABlock_isStillRemoved() {
        let story = History<Int>()
        let token = center.addObserver(forName: one, object: nil, queue: nil) { _ in story.append(1) }
        center.post(name: one, object: nil)
        center.removeObserver(token)
        center.post(name: one, object: nil)
        #expect(story.entries == [1])
    }

    @Test func observer_ofAnotherClass_stopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            NotificationCenter().addObserver(
                NSObject(), selector: Selector(LoudListener.takeNothing), name: nil, object: nil)
        }
    }
}
