internal import HostInterface
internal import SessionRuntime

/// The simulated machine of the test in which an observer without an object was added; tests run side by side, and
/// `NotificationCenter` posts to all of them.
///
/// Any thread.
struct TestMachineScope: Sendable {
    /// Nil outside of such a test.
    private let machine: WeakBox<AnyObject>?

    /// The scope of the current task.
    init() {
        machine = AVAudioSession.taskSession.map { WeakBox($0.runtime.host.machineIdentity) }
    }

    /// Whether the observer is to receive what is posted in the current task.
    ///
    /// The poster runs as a task of its session. Posts of threads and queues that belong to no machine are received by all.
    var includesCurrentPost: Bool {
        guard let machine, let poster = AVAudioSession.taskSession else { return true }
        return poster.runtime.host.machineIdentity === machine.object
    }
}
