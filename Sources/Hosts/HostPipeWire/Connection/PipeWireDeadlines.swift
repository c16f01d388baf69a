package import AudioModel

/// The times for which a connection's loop waits with one timer.
///
/// Pure.
package struct PipeWireDeadlines: Sendable {
    package enum Purpose: Hashable, Sendable {
        /// Read the metadata again, see `PipeWireMetadataReading`.
        case metadata
        /// A ranking was read, which the loop thread must report.
        case ranking
        /// The guard asked to be woken.
        case wake
        /// Report; `start` has returned by then.
        case report
        /// No fact has arrived for a while.
        case rest
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

    /// Replaces an earlier time for the same purpose; nil removes it.
    package mutating func set(_ purpose: Purpose, at time: HostTime?) { times[purpose] = time }

    /// As `set`, but an earlier time stays.
    mutating func advance(_ purpose: Purpose, to time: HostTime) { times[purpose] = min(times[purpose] ?? time, time) }

    var next: HostTime? { times.values.min() }

    /// Removes the purposes whose time has come, the earliest first.
    mutating func removeDue(at now: HostTime) -> [Purpose] {
        let due = times.filter { $0.value <= now }.sorted { $0.value < $1.value }.map(\.key)
        for purpose in due { times[purpose] = nil }
        return due
    }
}
