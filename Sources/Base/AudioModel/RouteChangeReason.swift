/// The raw values are those of `AVAudioSession.RouteChangeReason`.
package enum RouteChangeReason: UInt, Hashable, Sendable, CaseIterable, Codable {
    case unknown = 0, newDeviceAvailable, oldDeviceUnavailable, categoryChange, override
    case wakeFromSleep = 6, noSuitableRouteForCategory, routeConfigurationChange
}
