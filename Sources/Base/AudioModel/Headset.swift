/// A Bluetooth headset with two profiles, of which one is active: A2DP, an output for music, and HFP, both directions for calls.
///
/// The ports of the other profile are dormant: the host switches the profile when a stream runs on one of them.
package struct Headset: Hashable, Sendable, Codable {
    package enum Profile: Hashable, Sendable, Codable { case a2dp, hfp }

    package var profile: Profile
    /// In the inventory while A2DP is active, or while the host has switched to HFP and will switch back.
    package var a2dpOutputUID: String
    /// Both are in the inventory in either profile.
    package var hfpOutputUID: String
    package var hfpInputUID: String

    package init(profile: Profile, a2dpOutputUID: String, hfpOutputUID: String, hfpInputUID: String) {
        self.profile = profile
        self.a2dpOutputUID = a2dpOutputUID
        self.hfpOutputUID = hfpOutputUID
        self.hfpInputUID = hfpInputUID
    }

    package func outputUID(of profile: Profile) -> String {
        switch profile {
        case .a2dp: a2dpOutputUID
        case .hfp: hfpOutputUID
        }
    }

    /// The profile that a port belongs to; nil for ports of other devices.
    package func profile(ofPort uid: String) -> Profile? {
        switch uid {
        case a2dpOutputUID: .a2dp
        case hfpOutputUID, hfpInputUID: .hfp
        default: nil
        }
    }
}

extension Inventory {
    /// The headset that has this port.
    package func headset(ofPort uid: String) -> Headset? { headsets.first { $0.profile(ofPort: uid) != nil } }

    /// Belongs to the profile of a headset that is not active.
    package func isDormant(_ uid: String) -> Bool {
        headset(ofPort: uid).map { $0.profile(ofPort: uid) != $0.profile } ?? false
    }
}
