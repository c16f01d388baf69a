package import AudioModel

/// Where a machine announces its sleep; the program gives one to its host.
package protocol SleepBus: Sendable {
    /// Begins to deliver `sleepAnnounced` and `wokeFromSleep`, in turns and on the bus's own thread.
    func watch(deliver: @escaping @Sendable (HostEvent) -> Void) throws(SleepUnavailable) -> any SleepWatcher
}

/// Delays the machine's sleep after each announcement, until `allow` or for 2 s.
///
/// Session thread.
package protocol SleepWatcher: AnyObject, Sendable {
    /// The answer to one announcement.
    func allow()

    /// No event comes after it; the machine does not wait for us any more.
    ///
    /// Never inside an event. Idempotent.
    func close()

    /// Whether the machine would wait for us, and what there is, in a few words.
    ///
    /// May wait half a second for the first answer.
    var status: (isArmed: Bool, words: String) { get }
}

/// Why sleep is not watched on this machine, in words for people; nothing that plays needs it.
package struct SleepUnavailable: Error {
    package let reason: String

    package init(reason: String) { self.reason = reason }
}
