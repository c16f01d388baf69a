package import AudioModel
package import GuardCore

/// The guard's view of the machine: outputs, and the streams of all programs.
///
/// Facts come one after the other, and never while `perform` runs. The first ones may come before `start` returns.
package protocol GuardHost: AnyObject, Sendable {
    /// Connects, claims the server and begins to report: first all existing objects, then `settled`; the same again after
    /// `takeServer`.
    ///
    /// If the server ends, the host waits for the next one until `shutdown`.
    func start(deliver: @escaping @Sendable (GuardFact) -> Void) throws(HostError)

    /// Runs `body` between two facts. Commands are allowed only inside `body` and in `deliver`.
    func perform<R>(_ body: () -> R) -> R

    func apply(_ command: GuardCommand)

    func now() -> HostTime

    /// Ends the guard's sinks: the session manager moves held streams to the default. Any thread except the host's own.
    func shutdown()
}
