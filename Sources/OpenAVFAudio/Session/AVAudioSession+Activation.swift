internal import Foundation
internal import SessionCore

// Activation without waiting. Source: SDK header AVAudioSession.h (iOS 27).
extension AVAudioSession {
    /// Asks for the right to sound; does not wait.
    ///
    /// An activation drops every deactivation that was asked for with `deactivate` and has not been carried out yet:
    /// the app wants to sound now.
    ///
    /// - Parameter handler: called once, on the thread that tells of routes, never on the caller's: true, or false and
    ///   an `NSError` whose code is an ``ErrorCode`` raw value.
    public func activate(
        options: AVAudioSessionActivationOptions = [],
        completionHandler handler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        runtime.activate { [self] error in
            deliver { handler(error == nil, error.map { NSError($0) }) }
        }
    }

    /// Asks for the right to sound and suspends until the answer; a cancelled task waits for it too.
    ///
    /// - Returns: true.
    /// - Throws: `NSError` with the ``ErrorCode`` that the session or its server answers with.
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

    /// Gives the right to sound back; does not wait.
    ///
    /// What plays is paused.
    ///
    /// - Parameter handler: called once, on the thread that tells of routes, never on the caller's: true; false without
    ///   an error when the app has asked for an activation since, so that the session stays as it is; or false and an
    ///   `NSError` whose code is an ``ErrorCode`` raw value.
    public func deactivate(
        options: AVAudioSessionDeactivationOptions = [],
        completionHandler handler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        runtime.deactivate(notifyOthers: options.contains(.notifyOthersOnDeactivation)) { [self] isDone, error in
            deliver { handler(isDone, error.map { NSError($0) }) }
        }
    }

    /// Calls a handler of the app's, for which `sharedInstance()` is this session; it lives until then.
    private func deliver(_ call: @escaping @Sendable () -> Void) {
        runtime.notices.enqueue { [self] in AVAudioSession.$taskSession.withValue(self) { call() } }
    }

    /// Gives the right to sound back and suspends until that is done; a cancelled task waits for it too.
    ///
    /// What plays is paused.
    ///
    /// - Returns: false when the app has asked for an activation since, so that the session stays as it is.
    /// - Throws: `NSError` with the ``ErrorCode`` that the session or its server answers with.
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
