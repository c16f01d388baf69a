internal import Foundation
internal import HostInterface
internal import SessionRuntime

/// Which posts an observer of a notification center receives: all, but in a test with a simulated machine those of that
/// machine that were caused after the observer was added.
///
/// Tests run side by side, and `NotificationCenter` posts to all of them. In virtual time, whether a notification of an earlier
/// change is still on its way depends on the speed of threads. Any thread.
struct ObserverScope: Sendable {
    /// Nil outside of such a test, and for an observer with an object.
    private let machine: WeakBox<AnyObject>?
    private let newest = NoticeQueue.newestNumber

    /// The scope of an observer that the current task adds.
    init(object: Any?) {
        machine = object == nil ? AVAudioSession.taskSession.map { WeakBox($0.runtime.host.machineIdentity) } : nil
    }

    /// Whether the observer is to receive what is being posted on this thread: true for what others post, and in real time.
    ///
    /// The poster runs as a task of its session. Posts of threads and queues that belong to no machine are received by all.
    func includes(_ notification: Notification) -> Bool {
        if let machine, let poster = AVAudioSession.taskSession, poster.runtime.host.machineIdentity !== machine.object
        {
            return false
        }
        guard let posted = NotificationPoster.posted, posted.name == notification.name else { return true }
        return posted.number > newest
    }
}
