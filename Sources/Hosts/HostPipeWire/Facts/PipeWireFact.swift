package import AudioModel

/// One change on the server, in the past tense, as the shim reports it.
package enum PipeWireFact: Hashable, Sendable {
    /// A sink or source appeared, or its description changed.
    case nodeChanged(PipeWireNode)
    case nodeRemoved(id: UInt32)
    /// A port with a channel appeared on any node.
    case portAdded(PipeWireNodePort)
    case portRemoved(id: UInt32)
    /// A device appeared or changed; its routes are reported separately, so the routes in this value do not count.
    case deviceChanged(PipeWireDevice)
    case deviceRemoved(id: UInt32)
    /// The node's own volume; the active route of its card may have another volume.
    case nodeVolumeChanged(nodeID: UInt32, PipeWireVolume)
    /// The volumes of the active routes, by card device.
    case routeVolumesChanged(deviceID: UInt32, [Int32: PipeWireVolume])
    case routesChanged(deviceID: UInt32, routes: [PipeWireRoute], active: [Int32: Int32])
    /// The profiles of a Bluetooth card; `active` is the index of its current profile.
    case profilesChanged(deviceID: UInt32, [PipeWireProfile], active: Int32?)
    /// We have requested another profile from a Bluetooth card.
    case profileRequested(deviceID: UInt32, Int32)
    /// The card has not answered that request.
    case profileRequestExpired(deviceID: UInt32)
    /// The session manager's choice; nil if it has none.
    case defaultNamed(PortDirection, String?)
    /// The user's preference, which the session manager follows whenever that node exists.
    case preferenceNamed(PortDirection, String?)
    /// How the session manager ranks sinks, and the sinks that its user has configured, the newest first.
    case rankingRead(SinkRanking.Rules, stored: [String])
    /// The graph's rate, in hertz.
    case graphRateSet(Double)
    /// The observed rate of a sink, in hertz; nil if none of our streams runs there any more.
    case sinkRateSeen(nodeID: UInt32, Double?)
    /// No fact has arrived for a while: 100 ms on a real server.
    case rested
}
