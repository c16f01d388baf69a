#if !canImport(ObjectiveC)
    internal import SessionRuntime
    public import Foundation

    // What Foundation has on Apple's platforms and lacks on Linux (swift-corelibs-foundation of Swift 6.3).
    extension NotificationCenter {
        /// Calls a method of `observer` for each notification, on the thread that posts it.
        ///
        /// Any thread. The center does not keep the observer. `removeObserver` is optional: notifications for a released
        /// observer are dropped. In a test with a simulated machine of its own, an observer without an object does not
        /// receive those of other machines.
        ///
        /// Source: Apple documentation, "addObserver(_:selector:name:object:)".
        ///
        /// - Parameters:
        ///   - observer: an object of the class that the selector names, or of a subclass.
        ///   - aSelector: `Selector(Player.handleInterruption)`.
        ///   - aName: nil is any name.
        ///   - anObject: only notifications of this object; nil is any object.
        public func addObserver(
            _ observer: Any, selector aSelector: Selector, name aName: NSNotification.Name?, object anObject: Any?
        ) {
            let observer = observer as AnyObject
            aSelector.check(observer, from: "notification center", sends: [Notification.self, NSNotification.self])
            SelectorObservers.shared.add(observer, aSelector, to: self, name: aName, object: anObject)
        }

        /// Removes all observations of `observer`: the methods added with a selector, or the block that a token stands for.
        ///
        /// Any thread.
        ///
        /// Source: Apple documentation, "removeObserver(_:)".
        public func removeObserver(_ observer: AnyObject) {
            SelectorObservers.shared.remove(observer, from: self, name: nil, object: nil)
            removeObserver(observer as Any)
        }

        /// Removes the observations of `observer` with this name and this object; nil is any.
        ///
        /// Any thread.
        ///
        /// Source: Apple documentation, "removeObserver(_:name:object:)".
        public func removeObserver(_ observer: AnyObject, name aName: NSNotification.Name?, object anObject: Any?) {
            SelectorObservers.shared.remove(observer, from: self, name: aName, object: anObject)
            removeObserver(observer as Any, name: aName, object: anObject)
        }
    }

    /// The observers with selectors of all notification centers.
    ///
    /// `@unchecked Sendable`: `observations` is read and written under `lock` only; no call to a center is made under it.
    private final class SelectorObservers: @unchecked Sendable {
        static let shared = SelectorObservers()

        private let lock = NSLock()
        private var observations: [Observation] = []

        private struct Observation {
            weak var observer: AnyObject?
            weak var center: NotificationCenter?
            let name: NSNotification.Name?
            let object: ObjectIdentifier?
            let token: any NSObjectProtocol

            func matches(
                _ observer: AnyObject, in center: NotificationCenter, name: NSNotification.Name?,
                object: ObjectIdentifier?
            ) -> Bool {
                self.observer === observer && self.center === center && (name == nil || name == self.name)
                    && (object == nil || object == self.object)
            }
        }

        func add(
            _ observer: AnyObject, _ selector: Selector, to center: NotificationCenter, name: NSNotification.Name?,
            object: Any?
        ) {
            // Used on the thread that posts, as on Apple's platforms.
            let target = WeakBox(observer)
            let scope = ObserverScope(object: object)
            let token = center.addObserver(forName: name, object: object, queue: nil) { notification in
                if scope.includes(notification), let observer = target.object { selector.call(observer, notification) }
            }
            let observation = Observation(
                observer: observer, center: center, name: name, object: identifier(of: object), token: token)
            drop { _ in false }
            lock.withLock { observations.append(observation) }
        }

        func remove(
            _ observer: AnyObject, from center: NotificationCenter, name: NSNotification.Name?, object: Any?
        ) {
            let object = identifier(of: object)
            drop { $0.matches(observer, in: center, name: name, object: object) }
        }

        /// Removes the matching observations, and those of released observers: an observer that is being deinitialised
        /// counts as released.
        private func drop(where isDropped: (Observation) -> Bool) {
            let dropped = lock.withLock { () -> [Observation] in
                let dropped = observations.filter { $0.observer == nil || isDropped($0) }
                if !dropped.isEmpty { observations.removeAll { $0.observer == nil || isDropped($0) } }
                return dropped
            }
            for observation in dropped { observation.center?.removeObserver(observation.token as Any) }
        }

        private func identifier(of object: Any?) -> ObjectIdentifier? {
            object.map { ObjectIdentifier($0 as AnyObject) }
        }
    }
#endif
