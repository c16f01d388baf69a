public import Foundation
private import Synchronization

// What Foundation has on Apple's platforms and lacks on Linux (swift-corelibs-foundation of Swift 6.3): the Swift form of
// key-value observing. Decision 20.

/// What a change handler receives, and when it is called.
///
/// Source: Apple documentation, "NSKeyValueObservingOptions".
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The change has the new value.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// The change has the old value.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    /// The handler is also called before `observe` returns.
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
    /// The handler is also called before each change; here both calls come after the change.
    public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// The keys of a change in `observeValue(forKeyPath:of:change:context:)`.
///
/// Source: Apple documentation, "NSKeyValueChangeKey".
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The kind of the change.
    public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
    /// The new value.
    public static let newKey = NSKeyValueChangeKey(rawValue: "new")
    /// The old value.
    public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
    /// The indexes of a change of a collection.
    public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
    /// Whether the change is announced.
    public static let notificationIsPriorKey = NSKeyValueChangeKey(rawValue: "notificationIsPrior")
}

/// The kind of a change; here always ``setting``.
///
/// Source: Apple documentation, "NSKeyValueChange".
@nonexhaustive public enum NSKeyValueChange: UInt, Sendable {
    /// The property has a new value.
    case setting = 1
    /// Never reported: no observable property is a mutable collection.
    case insertion = 2
    /// Never reported: no observable property is a mutable collection.
    case removal = 3
    /// Never reported: no observable property is a mutable collection.
    case replacement = 4
}

/// One change of an observed property.
///
/// Source: Apple documentation, "NSKeyValueObservedChange".
public struct NSKeyValueObservedChange<Value> {
    /// Foundation's name for the kind of a change.
    public typealias Kind = NSKeyValueChange

    /// Always `setting` here.
    public let kind: Kind
    /// Nil without ``NSKeyValueObservingOptions/new``.
    public let newValue: Value?
    /// Nil without ``NSKeyValueObservingOptions/old``, and in the first call of ``NSKeyValueObservingOptions/initial``.
    public let oldValue: Value?
    /// Nil: only changes of collections have indexes.
    public let indexes: IndexSet?
    /// This call announces the change; a second call follows.
    public let isPrior: Bool
}

/// An observation of one property; ends when it is released or invalidated.
///
/// Any thread. It does not keep the observed object.
///
/// Source: Apple documentation, "NSKeyValueObservation".
public final class NSKeyValueObservation: NSObject, Sendable {
    private let observers: _KeyValueObservers
    private let id: UInt64

    fileprivate init(_ id: UInt64, in observers: _KeyValueObservers) {
        self.id = id
        self.observers = observers
        super.init()
    }

    deinit { observers.remove(id) }

    /// Ends the observation.
    ///
    /// A call of the handler on another thread may still be running when this returns.
    public func invalidate() { observers.remove(id) }
}

/// An object whose properties can be observed with `observe(\.property)`.
///
/// The object calls ``_KeyValueObservers/deliverChanges()`` after each change.
public protocol _KeyValueObservable: AnyObject, SendableMetatype {
    var _observers: _KeyValueObservers { get }
}

extension _KeyValueObservable {
    /// Calls `changeHandler` when the value of the property has changed.
    ///
    /// The handler is called for a value that differs from the one before, and at each set of an `AVPlayer`'s `rate`; Apple's is
    /// called at each set of any property. Changes in quick succession may come as one.
    ///
    /// Source: Apple documentation, "observe(_:options:changeHandler:)".
    @preconcurrency
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        NSKeyValueObservation(
            addObserver(of: keyPath, { $0[keyPath: keyPath] }, options, changeHandler), in: _observers)
    }

    /// The value of a property now, and each value that it has later; ends with the object.
    ///
    ///     for await status in player.values(for: \.timeControlStatus) { show(status) }
    ///
    /// As `observe`, on any thread; values wait for a slow reader. Ours: Apple's code has `publisher(for:).values`, and Linux has
    /// no Combine.
    public func values<Value: Sendable>(for keyPath: KeyPath<Self, Value>) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream<Value>.makeStream()
        let end = StreamEnd(continuation)
        let id = addObserver(of: keyPath, { $0[keyPath: keyPath] }, [.initial, .new]) { _, change in
            if let value = change.newValue { end.continuation.yield(value) }
        }
        continuation.onTermination = { [weak observers = _observers] _ in observers?.remove(id) }
        return stream
    }

    /// - Parameter read: reads the property, or a value that stands for it.
    func addObserver<Value>(
        of keyPath: AnyKeyPath, _ read: @escaping (Self) -> Value, _ options: NSKeyValueObservingOptions,
        _ changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> UInt64 {
        let observer = PropertyObserver(self, keyPath, read, options, changeHandler)
        if options.contains(.initial) { observer.announceInitialValue(of: self) }
        let observers = _observers
        let id = observers.add(observer)
        // The value may have changed after `initial` was read and before the observer was added.
        observers.deliverChanges()
        return id
    }
}

/// Ends a stream of values when the observer that has it goes.
private final class StreamEnd<Value: Sendable>: Sendable {
    let continuation: AsyncStream<Value>.Continuation

    init(_ continuation: AsyncStream<Value>.Continuation) { self.continuation = continuation }

    deinit { continuation.finish() }
}

/// The observers of one object's properties.
///
/// Any thread. One thread at a time calls handlers, without a lock.
public final class _KeyValueObservers: Sendable {
    private let state = Mutex(State())

    private struct State {
        var observers: [UInt64: any ChangeObserver] = [:]
        var lastID: UInt64 = 0
        var delivery = Delivery.idle
        /// Those that were set, and may have the same value: their observers are called all the same.
        var set = PropertySet([])
        /// Of `addObserver(_:forKeyPath:options:context:)`, in the order of their registration.
        var named: [NamedRegistration] = []
    }

    /// An observer that is removed by its object, the name of the property and its context.
    struct NamedRegistration {
        let observer: ObjectIdentifier
        let name: String
        /// The address.
        let context: UInt
        let id: UInt64
    }

    /// Legal exits: idle -> delivering; delivering -> repeating (a further change), idle; repeating -> delivering.
    private enum Delivery { case idle, delivering, repeating }

    package init() {}

    package var isEmpty: Bool { state.withLock { $0.observers.isEmpty } }

    fileprivate func add(_ observer: any ChangeObserver) -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            state.observers[state.lastID] = observer
            return state.lastID
        }
    }

    func remove(_ id: UInt64) {
        // The handler is released outside of the lock: it may own an observation of this object.
        let removed = state.withLock { $0.observers.removeValue(forKey: id) }
        withExtendedLifetime(removed) {}
    }

    func add(_ registration: NamedRegistration) { state.withLock { $0.named.append(registration) } }

    /// Removes the last one that fits; false if none does.
    func removeNamed(where fits: (NamedRegistration) -> Bool) -> Bool {
        let id = state.withLock { state in
            state.named.lastIndex(where: fits).map { state.named.remove(at: $0).id }
        }
        id.map(remove)
        return id != nil
    }

    /// Compares each observed property with its last value and calls the handlers of those that differ.
    ///
    /// Handlers run on the calling thread, in the order of their registration. If another thread is calling handlers, or
    /// a handler makes this call, that thread repeats the comparison when its handlers have returned.
    ///
    /// - Parameter set: whose observers are called also where the value is the same.
    package func deliverChanges(set: PropertySet = PropertySet([])) {
        let isFirst = state.withLock { state in
            defer { state.delivery = state.delivery == .idle ? .delivering : .repeating }
            state.set.keyPaths.formUnion(set.keyPaths)
            return state.delivery == .idle
        }
        guard isFirst else { return }
        repeat {
            let (ids, set) = state.withLock { state in
                defer { state.set.keyPaths = [] }
                return (state.observers.keys.sorted(), state.set)
            }
            for id in ids { state.withLock { $0.observers[id] }?.deliverChange(set: set.keyPaths) }
        } while state.withLock { state in
            defer { state.delivery = state.delivery == .repeating ? .delivering : .idle }
            return state.delivery == .repeating
        }
    }
}

/// Properties of a class.
///
/// `@unchecked Sendable`: key paths of properties are constants.
package struct PropertySet: @unchecked Sendable {
    fileprivate var keyPaths: Set<AnyKeyPath>

    package init(_ keyPaths: Set<AnyKeyPath>) { self.keyPaths = keyPaths }
}

private protocol ChangeObserver: AnyObject, Sendable {
    /// Calls the handler if the value differs from the last one, or the property was set.
    func deliverChange(set: Set<AnyKeyPath>)
}

/// One observer of one property.
///
/// `@unchecked Sendable`: `last` is read and written only by `init` and by the thread that delivers changes, of which there
/// is one at a time. The key path and `read` are constants.
private final class PropertyObserver<Root: AnyObject, Value>: ChangeObserver, @unchecked Sendable {
    typealias Handler = @Sendable (Root, NSKeyValueObservedChange<Value>) -> Void

    private weak let root: Root?
    private let keyPath: AnyKeyPath
    private let read: (Root) -> Value
    private let options: NSKeyValueObservingOptions
    private let handler: Handler
    private var last: Value

    init(
        _ root: Root, _ keyPath: AnyKeyPath, _ read: @escaping (Root) -> Value, _ options: NSKeyValueObservingOptions,
        _ handler: @escaping Handler
    ) {
        self.root = root
        self.keyPath = keyPath
        self.read = read
        self.options = options
        self.handler = handler
        last = read(root)
    }

    func announceInitialValue(of root: Root) { handler(root, change(from: nil, to: last)) }

    func deliverChange(set: Set<AnyKeyPath>) {
        guard let root else { return }
        let (old, new) = (last, read(root))
        guard set.contains(keyPath) || !areEqual(old, new) else { return }
        last = new
        if options.contains(.prior) { handler(root, change(from: old, to: nil, isPrior: true)) }
        handler(root, change(from: old, to: new))
    }

    private func change(from old: Value?, to new: Value?, isPrior: Bool = false) -> NSKeyValueObservedChange<Value> {
        NSKeyValueObservedChange(
            kind: .setting, newValue: options.contains(.new) ? new : nil, oldValue: options.contains(.old) ? old : nil,
            indexes: nil, isPrior: isPrior)
    }
}

/// Values of a type that is not Equatable always differ.
private func areEqual<Value>(_ a: Value, _ b: Value) -> Bool {
    func areEqual<Known: Equatable>(as type: Known.Type) -> Bool { a as? Known == b as? Known }
    guard let type = Value.self as? any Equatable.Type else { return false }
    return areEqual(as: type)
}
