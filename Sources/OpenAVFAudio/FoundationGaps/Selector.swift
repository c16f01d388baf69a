public import Foundation

#if canImport(ObjectiveC)
    public import ObjectiveC

    private enum MainThread {
        static var isCurrent: Bool { Thread.isMainThread }
    }
#else
    internal import AudioRuntime

    /// A method of an observer, made from an unapplied method reference: `Selector(Player.handleInterruption)`.
    ///
    /// It replaces `#selector(Player.handleInterruption)`, which the compiler accepts only with Objective-C. On Apple's
    /// platforms the same source makes an Objective-C selector.
    ///
    /// Source: ours (decision 20).
    public struct Selector: Sendable {
        let observerType: AnyObject.Type
        let call: @Sendable (AnyObject, Notification) -> Void

        init(of observerType: AnyObject.Type, calling call: @escaping @Sendable (AnyObject, Notification) -> Void) {
            self.observerType = observerType
            self.call = call
        }
    }
#endif

extension Selector {
    /// A method that takes the notification.
    @preconcurrency
    public init<Observer: AnyObject>(_ method: @escaping @Sendable (Observer) -> (Notification) -> Void) {
        self.init(of: Observer.self) { method(unsafeDowncast($0, to: Observer.self))($1) }
    }

    /// A method that takes the notification as an object.
    @preconcurrency
    public init<Observer: AnyObject>(_ method: @escaping @Sendable (Observer) -> (NSNotification) -> Void) {
        self.init(of: Observer.self) { method(unsafeDowncast($0, to: Observer.self))(NSNotification($1)) }
    }

    /// A method without parameters.
    @preconcurrency
    public init<Observer: AnyObject>(_ method: @escaping @Sendable (Observer) -> () -> Void) {
        self.init(of: Observer.self) { observer, _ in method(unsafeDowncast(observer, to: Observer.self))() }
    }

    /// A method of the main actor that takes the notification.
    ///
    /// A notification that is posted on another thread reaches the method later, on the main thread.
    public init<Observer: AnyObject>(_ method: @escaping @Sendable (Observer) -> @MainActor (Notification) -> Void) {
        self.init(ofMainActor: Observer.self) { method($0)($1) }
    }

    /// A method of the main actor that takes the notification as an object.
    ///
    /// A notification that is posted on another thread reaches the method later, on the main thread.
    public init<Observer: AnyObject>(_ method: @escaping @Sendable (Observer) -> @MainActor (NSNotification) -> Void) {
        self.init(ofMainActor: Observer.self) { method($0)(NSNotification($1)) }
    }

    /// A method of the main actor without parameters.
    ///
    /// A notification that is posted on another thread reaches the method later, on the main thread.
    public init<Observer: AnyObject>(_ method: @escaping @Sendable (Observer) -> @MainActor () -> Void) {
        self.init(ofMainActor: Observer.self) { observer, _ in method(observer)() }
    }

    private init<Observer: AnyObject>(
        ofMainActor observerType: Observer.Type,
        calling call: @escaping @MainActor @Sendable (Observer, Notification) -> Void
    ) {
        self.init(of: observerType) { observer, notification in
            // As in Foundation's `addObserver(forName:object:queue:using:)` with a queue, the poster must make `userInfo` fit
            // for another thread. Only the main thread uses the observer.
            nonisolated(unsafe) let observer = unsafeDowncast(observer, to: Observer.self)
            nonisolated(unsafe) let notification = notification
            let deliver = { @Sendable in MainActor.assumeIsolated { call(observer, notification) } }
            if MainThread.isCurrent { deliver() } else { OperationQueue.main.addOperation(deliver) }
        }
    }
}

extension NSNotification {
    fileprivate convenience init(_ notification: Notification) {
        self.init(name: notification.name, object: notification.object, userInfo: notification.userInfo)
    }
}

#if canImport(ObjectiveC)
    extension Selector {
        /// Adds a method with a name of its own to the observer's class.
        init(of observerType: AnyObject.Type, calling call: @escaping @Sendable (AnyObject, Notification) -> Void) {
            let method: @convention(block) (AnyObject, NSNotification) -> Void = { call($0, $1 as Notification) }
            self = sel_registerName("openAVFAudioObserver\(UUID().uuidString.filter(\.isHexDigit)):")
            class_addMethod(observerType, self, imp_implementationWithBlock(method), "v@:@")
        }
    }
#endif
