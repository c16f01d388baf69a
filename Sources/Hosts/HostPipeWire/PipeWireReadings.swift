/// What cards tell of their routes and profiles while they are read: facts when a card has told all of it.
///
/// Pure.
package struct PipeWireReadings: Hashable, Sendable {
    package enum Part: Hashable, Sendable {
        /// What the card told before and was not over is dropped.
        case begun
        case route(PipeWireRoute)
        /// What a card device is switched to.
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

    /// Of routes and of profiles; a card has a dozen.
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
