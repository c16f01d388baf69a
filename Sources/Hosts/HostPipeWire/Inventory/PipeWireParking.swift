/// The names of a guard's sinks, which are unique to one connection.
///
/// A target that names a sink of another connection is a leftover. That includes this process' former connection, and a guard with
/// the same process id in another namespace. The process id in the name is only for people.
package struct PipeWireParking: Hashable, Sendable {
    package static let prefix = "audiosession.guard."

    package let catchName: String
    package let holdName: String
    package let duckName: String

    /// - Parameter nonce: a number that is unique to the connection.
    package init(processID: Int32, nonce: UInt64 = .random(in: .min ... .max)) {
        let owner = "\(processID)-\(String(nonce, radix: 16))"
        catchName = "\(Self.prefix)catch.\(owner)"
        holdName = "\(Self.prefix)hold.\(owner)"
        duckName = "\(Self.prefix)duck.\(owner)"
    }

    /// Whether the name is that of any guard's holding sink.
    static func isHold(_ name: String) -> Bool { name.hasPrefix(prefix + "hold.") }

    /// Whether the target was set by a guard.
    package static func isTarget(_ value: String) -> Bool { value.hasPrefix(prefix) }
}
