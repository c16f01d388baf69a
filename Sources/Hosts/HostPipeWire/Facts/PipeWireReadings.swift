/// Collects the routes and profiles of cards while they are read; returns facts when a card's reading is complete.
///
/// Pure.
package struct PipeWireReadings: Hashable, Sendable {
    package enum Part: Hashable, Sendable {
        /// Starts a reading; an unfinished earlier reading of the card is dropped.
        case begun
        case route(PipeWireRoute)
        /// The route to which a card device is switched.
        case active(cardDevice: Int32, route: Int32, PipeWireVolume?)
        case profile(PipeWireProfile)
        case activeProfile(Int32)
        case over
    }

    private struct Reading: Hashable {
        var routes: [PipeWireRoute] = []
        var active: [Int32: Int32] = [:]
        var volumes: [Int32: PipeWireVolume] = [:]
        var profiles: [PipeWireProfile] = []
        var activeProfile: Int32?
    }

    /// The most routes and the most profiles of a card; a usual card has about a dozen.
    static let most = 128

    private var readings: [UInt32: Reading] = [:]

    package init() {}

    package var areUnderWay: Bool { !readings.isEmpty }

    package mutating func forget(_ id: UInt32) { readings[id] = nil }

    package mutating func add(_ part: Part, of id: UInt32) -> [PipeWireFact] {
        if part == .begun { readings[id] = Reading() }
        guard var reading = readings[id] else { return [] }
        switch part {
        case .begun: break
        case .route(let route): if reading.routes.count < Self.most { reading.routes.append(route) }
        case .active(let cardDevice, let route, let volume):
            guard reading.active.count < Self.most else { return [] }
            reading.active[cardDevice] = route
            if let volume { reading.volumes[cardDevice] = volume }
        case .profile(let profile): if reading.profiles.count < Self.most { reading.profiles.append(profile) }
        case .activeProfile(let index): reading.activeProfile = index < 0 ? nil : index
        case .over:
            readings[id] = nil
            return [
                .profilesChanged(deviceID: id, reading.profiles, active: reading.activeProfile),
                .routesChanged(deviceID: id, routes: reading.routes, active: reading.active),
                .routeVolumesChanged(deviceID: id, reading.volumes),
            ]
        }
        readings[id] = reading
        return []
    }
}
