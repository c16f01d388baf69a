@testable import SessionRuntime

/// A process whose host has no ports and refuses everything: for tests that write the notices themselves.
func unconnectedRuntime() -> SessionRuntime {
    do {
        return try SessionRuntime(host: UnreachableHost(name: "simulated", because: "A test has no sound server."))
    } catch {
        preconditionFailure("a host without a connection failed to start: \(error)")
    }
}
