import AudioModel
public import Foundation
internal import SessionRuntime

// Key-value observing with the names of properties, as Objective-C has it.

/// A class that hears of changes by `observeValue(forKeyPath:of:change:context:)`: the base class of an observer, in place of
/// `NSObject`.
///
/// There every object has that method, and `typealias KeyValueObserver = NSObject` has the same source compile.
///
/// Source: ours; Apple documentation, "observeValue(forKeyPath:of:change:context:)".
open class KeyValueObserver: NSObject {
    /// Called when a property has changed that `addObserver(_:forKeyPath:options:context:)` named; to override.
    ///
    /// On the thread that handlers of `observe(_:)` are called on. A change that no class handles ends the program.
    ///
    /// - Parameters:
    ///   - keyPath: the name that the observer was added with.
    ///   - object: whose property it is.
    ///   - change: what the options asked for; numbers and enumerations as `NSNumber` reads them, nil as `NSNull`.
    ///   - context: what the observer was added with.
    open func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        programmerError(
            "\(type(of: self)) was told a change of \"\(keyPath ?? "")\" that it does not handle. Override "
                + "observeValue(forKeyPath:of:change:context:), and call super for other objects' changes only.")
    }
}

/// The base of classes whose properties can be observed by their names, as those of every object of iOS.
///
/// Its members are open, so that a double of an app's tests may override them.
///
/// Source: ours; Apple documentation, "NSKeyValueObserving".
open class _ObservedByName: KeyValueObserver {
    /// Has an observer told when a property has changed; the observer is not kept.
    ///
    /// Ends the program where the name is none of an observable property. Whoever goes without `removeObserver` is told nothing more.
    ///
    /// Source: Apple documentation, "addObserver(_:forKeyPath:options:context:)".
    ///
    /// - Parameters:
    ///   - observer: its `observeValue(forKeyPath:of:change:context:)` is called.
    ///   - keyPath: the name in Objective-C: `status`, `playbackLikelyToKeepUp`, `currentItem.status`.
    ///   - options: what the change contains, and when it is told.
    ///   - context: comes with each change, and is not followed.
    open func addObserver(
        _ observer: KeyValueObserver, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer?
    ) {
        properties.add(observer, keyPath, options, context)
    }

    /// Removes the observer of a property that was added last.
    ///
    /// Ends the program where there is none, as on iOS.
    ///
    /// Source: Apple documentation, "removeObserver(_:forKeyPath:)".
    open func removeObserver(_ observer: KeyValueObserver, forKeyPath keyPath: String) {
        properties.remove(observer, keyPath) { _ in true }
    }

    /// Removes the observer of a property that was added last with this context.
    ///
    /// Ends the program where there is none, as on iOS.
    ///
    /// Source: Apple documentation, "removeObserver(_:forKeyPath:context:)".
    open func removeObserver(
        _ observer: KeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
    ) {
        properties.remove(observer, keyPath) { $0 == UInt(bitPattern: context) }
    }

    private var properties: any NamedProperties {
        guard let properties = self as? any NamedProperties else {
            programmerError(
                "\(type(of: self)) has no observable properties; derive the class from one of AVFoundation.")
        }
        return properties
    }
}

extension NamedProperties {
    fileprivate func add(
        _ observer: KeyValueObserver, _ keyPath: String, _ options: NSKeyValueObservingOptions,
        _ context: UnsafeMutableRawPointer?
    ) {
        let properties = Self.namedProperties
        guard let property = properties[keyPath] else {
            programmerError(
                "\(Self.self) has no observable property \"\(keyPath.printable)\". Observe one of "
                    + properties.keys.sorted().joined(separator: ", ") + ".")
        }
        let target = WeakBox(observer)
        let address = UInt(bitPattern: context)
        let id = addObserver(of: property.keyPath, property.read, options) { object, change in
            target.object?.observeValue(
                forKeyPath: keyPath, of: object, change: change.dictionary,
                context: UnsafeMutableRawPointer(bitPattern: address))
        }
        _observers.add(.init(observer: ObjectIdentifier(observer), name: keyPath, context: address, id: id))
    }

    fileprivate func remove(
        _ observer: KeyValueObserver, _ keyPath: String, where fits: (_ context: UInt) -> Bool
    ) {
        let isRemoved = _observers.removeNamed {
            $0.observer == ObjectIdentifier(observer) && $0.name == keyPath && fits($0.context)
        }
        programmerError(
            unless: isRemoved,
            "\(type(of: observer)) does not observe \"\(keyPath.printable)\" of \(type(of: self)). Add the observer first, and "
                + "remove it once.")
    }
}

// Generic, so that a double of an app's tests overrides the member of `_ObservedByName` with an `NSObject` as the observer.
@available(*, unavailable, message: "make the observer's class a KeyValueObserver, or use observe(\\.property)")
extension NSObject {
    public func addObserver<Observer: NSObject>(
        _ observer: Observer, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer?
    ) { fatalError() }
    public func removeObserver<Observer: NSObject>(_ observer: Observer, forKeyPath keyPath: String) { fatalError() }
    public func removeObserver<Observer: NSObject>(
        _ observer: Observer, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
    ) { fatalError() }
}

extension NSKeyValueObservedChange<AnyHashable> {
    fileprivate var dictionary: [NSKeyValueChangeKey: Any] {
        var dictionary: [NSKeyValueChangeKey: Any] = [.kindKey: kind.rawValue]
        if isPrior { dictionary[.notificationIsPriorKey] = true }
        dictionary[.newKey] = newValue?.base
        dictionary[.oldKey] = oldValue?.base
        return dictionary
    }
}

/// A class whose observable properties have names.
package protocol NamedProperties: _KeyValueObservable {
    /// By their names in Objective-C.
    static var namedProperties: [String: NamedProperty] { get }
}

/// An observable property, read as Objective-C has it.
package struct NamedProperty {
    package let keyPath: AnyKeyPath
    package let read: (AnyObject) -> AnyHashable

    package init<Root, Value: Hashable>(_ keyPath: KeyPath<Root, Value>) {
        self.init(keyPath) { $0 as Value }
    }

    package init<Root, Value>(_ keyPath: KeyPath<Root, Value>, _ value: @escaping (Value) -> AnyHashable?) {
        self.keyPath = keyPath
        read = { ($0 as? Root).flatMap { value($0[keyPath: keyPath]) } ?? AnyHashable(NSNull()) }
    }

    package static func number<Root, Value: RawRepresentable<Int>>(_ keyPath: KeyPath<Root, Value>) -> NamedProperty {
        NamedProperty(keyPath) { $0.rawValue }
    }

    package static func object<Root, Value>(_ keyPath: KeyPath<Root, Value?>) -> NamedProperty {
        NamedProperty(keyPath) { $0.map { $0 as AnyObject as? NSObject } ?? nil }
    }
}
