import Foundation
import Synchronization
import TestSupport
import Testing

@testable import OpenAudioSession

/// `observe(\.property)` on an object of our own.
@Suite struct KeyValueObservingTests {
    /// `@unchecked Sendable`: `stored` is read and written under its lock.
    private final class Dial: _KeyValueObservable, @unchecked Sendable {
        let _observers = _KeyValueObservers()
        private let stored = Mutex<(Int, String?)>((0, nil))

        var level: Int {
            get { stored.withLock { $0.0 } }
            set {
                stored.withLock { $0.0 = newValue }
                _observers.deliverChanges()
            }
        }
        var label: String? {
            get { stored.withLock { $0.1 } }
            set {
                stored.withLock { $0.1 = newValue }
                _observers.deliverChanges()
            }
        }
    }

    @Test func change_whileObserved_hasTheValuesThatTheOptionsAskFor() {
        let dial = Dial()
        let story = History<String>()
        func note(_ name: String) -> @Sendable (Dial, NSKeyValueObservedChange<Int>) -> Void {
            { dial, change in
                #expect(change.kind == .setting && change.indexes == nil)
                let (old, new) = (change.oldValue.map(String.init), change.newValue.map(String.init))
                story.append("\(name) \(old ?? "-") \(new ?? "-") \(change.isPrior ? "prior" : "at \(dial.level)")")
            }
        }
        let observations = [
            dial.observe(\.level, changeHandler: note("none")),
            dial.observe(\.level, options: [.new], changeHandler: note("new")),
            dial.observe(\.level, options: [.old, .prior], changeHandler: note("old")),
            dial.observe(\.level, options: [.initial, .new], changeHandler: note("initial")),
        ]
        #expect(story.entries == ["initial - 0 at 0"])
        dial.level = 3
        #expect(
            story.entries.dropFirst() == [
                "none - - at 3", "new - 3 at 3", "old 0 - prior", "old 0 - at 3", "initial - 3 at 3",
            ])
        dial.level = 3
        dial.label = "x"
        #expect(story.count == 6)
        for observation in observations { observation.invalidate() }
        dial.level = 4
        #expect(story.count == 6)
    }

    @Test func optionalValue_toNilAndBack_isAChange() {
        let dial = Dial()
        let story = History<String>()
        let observation = dial.observe(\.label, options: .new) { _, change in
            story.append((change.newValue ?? "missing") ?? "nil")
        }
        dial.label = "a"
        dial.label = nil
        dial.label = nil
        dial.label = "b"
        #expect(story.entries == ["a", "nil", "b"])
        withExtendedLifetime(observation) {}
    }

    @Test func observation_released_ends_andDoesNotKeepTheObject() {
        var dial: Dial? = Dial()
        weak let released = dial
        let story = History<Int>()
        var observation = dial?.observe(\.level) { dial, _ in story.append(dial.level) }
        dial?.level = 1
        observation = nil
        dial?.level = 2
        #expect(story.entries == [1])
        observation = dial?.observe(\.level) { dial, _ in story.append(dial.level) }
        dial = nil
        #expect(released == nil)
        withExtendedLifetime(observation) {}
    }

    @Test func handler_thatSetsTheProperty_isToldTheLastValueLast() {
        let dial = Dial()
        let story = History<Int>()
        let first = dial.observe(\.level) { dial, _ in if dial.level < 3 { dial.level += 1 } }
        let second = dial.observe(\.level, options: .new) { _, change in story.append(change.newValue ?? -1) }
        dial.level = 1
        #expect(story.entries == [2, 3])
        withExtendedLifetime((first, second)) {}
    }

    @Test func changes_ofManyThreads_endWithTheLastValue() {
        let dial = Dial()
        let story = History<Int>()
        let observation = dial.observe(\.level) { dial, _ in story.append(dial.level) }
        DispatchQueue.concurrentPerform(iterations: 64) { thread in
            for step in 0..<50 { dial.level = thread * 100 + step }
        }
        #expect(story.entries.last == dial.level)
        #expect(story.count <= 64 * 50)
        withExtendedLifetime(observation) {}
    }

    @Test func changeKeys_areFoundations() {
        let keys: [NSKeyValueChangeKey] = [.kindKey, .newKey, .oldKey, .indexesKey, .notificationIsPriorKey]
        #expect(keys.map(\.rawValue) == ["kind", "new", "old", "indexes", "notificationIsPrior"])
    }

    @Test func optionValues_areApples() {
        let options: [NSKeyValueObservingOptions] = [.new, .old, .initial, .prior]
        #expect(options.map(\.rawValue) == [1, 2, 4, 8])
        let kinds: [NSKeyValueChange] = [.setting, .insertion, .removal, .replacement]
        #expect(kinds.map(\.rawValue) == [1, 2, 3, 4])
        #expect(NSKeyValueObservedChange<Int>.Kind.self == NSKeyValueChange.self)
    }
}
