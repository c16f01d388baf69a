import Foundation
import OpenAVFAudio

/// A block observer of the default center, for as long as it lives.
final class Observer {
    private let token: any NSObjectProtocol

    /// - Parameter object: a test observes its own session only, so that tests may run side by side.
    init(
        _ name: Notification.Name, object: AVAudioSession?, queue: OperationQueue? = nil,
        _ block: @escaping @Sendable (Notification) -> Void
    ) {
        token = NotificationCenter.default.addObserver(forName: name, object: object, queue: queue, using: block)
    }

    deinit { NotificationCenter.default.removeObserver(token) }
}
