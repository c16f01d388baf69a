/// Why the rig could not do what a test asked for.
///
/// Each text says what to do next.
package enum RigError: Error, Sendable, CustomStringConvertible {
    /// A program that the rig runs is not on this machine: a fault of the set-up, never a reason to skip.
    case programMissing(program: String, package: String, searched: [String])
    /// The tree was built without PipeWire's headers.
    case headersMissing
    /// A daemon ended, or said nothing, instead of becoming ready. `log` is the end of what it printed.
    case daemonNotReady(daemon: String, code: Int32, log: String)
    /// Nothing of the kind happened in time.
    case timedOut(waitingFor: String, after: Duration, seen: String)
    /// The private server is gone: killed or restarted since the object was made.
    case serverLost(operation: String)
    /// PipeWire or the system refused.
    case failed(operation: String, code: Int32)
    /// The rig has been stopped.
    case stopped

    package var description: String {
        switch self {
        case .programMissing(let program, let package, let searched):
            """
            The program "\(program)" is in none of \(searched.joined(separator: ":")). It comes with the Debian package \
            "\(package)": run dev/install-packages test.
            """
        case .headersMissing:
            """
            The PipeWire rig was built without PipeWire's headers. They come with the Debian package \
            "libpipewire-0.3-dev": run dev/install-packages build, then build again.
            """
        case .daemonNotReady(let daemon, let code, let log):
            "\(daemon) did not become ready (\(Self.text(of: code))). Its log ends with: \(log.isEmpty ? "nothing" : log)"
        case .timedOut(let what, let duration, let seen):
            "Timed out after \(duration): \(what). \(seen)"
        case .serverLost(let operation):
            "The private server is gone, so \(operation) is impossible: make the object again after the restart."
        case .failed(let operation, let code):
            "\(operation) failed: \(Self.text(of: code))."
        case .stopped:
            "The rig has been stopped: start a new one."
        }
    }
}
