internal import Foundation
internal import SessionCore
internal import Synchronization

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
    public func activate(
        options: AVAudioSessionActivationOptions = [],
        completionHandler handler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let handler = HandedOver(handler)
        runtime.activate { [self] error in
            deliver { handler.take()?(error == nil, error.map { NSError($0) }) }
        }
    }

    /// Requests activation and suspends until the answer; a cancelled task also waits.
    ///
    /// - Returns: true.
    /// - Throws: `NSError` with the ``ErrorCode`` of the session or its server.
    @discardableResult
    public func activate(options: AVAudioSessionActivationOptions = []) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            runtime.activate { [self] error in
                withExtendedLifetime(self) {
                    continuation.resume(with: error.map { .failure(NSError($0)) } ?? .success(true))
                }
            }
        }
    }

    /// Deactivates the session; does not wait.
    ///
    /// Playing players are paused.
    ///
    /// - Parameters:
    ///   - options: `notifyOthersOnDeactivation` lets the sessions that this one interrupted resume.
    ///   - handler: called once, on the poster thread, never on the caller's: true; false without an error if a later
    ///     activation cancelled the request; or false and an `NSError` whose code is an ``ErrorCode`` raw value.
    public func deactivate(
        options: AVAudioSessionDeactivationOptions = [],
        completionHandler handler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let handler = HandedOver(handler)
        runtime.deactivate(notifyOthers: options.contains(.notifyOthersOnDeactivation)) { [self] isDone, error in
            deliver { handler.take()?(isDone, error.map { NSError($0) }) }
        }
    }

    /// Calls a handler of the app's, for which `sharedInstance()` is this session; it lives until then.
    func deliver(_ call: @escaping @Sendable () -> Void) {
        runtime.notices.enqueue { [self] in AVAudioSession.$taskSession.withValue(self) { call() } }
    }

    /// Deactivates the session and suspends until that is done; a cancelled task also waits.
    ///
    /// Playing players are paused.
    ///
    /// - Returns: false if a later activation cancelled the request.
    /// - Throws: `NSError` with the ``ErrorCode`` of the session or its server.
    @discardableResult
    public func deactivate(options: AVAudioSessionDeactivationOptions = []) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            runtime.deactivate(notifyOthers: options.contains(.notifyOthersOnDeactivation)) { [self] isDone, error in
                withExtendedLifetime(self) {
                    continuation.resume(with: error.map { .failure(NSError($0)) } ?? .success(isDone))
                }
            }
        }
    }
}

/// A handler of the app's on its way to the thread that calls it, which alone releases it.
///
/// The session thread would otherwise keep its reference while the handler runs, and might be the last to let go: a
/// deinitialiser of the app's must not run there, as it may call the session.
private final class HandedOver<Handler: Sendable>: Sendable {
    private let handler: Mutex<Handler?>

    init(_ handler: Handler) { self.handler = Mutex(handler) }

    func take() -> Handler? { handler.withLock { $0.take() } }
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
