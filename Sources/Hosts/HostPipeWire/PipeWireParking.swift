/// The names of a guard's sinks, which no other connection of any guard has.
///
/// A target that names a sink of another connection is left over, also one of this process' own former connection, or of a guard
/// with the same process id in another namespace. The process id is for people.
package struct PipeWireParking: Hashable, Sendable {
    package static let prefix = "audiosession.guard."

    package let catchName: String
    package let holdName: String
    package let duckName: String

    /// - Parameter nonce: of one connection.
    package init(processID: Int32, nonce: UInt64 = .random(in: .min ... .max)) {
        let owner = "\(processID)-\(String(nonce, radix: 16))"
        catchName = "\(Self.prefix)catch.\(owner)"
        holdName = "\(Self.prefix)hold.\(owner)"
        duckName = "\(Self.prefix)duck.\(owner)"
    }

    /// A sink, of any guard, at which streams stand still.
    static func isHold(_ name: String) -> Bool { name.hasPrefix(prefix + "hold.") }

    /// A target that some guard has set.
    package static func isTarget(_ value: String) -> Bool { value.hasPrefix(prefix) }
}
