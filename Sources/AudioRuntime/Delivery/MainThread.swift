internal import Dispatch
internal import Foundation

/// The thread that serves `DispatchQueue.main`.
package enum MainThread {
    private static let key: DispatchSpecificKey<Void> = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()

    /// `Thread.isMainThread` alone is false on the main queue of a program with an async `main`.
    package static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: key) != nil }
}
