package import AudioModel

/// The volume of a node, or of an active route.
package struct PipeWireVolume: Hashable, Sendable {
    package var port: PortVolume
    /// Those that are set together.
    package var channelCount: UInt32

    package init(_ port: PortVolume, channelCount: UInt32 = 2) {
        self.port = port
        self.channelCount = channelCount
    }
}

/// A card: what its nodes belong to, and what they can be switched to.
package struct PipeWireDevice: Hashable, Sendable {
    package var id: UInt32
    package var name: String?
    package var description: String?
    package var formFactor: String?
    package var bus: String?
    package var api: String?
    /// nil until the device has told them.
    package var routes: [PipeWireRoute]?
    /// The index of the route that each card device is switched to.
    package var activeRoutes: [Int32: Int32] = [:]
    /// The volume of the route that each card device is switched to.
    package var volumes: [Int32: PipeWireVolume] = [:]
    /// Of a Bluetooth card; empty for others.
    package var profiles: [PipeWireProfile] = []
    package var toldProfile: Int32?
    /// What we have asked for, until the card leaves `toldProfile` or does not answer.
    package var requestedProfile: Int32?
    /// The one that it is in, or is about to be in: what belongs to another is as good as gone.
    package var activeProfile: Int32? { requestedProfile ?? toldProfile }

    package init(id: UInt32, name: String? = nil) {
        self.id = id
        self.name = name
    }

    /// - Parameter properties: what it says of itself, by key.
    package init(id: UInt32, properties: (String) -> String?) {
        self.init(id: id, name: properties("device.name"))
        description = properties("device.description")
        formFactor = properties("device.form-factor")
        bus = properties("device.bus")
        api = properties("device.api")
    }

    /// The routes that this node of the device can be switched to, without a change of the profile.
    package func routes(of node: PipeWireNode) -> [PipeWireRoute] {
        guard let cardDevice = node.cardDevice else { return [] }
        return (routes ?? []).filter { route in
            route.direction == node.direction && route.cardDevices.contains(cardDevice)
                && (route.profiles.isEmpty || activeProfile.map(route.profiles.contains) ?? true)
        }
    }

    /// The active route of a node, or, when that has just become unavailable, the one that WirePlumber will switch to; nil
    /// where none is available.
    ///
    /// Source: WirePlumber 0.4.13, scripts/policy-device-routes.lua, findBestRoute.
    func currentRoute(of node: PipeWireNode) -> Int32? {
        let available = routes(of: node).filter(\.isAvailable)
        let active = node.cardDevice.flatMap { activeRoutes[$0] }
        if let active, available.contains(where: { $0.index == active }) { return active }
        let outputJustBack = available.first { $0.hasBecomeAvailable && $0.direction == .output }
        let best = available.max { a, b in
            (a.availability == .yes ? 1 : 0, a.priority) < (b.availability == .yes ? 1 : 0, b.priority)
        }
        return (outputJustBack ?? best)?.index
    }

    /// The route that a stream on `index` goes on with, without harm; nil where its port is lost.
    ///
    /// A user may choose another of the node's routes: nothing is lost. Many cards call the speaker unavailable while
    /// headphones are in: it makes way for them.
    func routeFollowed(from index: Int32, on node: PipeWireNode) -> Int32? {
        guard let route = routes?.first(where: { $0.index == index }) else { return nil }
        let current = currentRoute(of: node)
        if route.isAvailable { return current ?? index }
        return route.isSpeaker ? current : nil
    }
}
