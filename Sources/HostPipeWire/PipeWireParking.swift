/// The names of the guard's sinks.
///
/// They hold the process id: a target that a killed guard has left behind names a sink that no other guard makes.
package struct PipeWireParking: Hashable, Sendable {
    package static let prefix = "audiosession.guard."

    package let catchName: String
    package let holdName: String
    package let duckName: String

    package init(processID: Int32) {
        catchName = "\(Self.prefix)catch.\(processID)"
        holdName = "\(Self.prefix)hold.\(processID)"
        duckName = "\(Self.prefix)duck.\(processID)"
    }

    /// A sink, of any guard, at which streams stand still.
    static func isHold(_ name: String) -> Bool { name.hasPrefix(prefix + "hold.") }

    /// A target that some guard has set.
    package static func isTarget(_ value: String) -> Bool { value.hasPrefix(prefix) }
}
