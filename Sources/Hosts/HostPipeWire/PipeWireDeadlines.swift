internal import AudioModel

/// The instants that a connection's loop waits for, with one timer.
///
/// Pure.
struct PipeWireDeadlines: Sendable {
    enum Purpose: Hashable, Sendable {
        /// To report; `start` has returned by then.
        case report
        /// No fact has come for a while.
        case rest
        /// The metadata are to be read again, see `PipeWireMetadataReading`.
        case metadata
        /// What other programs have stopped has lasted.
        case programs
        /// The server should have read a release by then.
        case unreadRelease
        /// A Bluetooth card goes back to the profile that it had.
        case profile(deviceID: UInt32)
        /// A session manager starts, see `PipeWireManagerStart`.
        case managerStart
        /// Links are to be made: on the loop thread, outside of the call that asked for them.
        case links
        /// A stream waits, see `PipeWireStreamTracker`.
        case stream(StreamID)
        /// The session asked to be woken.
        case alarm(HostTime)
    }

    private var times: [Purpose: HostTime] = [:]

    /// Takes the place of an earlier time for the same purpose.
    mutating func set(_ purpose: Purpose, at time: HostTime) { times[purpose] = time }

    mutating func remove(_ purpose: Purpose) { times[purpose] = nil }

    var next: HostTime? { times.values.min() }

    /// Those that have come, the earliest first.
    mutating func removeDue(at now: HostTime) -> [Purpose] {
        let due = times.filter { $0.value <= now }.sorted { $0.value < $1.value }.map(\.key)
        for purpose in due { times[purpose] = nil }
        return due
    }
}
