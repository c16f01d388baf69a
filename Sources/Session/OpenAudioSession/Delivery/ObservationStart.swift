internal import Foundation
internal import SessionRuntime

/// The moment since which an observer of a notification center is there.
///
/// In virtual time an observer does not receive what was caused before: whether a notification of an earlier change is still
/// on its way depends on the speed of threads.
///
/// Any thread.
struct ObservationStart: Sendable {
    private let newest = NoticeQueue.newestNumber

    /// Whether what is being posted on this thread was caused later; true for what others post, and in real time.
    func precedes(_ notification: Notification) -> Bool {
        guard let posted = NotificationPoster.posted, posted.name == notification.name else { return true }
        return posted.number > newest
    }
}
