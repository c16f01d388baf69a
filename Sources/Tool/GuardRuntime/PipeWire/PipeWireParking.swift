internal import HostPipeWire

/// The names of a guard's sinks, which are unique to one connection.
///
/// A target that names a sink of another connection is a leftover. That includes this process' former connection, and a guard with
/// the same process id in another namespace. The process id in the name is only for people.
package struct PipeWireParking: Hashable, Sendable {
    package let catchName: String
    package let holdName: String
    package let duckName: String

    /// - Parameter nonce: a number that is unique to the connection.
    package init(processID: Int32, nonce: UInt64 = .random(in: .min ... .max)) {
        func name(_ sink: String) -> String {
            "\(PipeWireGuardSink.prefix)\(sink).\(processID)-\(String(nonce, radix: 16))"
        }
        catchName = name("catch")
        holdName = name("hold")
        duckName = name("duck")
    }

    /// Whether the target was set by a guard.
    package static func isTarget(_ value: String) -> Bool { value.hasPrefix(PipeWireGuardSink.prefix) }
}
