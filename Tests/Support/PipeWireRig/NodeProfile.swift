import CRig

/// Counts the cycles of a program's node, as pw-top does.
///
/// Sendable because the C side locks in every call.
package final class NodeProfile: @unchecked Sendable {
    package struct Reading: Sendable, Equatable, CustomStringConvertible {
        /// In which the node was to run.
        package let cycles: Int
        /// At whose end the node had not finished: ERR of pw-top.
        package let errors: Int

        package var description: String { "\(errors) of \(cycles) cycles not finished" }
    }

    private let connection: RigConnection
    private let pointer: OpaquePointer

    init(connection: RigConnection, pointer: OpaquePointer) {
        (self.connection, self.pointer) = (connection, pointer)
    }

    /// Since it was made.
    package var reading: Reading {
        let reading = oav_rig_node_profile_read(connection.pointer, pointer)
        return Reading(cycles: Int(reading.cycles), errors: Int(reading.errors))
    }
}
