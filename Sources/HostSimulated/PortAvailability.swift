/// What a jack says about itself.
package enum PortAvailability: Hashable, Sendable {
    case available, unavailable
    /// The jack cannot tell; this is no news and changes nothing.
    case unknown
}
