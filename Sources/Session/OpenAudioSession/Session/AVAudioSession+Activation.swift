internal import AudioModel
public import Foundation
internal import SessionRuntime
internal import Synchronization
internal import Threading

// Activation without waiting. Source: SDK header AVAudioSession.h (iOS 27).
extension AVAudioSession {
    /// Requests activation; does not wait.
    ///
    /// An activation cancels every pending request of `deactivate`.
    ///
    /// - Parameters:
    ///   - options: there are none yet.
    ///   - handler: called once, on the poster thread, never on the caller's: true, or false and an `NSError` whose
    ///     code is an ``ErrorCode`` raw value.
    @preconcurrency
    public func activate(
        options: AVAudioSessionActivationOptions = [],
        completionHandler handler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        // Taken by the thread that calls it, which alone releases it: the session thread would otherwise keep its reference
        // while the handler runs, and might be the last to let go. A deinitialiser of the app's must not run there, as it may
        // call the session.
        let handler = Mutex(Optional(handler))
        runtime.activate { [self] error in
            deliver { handler.withLock { $0.take() }?(error == nil, error.map { NSError($0) }) }
        }
    }

    /// Requests activation and suspends until the answer; a cancelled task also waits.
    ///
    /// - Returns: true.
    /// - Throws: `NSError` with the ``ErrorCode`` of the session or its server.
    @discardableResult
    public func activate(options: AVAudioSessionActivationOptions = []) async throws -> Bool {
        try await answer { answer in runtime.activate { error in answer(error == nil, error) } }
    }

    /// Deactivates the session; does not wait.
    ///
    /// Playing players are paused.
    ///
    /// - Parameters:
    ///   - options: `notifyOthersOnDeactivation` lets the sessions that this one interrupted resume.
    ///   - handler: called once, on the poster thread, never on the caller's: true; false without an error if a later
    ///     activation cancelled the request; or false and an `NSError` whose code is an ``ErrorCode`` raw value.
    @preconcurrency
    public func deactivate(
        options: AVAudioSessionDeactivationOptions = [],
        completionHandler handler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let handler = Mutex(Optional(handler))
        runtime.deactivate(notifyOthers: options.contains(.notifyOthersOnDeactivation)) { [self] isDone, error in
            deliver { handler.withLock { $0.take() }?(isDone, error.map { NSError($0) }) }
        }
    }

    /// Calls a handler of the app's, for which `sharedInstance()` is this session; it lives until then.
    func deliver(_ call: @escaping @Sendable () -> Void) {
        runtime.notices.enqueue { [self] in
            VirtualMachine.waitUntilApplied(runtime.host)
            NoticeQueue.asAppCode { AVAudioSession.$taskSession.withValue(self) { call() } }
        }
    }

    /// Deactivates the session and suspends until that is done; a cancelled task also waits.
    ///
    /// Playing players are paused.
    ///
    /// - Returns: false if a later activation cancelled the request.
    /// - Throws: `NSError` with the ``ErrorCode`` of the session or its server.
    @discardableResult
    public func deactivate(options: AVAudioSessionDeactivationOptions = []) async throws -> Bool {
        try await answer { runtime.deactivate(notifyOthers: options.contains(.notifyOthersOnDeactivation), $0) }
    }

    /// Suspends until the answer to what `ask` asks for.
    private func answer(_ ask: (@escaping @Sendable (Bool, SessionError?) -> Void) -> Void) async throws -> Bool {
        defer { VirtualMachine.deliver(runtime.host) }
        return try await withCheckedThrowingContinuation { continuation in
            let isAnswered = Latch()
            ask { [self] isDone, error in
                withExtendedLifetime(self) {
                    continuation.resume(with: error.map { .failure(NSError($0)) } ?? .success(isDone))
                    isAnswered.raise()
                }
            }
            runtime.passTimeOfTest(until: isAnswered)
        }
    }
}

/// Options of ``AVAudioSession/activate(options:completionHandler:)``; there are none yet.
///
/// Source: SDK header AVAudioSessionTypes.h (iOS 27).
public struct AVAudioSessionActivationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
}

/// Options of ``AVAudioSession/deactivate(options:completionHandler:)``.
///
/// Source: SDK header AVAudioSessionTypes.h (iOS 27).
public struct AVAudioSessionDeactivationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Notifies the sessions that this one interrupted that they may resume.
    public static let notifyOthersOnDeactivation = AVAudioSessionDeactivationOptions(rawValue: 1 << 0)
}

extension AVAudioSession {
    /// Options of `setActive(_:options:)`.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    public struct SetActiveOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Notifies the sessions that this one interrupted that they may resume.
        ///
        /// For deactivation only.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }
}

extension AVAudioSession {
    /// Why the session became inactive: a snapshot.
    ///
    /// Two contexts are equal if their contents are equal. Only the session creates them.
    ///
    /// Source: Apple documentation, "AVAudioSession.DeactivationContext" (iOS 27).
    public final class DeactivationContext: NSObject, Sendable {
        /// Who deactivated the session.
        public let source: DeactivationSource
        /// Nil if the app deactivated the session.
        public let interruptionContext: InterruptionContext?

        /// - Parameter interruptionContext: nil says that the app did it.
        package init(interruptionContext: InterruptionContext?) {
            source = interruptionContext == nil ? .app : .system
            self.interruptionContext = interruptionContext
            super.init()
        }

        public override func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? DeactivationContext else { return false }
            return source == other.source && interruptionContext == other.interruptionContext
        }

        public override var hash: Int { combinedHash(source, interruptionContext) }

        public override var description: String {
            "<AVAudioSessionDeactivationContext: source = \(source); interruptionContext = "
                + "\(interruptionContext?.description ?? "(null)")>"
        }
    }

    /// The cause of a deactivation: the app or the system.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 27).
    @nonexhaustive public enum DeactivationSource: Int, Sendable {
        /// The app called `setActive(false)` or `deactivate`.
        case app = 1
        /// An interruption made the session inactive.
        case system = 2
    }

    /// How the session became inactive.
    ///
    /// Source: Apple documentation, "AVAudioSession.DeactivationResult" (iOS 27).
    @nonexhaustive public enum DeactivationResult: Hashable, Sendable {
        /// The app called `setActive(false)` or `deactivate`.
        case appDeactivated
        /// An interruption made the session inactive; the context has its reason.
        case systemInterruption(AVAudioSession.InterruptionContext)
    }

    /// The session has become active; ``didBecomeActiveNotification`` as a message.
    ///
    /// Source: Apple documentation, "AVAudioSession.DidBecomeActiveMessage" (iOS 27).
    public struct DidBecomeActiveMessage: NotificationCenter.MainActorMessage, Sendable {
        public typealias Subject = AVAudioSession
    }

    /// The session has become inactive; ``didBecomeInactiveNotification`` as a message.
    ///
    /// Source: Apple documentation, "AVAudioSession.DidBecomeInactiveMessage" (iOS 27).
    public struct DidBecomeInactiveMessage: NotificationCenter.MainActorMessage, Sendable {
        public typealias Subject = AVAudioSession

        /// Who made the session inactive.
        public let deactivationResult: DeactivationResult
    }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<AVAudioSession.DidBecomeActiveMessage> {
    /// Identifies ``AVAudioSession/DidBecomeActiveMessage``.
    public static var didBecomeActive: Self { .init() }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<AVAudioSession.DidBecomeInactiveMessage> {
    /// Identifies ``AVAudioSession/DidBecomeInactiveMessage``.
    public static var didBecomeInactive: Self { .init() }
}
