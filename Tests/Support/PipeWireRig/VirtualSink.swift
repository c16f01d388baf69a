import CRig

/// A sink of the private server.
///
/// It stays until destroyed, or until the server ends.
///
/// Sendable because the C side locks in every call.
package final class VirtualSink: @unchecked Sendable {
    package let name: String
    package let meter: SinkMeter
    private let rig: PrivatePipeWire  // kept alive: without it the server ends
    private let connection: RigConnection
    private let pointer: OpaquePointer

    init(rig: PrivatePipeWire, connection: RigConnection, pointer: OpaquePointer, name: String, meter: SinkMeter) {
        self.rig = rig
        self.connection = connection
        self.pointer = pointer
        self.name = name
        self.meter = meter
    }

    package var nodeID: UInt32 { oav_rig_device_node_id(pointer) }

    /// Takes the sink away as a pulled plug does.
    ///
    /// - Returns: the time just before, CLOCK_MONOTONIC in nanoseconds; 0 if it was gone already.
    @discardableResult
    package func destroy() -> UInt64 {
        oav_rig_device_destroy(pointer)
    }
}
