/// The names of guards' sinks.
package enum PipeWireGuardSink {
    package static let prefix = "audiosession.guard."

    /// Whether the name is that of any guard's holding sink.
    static func isHold(_ name: String) -> Bool { name.hasPrefix(prefix + "hold.") }
}
