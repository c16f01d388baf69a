package import AudioModel

/// The volume of a node, or of an active route.
package struct PipeWireVolume: Hashable, Sendable {
    package var port: PortVolume
    /// The channels that are set together.
    package var channelCount: UInt32

    package init(_ port: PortVolume, channelCount: UInt32 = 2) {
        self.port = port
        self.channelCount = channelCount
    }
}

/// A card: its nodes belong to it, and it can be switched to routes and profiles.
package struct PipeWireDevice: Hashable, Sendable {
    package var id: UInt32
    package var name: String?
    package var description: String?
    package var formFactor: String?
    package var bus: String?
    package var api: String?
    /// nil until the device has reported its routes.
    package var routes: [PipeWireRoute]?
    /// The index of the active route of each card device.
    package var activeRoutes: [Int32: Int32] = [:]
    /// The volume of the active route of each card device.
    package var volumes: [Int32: PipeWireVolume] = [:]
    /// The profiles of a Bluetooth card; empty for other cards.
    package var profiles: [PipeWireProfile] = []
    package var toldProfile: Int32?
    /// The profile that we have requested, until the card leaves `toldProfile` or the request expires.
    package var requestedProfile: Int32?
    /// The card's current or upcoming profile: routes and nodes of other profiles no longer count.
    package var activeProfile: Int32? { requestedProfile ?? toldProfile }

    package init(id: UInt32, name: String? = nil) {
        self.id = id
        self.name = name
    }

    /// - Parameter properties: the device's properties, by key.
    package init(id: UInt32, properties: (String) -> String?) {
        self.init(id: id, name: properties("device.name"))
        description = properties("device.description")
        formFactor = properties("device.form-factor")
        bus = properties("device.bus")
        api = properties("device.api")
    }

    /// The routes to which this node of the device can be switched without a change of profile.
    package func routes(of node: PipeWireNode) -> [PipeWireRoute] {
        guard let cardDevice = node.cardDevice else { return [] }
        return (routes ?? []).filter { route in
            route.direction == node.direction && route.cardDevices.contains(cardDevice)
                && (route.profiles.isEmpty || activeProfile.map(route.profiles.contains) ?? true)
        }
    }

    /// The active route of a node; if that route has just become unavailable, the route that WirePlumber will switch to; nil
    /// if no route is available.
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

    /// The route on which a stream on `index` continues without loss; nil if its port is lost.
    ///
    /// If a user chooses another route of the node, nothing is lost. Many cards report the speaker as unavailable while headphones
    /// are in: the speaker makes way for the headphones.
    func routeFollowed(from index: Int32, on node: PipeWireNode) -> Int32? {
        guard let route = routes?.first(where: { $0.index == index }) else { return nil }
        let current = currentRoute(of: node)
        if route.isAvailable { return current ?? index }
        return route.isSpeaker ? current : nil
    }
}
