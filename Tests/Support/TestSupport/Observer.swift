package import Foundation

/// A block observer of the default center, for as long as it lives.
package final class Observer: Sendable {
    /// `@unchecked`: only handed back to the center that made it.
    private struct Token: @unchecked Sendable { let value: any NSObjectProtocol }
    private let token: Token

    /// - Parameter object: a test observes its own session or engine only, so that tests may run side by side.
    package init(
        _ name: Notification.Name, object: AnyObject?, queue: OperationQueue? = nil,
        _ block: @escaping @Sendable (Notification) -> Void
    ) {
        token = Token(
            value: NotificationCenter.default.addObserver(forName: name, object: object, queue: queue, using: block))
    }

    deinit { NotificationCenter.default.removeObserver(token.value) }
}
