import AudioModel
public import Foundation

#if canImport(ObjectiveC)
    public import ObjectiveC

    private enum MainThread {
        static var isCurrent: Bool { Thread.isMainThread }
    }
#else
    internal import SessionRuntime

    /// A method of an observer, made from an unapplied method reference: `Selector(Player.handleInterruption)`.
    ///
    /// It replaces `#selector(Player.handleInterruption)`, which the compiler accepts only with Objective-C. On Apple's
    /// platforms the same source makes an Objective-C selector.
    ///
    /// Source: ours (decision 20).
    public struct Selector: Sendable {
        let observerType: AnyObject.Type
        /// What the method takes; nil where it takes nothing.
        let argumentType: Any.Type?
        let call: @Sendable (AnyObject, Any) -> Void

        init(
            of observerType: AnyObject.Type, taking argumentType: Any.Type?,
            calling call: @escaping @Sendable (AnyObject, Any) -> Void
        ) {
            self.observerType = observerType
            self.argumentType = argumentType
            self.call = call
        }

        /// Ends the program where the target is of another class, or the method takes something else than the sender gives.
        func check(_ target: AnyObject, from sender: String, sends types: [Any.Type]) {
            programmerError(
                unless: isObject(target, of: observerType),
                "The selector is a method of \(observerType), but the observer is of type \(type(of: target)). Pass an "
                    + "observer of that class, or a selector of the observer's class.")
            guard let argumentType else { return }
            programmerError(
                unless: types.contains { $0 == argumentType },
                "The selector's method takes a \(argumentType), and a \(sender) gives a \(types[0]). Pass a method that "
                    + "takes a \(types[0]) or nothing.")
        }

        private func isObject(_ object: AnyObject, of type: AnyObject.Type) -> Bool {
            var own: AnyClass? = Swift.type(of: object)
            while let candidate = own {
                if candidate == type { return true }
                own = _getSuperclass(candidate)
            }
            return false
        }
    }
#endif

/// What the method of a selector takes: a `Notification`, an `NSNotification` or a `Timer`.
public protocol SelectorArgument: SendableMetatype {
    /// nil where the sender gives something else.
    static func argument(_ sent: Any) -> Self?
}

extension SelectorArgument {
    public static func argument(_ sent: Any) -> Self? { sent as? Self }
}

extension Notification: SelectorArgument {}
extension NSNotification: SelectorArgument {
    public static func argument(_ sent: Any) -> Self? {
        (sent as? Notification).flatMap {
            NSNotification(name: $0.name, object: $0.object, userInfo: $0.userInfo) as? Self
        }
    }
}
extension Timer: SelectorArgument {}

extension Selector {
    /// A method that takes the notification or the timer.
    @preconcurrency
    public init<Observer: AnyObject, Argument: SelectorArgument>(
        _ method: @escaping @Sendable (Observer) -> (Argument) -> Void
    ) {
        self.init(of: Observer.self, taking: Argument.self) { observer, sent in
            if let argument = Argument.argument(sent) { method(unsafeDowncast(observer, to: Observer.self))(argument) }
        }
    }

    /// A method without parameters.
    @preconcurrency
    public init<Observer: AnyObject>(_ method: @escaping @Sendable (Observer) -> () -> Void) {
        self.init(of: Observer.self, taking: nil) { observer, _ in
            method(unsafeDowncast(observer, to: Observer.self))()
        }
    }

    /// A method of the main actor that takes the notification or the timer.
    ///
    /// A notification that is posted on another thread reaches the method later, on the main thread.
    public init<Observer: AnyObject, Argument: SelectorArgument>(
        _ method: @escaping @Sendable (Observer) -> @MainActor (Argument) -> Void
    ) {
        self.init(ofMainActor: Observer.self, taking: Argument.self) { observer, sent in
            if let argument = Argument.argument(sent) { method(observer)(argument) }
        }
    }

    /// A method of the main actor without parameters.
    ///
    /// A notification that is posted on another thread reaches the method later, on the main thread.
    public init<Observer: AnyObject>(_ method: @escaping @Sendable (Observer) -> @MainActor () -> Void) {
        self.init(ofMainActor: Observer.self, taking: nil) { observer, _ in method(observer)() }
    }

    private init<Observer: AnyObject>(
        ofMainActor observerType: Observer.Type, taking argumentType: Any.Type?,
        calling call: @escaping @MainActor @Sendable (Observer, Any) -> Void
    ) {
        self.init(of: observerType, taking: argumentType) { observer, sent in
            // As in Foundation's `addObserver(forName:object:queue:using:)` with a queue, the poster must make `userInfo` fit
            // for another thread. Only the main thread uses the observer.
            nonisolated(unsafe) let observer = unsafeDowncast(observer, to: Observer.self)
            nonisolated(unsafe) let sent = sent
            let deliver = { @Sendable in MainActor.assumeIsolated { call(observer, sent) } }
            if MainThread.isCurrent { deliver() } else { OperationQueue.main.addOperation(deliver) }
        }
    }
}

#if canImport(ObjectiveC)
    extension Selector {
        /// Adds a method with a name of its own to the observer's class.
        init(
            of observerType: AnyObject.Type, taking argumentType: Any.Type?,
            calling call: @escaping @Sendable (AnyObject, Any) -> Void
        ) {
            let method: @convention(block) (AnyObject, AnyObject) -> Void = { observer, sent in
                call(observer, (sent as? NSNotification).map { $0 as Notification } ?? sent)
            }
            self = sel_registerName("openAVFAudioObserver\(UUID().uuidString.filter(\.isHexDigit)):")
            class_addMethod(observerType, self, imp_implementationWithBlock(method), "v@:@")
        }
    }
#endif
