import Foundation

/// An object of the app's that other threads use, or hand to its delegate or to the notification center; does not keep it
/// alive.
///
/// `@unchecked Sendable`: `stored` is read and written under `lock` only, and what it gives is only handed over.
package final class WeakBox<Object: AnyObject>: @unchecked Sendable {
    private let lock = NSLock()
    private weak var stored: Object?

    package init(_ object: Object? = nil) { stored = object }

    /// Nil once it is gone.
    package var object: Object? {
        get { lock.withLock { stored } }
        set { lock.withLock { stored = newValue } }
    }
}
