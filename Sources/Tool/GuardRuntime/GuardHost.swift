package import AudioModel
package import GuardCore

/// The machine as the guard sees it: outputs, and the streams of all programs.
///
/// Facts come one after the other, never before `start` has returned, and never while `perform` runs.
package protocol GuardHost: AnyObject, Sendable {
    /// Connects, claims the server and begins to report: what is there already, then `settled`; the same again after
    /// `takeServer`.
    ///
    /// A server that ends is waited for until `shutdown`.
    func start(deliver: @escaping @Sendable (GuardFact) -> Void) throws(HostError)

    /// Runs `body` between two facts. Commands may be given inside and in `deliver` only.
    func perform<R>(_ body: () -> R) -> R

    func apply(_ command: GuardCommand)

    func now() -> HostTime

    /// Ends both sinks: what is held is moved to the default by the session manager. Any thread but the host's own.
    func shutdown()
}
