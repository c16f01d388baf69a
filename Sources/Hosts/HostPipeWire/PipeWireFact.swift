package import AudioModel

/// One change on the server, in the past tense, as the shim tells it.
package enum PipeWireFact: Hashable, Sendable {
    /// A sink or source came, or its description changed.
    case nodeChanged(PipeWireNode)
    case nodeRemoved(id: UInt32)
    /// A port with a channel came, of any node.
    case portAdded(PipeWireNodePort)
    case portRemoved(id: UInt32)
    /// A device came or changed; its routes are told apart from it, so those of `device` do not count.
    case deviceChanged(PipeWireDevice)
    case deviceRemoved(id: UInt32)
    /// The volume of the node itself; the active route of its card may have another.
    case nodeVolumeChanged(nodeID: UInt32, PipeWireVolume)
    /// The volumes of the active routes, by card device.
    case routeVolumesChanged(deviceID: UInt32, [Int32: PipeWireVolume])
    case routesChanged(deviceID: UInt32, routes: [PipeWireRoute], active: [Int32: Int32])
    /// Of a Bluetooth card; `active` is the index of the profile that it is in.
    case profilesChanged(deviceID: UInt32, [PipeWireProfile], active: Int32?)
    /// We have asked a Bluetooth card for another profile.
    case profileRequested(deviceID: UInt32, Int32)
    /// The card has not answered that request.
    case profileRequestExpired(deviceID: UInt32)
    /// The session manager's choice; nil when it has none.
    case defaultNamed(PortDirection, String?)
    /// The user's standing preference, which the session manager follows whenever that node is there.
    case preferenceNamed(PortDirection, String?)
    /// How the session manager ranks sinks, and the sinks that its user has configured, the newest first.
    case rankingRead(SinkRanking.Rules, stored: [String])
    /// The rate that the graph is set to, in hertz.
    case graphRateSet(Double)
    /// The rate at which a sink was seen to run, in hertz; nil: nothing of ours runs there any more.
    case sinkRateSeen(nodeID: UInt32, Double?)
    /// Nothing has changed for a while: 100 ms, on a real server.
    case rested
}
