internal import AudioModel

/// The times for which a connection's loop waits with one timer.
///
/// Pure.
struct PipeWireDeadlines: Sendable {
    enum Purpose: Hashable, Sendable {
        /// Report; `start` has returned by then.
        case report
        /// No fact has arrived for a while.
        case rest
        /// Read the metadata again, see `PipeWireMetadataReading`.
        case metadata
        /// A change in another program has lasted, see `PipeWireProgramTracker`.
        case programs
        /// The server should have read a release by then.
        case unreadRelease
        /// A Bluetooth card is asked again or switches back, see `PipeWireProfileSwitch`.
        case profile(deviceID: UInt32)
        /// A session manager is starting, see `PipeWireManagerStart`.
        case managerStart
        /// Make links on the loop thread, outside the call that requested them.
        case links
        /// A stream waits, see `PipeWireStreamTracker`.
        case stream(StreamID)
        /// The session asked to be woken.
        case alarm(HostTime)
    }

    private var times: [Purpose: HostTime] = [:]

    /// Replaces an earlier time for the same purpose.
    mutating func set(_ purpose: Purpose, at time: HostTime) { times[purpose] = time }

    mutating func remove(_ purpose: Purpose) { times[purpose] = nil }

    var next: HostTime? { times.values.min() }

    /// Removes the purposes whose time has come, the earliest first.
    mutating func removeDue(at now: HostTime) -> [Purpose] {
        let due = times.filter { $0.value <= now }.sorted { $0.value < $1.value }.map(\.key)
        for purpose in due { times[purpose] = nil }
        return due
    }
}
