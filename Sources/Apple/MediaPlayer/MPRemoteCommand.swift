public import Foundation
import Synchronization
import Threading

/// Something that the user can ask for; `MPRemoteCommandCenter` has them.
///
/// Any thread. Handlers are called on the main queue, in the order in which they were added.
open class MPRemoteCommand: NSObject, @unchecked Sendable {
    /// Rule: handlers are called on the main queue only.
    private struct Target: @unchecked Sendable {
        let token: NSObject
        let handler: (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus
    }

    private struct State {
        var isEnabled = true
        var targets: [Target] = []
        var onChange: @Sendable () -> Void = {}
    }

    private let state = Mutex(State())

    /// A command of no center, which nothing asks for: for a double of an app's tests.
    public override init() {}

    /// Whether the user may ask for it; true at first.
    open var isEnabled: Bool {
        get { state.withLock { $0.isEnabled } }
        set { change { $0.isEnabled = newValue } }
    }

    /// Adds a function that is called when the user asks for this.
    ///
    /// - Parameter handler: called on the main queue.
    /// - Returns: what `removeTarget(_:)` takes.
    @discardableResult
    open func addTarget(handler: @escaping (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus) -> Any {
        let target = Target(token: NSObject(), handler: handler)
        change { $0.targets.append(target) }
        return target.token
    }

    /// Removes a function that `addTarget(handler:)` has added.
    ///
    /// - Parameter target: what `addTarget(handler:)` returned; nil removes all functions.
    open func removeTarget(_ target: Any?) {
        let token = (target as? NSObject).map(ObjectIdentifier.init)
        change { state in state.targets.removeAll { target == nil || ObjectIdentifier($0.token) == token } }
    }

    @available(*, unavailable, message: "there are no Objective-C selectors; use addTarget { … } with a closure")
    public func addTarget(_ target: Any, action: Any) { fatalError() }

    @available(*, unavailable, message: "there are no Objective-C selectors; use removeTarget(_:) and a token")
    public func removeTarget(_ target: Any, action: Any?) { fatalError() }

    // MARK: -

    var isAvailable: Bool { state.withLock { $0.isEnabled && !$0.targets.isEmpty } }

    func onChange(_ onChange: @escaping @Sendable () -> Void) { state.withLock { $0.onChange = onChange } }

    private func change(_ body: (inout State) -> Void) {
        let before = state.withLock { state in
            defer { body(&state) }
            return state
        }
        // Handlers that it has no more are released without the lock: an object of the app's may go with them.
        withExtendedLifetime(before) {}
        changed()
    }

    /// Shows the change on the desktop.
    func changed() { state.withLock { $0.onChange }() }

    /// Has the handlers called soon; does nothing while it is disabled.
    func send(_ event: @escaping @Sendable (MPRemoteCommand) -> MPRemoteCommandEvent = { MPRemoteCommandEvent($0) }) {
        DispatchQueue.main.async { [self] in
            let targets = state.withLock { $0.isEnabled ? $0.targets : [] }
            guard !targets.isEmpty else { return }
            let event = event(self)
            // The controls of the bus have no place for an error.
            for target in targets { _ = target.handler(event) }
        }
    }
}
