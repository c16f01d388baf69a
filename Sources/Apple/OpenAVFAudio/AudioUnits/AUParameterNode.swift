public import Foundation
internal import SessionRuntime
internal import Synchronization

/// A parameter of an audio unit, or a group of them.
///
/// Only the values, the hooks and the observers of a node change. Any thread; observers not on the render thread.
///
/// `@unchecked Sendable`: locks guard what changes; the parent is set before the tree is shared.
///
/// Source: SDK header AUParameters.h.
open class AUParameterNode: NSObject, @unchecked Sendable {
    /// The node's name in code: letters, digits and `_`, unique in its group.
    public let identifier: String
    /// For people.
    public let displayName: String
    /// The group of the node; set once, when the group is made.
    final weak var parent: AUParameterGroup?
    private let lock = NSLock()
    private var hooks = Hooks()
    private let observers = Mutex<[ParameterObserver]>([])

    init(identifier: String, name: String) {
        (self.identifier, displayName) = (identifier, name)
        super.init()
    }

    /// The identifiers from the tree's children down to this node, with dots between them.
    open var keyPath: String {
        guard let parent, !(parent is AUParameterTree) else { return identifier }
        return parent.keyPath + "." + identifier
    }

    /// The name in at most `maximumLength` characters: from the unit's implementation, or shortened.
    open func displayName(withLength maximumLength: Int) -> String {
        if let name = hook(\.displayName) { return name(self, maximumLength) }
        return String(displayName.prefix(max(maximumLength, 0)))
    }

    /// The node at a key path, such as `lfo.rate`; a parameter's value if the path ends in `.value`.
    ///
    /// - Returns: nil if there is none.
    open func value(forKeyPath keyPath: String) -> Any? {
        var found: Any? = self
        for key in keyPath.split(separator: ".", omittingEmptySubsequences: false) {
            guard let node = found as? AUParameterNode else { return nil }
            found = node.value(forKey: String(key))
        }
        return found
    }

    /// The child with that identifier; for a parameter, the value for the key `value`.
    ///
    /// - Returns: nil if there is none.
    open func value(forKey key: String) -> Any? { nil }

    // MARK: Observers

    /// Adds an observer of this parameter, or of all parameters in this group.
    ///
    /// A thread of the library calls one observer after the other. If a value changes several times before the call,
    /// the observer gets the last value only.
    ///
    /// - Returns: the token for `removeParameterObserver` and `setValue(_:originator:)`.
    open func token(byAddingParameterObserver observer: @escaping AUParameterObserver) -> AUParameterObserverToken {
        nonisolated(unsafe) let observer = observer
        return add(.newest { observer($0, $1) })
    }

    /// Adds an observer that gets each change, in order.
    open func token(
        byAddingParameterRecordingObserver observer: @escaping AUParameterRecordingObserver
    ) -> AUParameterObserverToken {
        nonisolated(unsafe) let observer = observer
        return add(
            .each { event in
                guard event.eventType == .value else { return }
                let recorded = AURecordedParameterEvent(
                    hostTime: event.hostTime, address: event.address, value: event.value)
                withUnsafePointer(to: recorded) { observer(1, $0) }
            })
    }

    /// Adds an observer that gets each change and each touch, in order.
    open func token(
        byAddingParameterAutomationObserver observer: @escaping AUParameterAutomationObserver
    ) -> AUParameterObserverToken {
        nonisolated(unsafe) let observer = observer
        return add(.each { event in withUnsafePointer(to: event) { observer(1, $0) } })
    }

    private func add(_ kind: ParameterObserver.Kind) -> AUParameterObserverToken {
        let observer = ParameterObserver(kind)
        observers.withLock { $0.append(observer) }
        tree?.observeUnit()
        return observer.token
    }

    private var tree: AUParameterTree? {
        var node: AUParameterNode? = self
        while let current = node {
            if let tree = current as? AUParameterTree { return tree }
            node = current.parent
        }
        return nil
    }

    /// Removes an observer of this node, and waits for a running call of it, unless the caller is inside of an
    /// observer.
    ///
    /// A token that this node does not know has no effect.
    open func removeParameterObserver(_ token: AUParameterObserverToken) {
        let removed = observers.withLock { observers -> ParameterObserver? in
            guard let index = observers.firstIndex(where: { $0.token == token }) else { return nil }
            return observers.remove(at: index)
        }
        removed?.end()
    }

    /// The observers of this node and of the groups around it.
    final var allObservers: [ParameterObserver] {
        observers.withLock { $0 } + (parent?.allObservers ?? [])
    }

    // MARK: Hooks of the unit's implementation

    /// Called with each value that is set on the parameter, or on a parameter of the group, on the thread that sets it.
    ///
    /// The hook of the innermost node that has one is called.
    open var implementorValueObserver: AUImplementorValueObserver {
        get { hook(\.valueObserver) ?? { _, _ in } }
        set { setHook(\.valueObserver, newValue) }
    }

    /// Called to read the value of the parameter, or of a parameter of the group, on the thread that reads it.
    ///
    /// Without a hook, the value is the one that was set last. The hook of the innermost node that has one is called.
    open var implementorValueProvider: AUImplementorValueProvider {
        get { hook(\.valueProvider) ?? { $0.storedValue } }
        set { setHook(\.valueProvider, newValue) }
    }

    /// Called to get the text of a value.
    open var implementorStringFromValueCallback: AUImplementorStringFromValueCallback {
        get { hook(\.stringFromValue) ?? { $0.ownText(of: $1?.pointee ?? $0.value) } }
        set { setHook(\.stringFromValue, newValue) }
    }

    /// Called to get the value of a text.
    open var implementorValueFromStringCallback: AUImplementorValueFromStringCallback {
        get { hook(\.valueFromString) ?? { $0.ownValue(of: $1) } }
        set { setHook(\.valueFromString, newValue) }
    }

    /// Called for a name of a length.
    open var implementorDisplayNameWithLengthCallback: AUImplementorDisplayNameWithLengthCallback {
        get { hook(\.displayName) ?? { String($0.displayName.prefix(max($1, 0))) } }
        set { setHook(\.displayName, newValue) }
    }

    struct Hooks {
        var valueObserver: AUImplementorValueObserver?
        var valueProvider: AUImplementorValueProvider?
        var stringFromValue: AUImplementorStringFromValueCallback?
        var valueFromString: AUImplementorValueFromStringCallback?
        var displayName: AUImplementorDisplayNameWithLengthCallback?
    }

    /// The hook of this node, or of the innermost group around it that has one.
    final func hook<Hook>(_ member: KeyPath<Hooks, Hook?>) -> Hook? {
        var node: AUParameterNode? = self
        while let current = node {
            if let hook = current.lock.withLock({ current.hooks[keyPath: member] }) { return hook }
            node = current.parent
        }
        return nil
    }

    private func setHook<Hook>(_ member: WritableKeyPath<Hooks, Hook?>, _ hook: Hook) {
        // The old hook is released outside of the lock, because that may run the app's code.
        let old = lock.withLock {
            let old = hooks
            hooks[keyPath: member] = hook
            return old
        }
        withExtendedLifetime(old) {}
    }
}

/// One observer of parameters, with the values that are not delivered yet.
///
/// Any thread. `@unchecked Sendable`: one thread calls the closure, one call after the other.
final class ParameterObserver: @unchecked Sendable {
    enum Kind {
        /// Gets the newest value of each parameter.
        case newest(@Sendable (AUParameterAddress, AUValue) -> Void)
        /// Gets each event.
        case each(@Sendable (AUParameterAutomationEvent) -> Void)
    }

    private let kind: Kind
    /// The values for which a call is queued.
    private let newest = Mutex<[AUParameterAddress: AUValue]>([:])
    private let calls = ObserverCalls(on: ParameterObserver.thread)

    /// The one thread that calls observers.
    private static let thread = DeliveryThread(name: "oav-parameters")

    init(_ kind: Kind) { self.kind = kind }

    var token: AUParameterObserverToken { Unmanaged.passUnretained(self).toOpaque() }

    func report(_ event: AUParameterAutomationEvent) {
        switch kind {
        case .newest(let call):
            guard event.eventType == .value else { return }
            let address = event.address
            let isFirst = newest.withLock { $0.updateValue(event.value, forKey: address) == nil }
            guard isFirst else { return }
            calls.enqueue {
                guard let value = self.newest.withLock({ $0.removeValue(forKey: address) }) else { return }
                call(address, value)
            }
        case .each(let call):
            calls.enqueue { call(event) }
        }
    }

    /// Ends the calls, and waits for a running call, unless the caller is inside of it.
    func end() { calls.end() }

    /// For tests: waits until every queued call of an observer has run.
    static func drain() { thread.drain() }
}
