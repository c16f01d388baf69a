import AVFAudio

extension AVAudioSessionRouteDescription {
    /// Whether sound goes where only one person hears it.
    var hasHeadphones: Bool {
        !outputs.filter { $0.portType == .headphones || $0.portType == .bluetoothA2DP }.isEmpty
    }
}

/// What a player does about a route change, in the words of Apple's guide: pause when the old device went away.
func shouldPause(for notification: Notification) -> Bool {
    guard let value = notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? NSNumber,
        let reason = AVAudioSession.RouteChangeReason(rawValue: value.uintValue)
    else { return false }
    switch reason {
    case .oldDeviceUnavailable:
        return true
    case .newDeviceAvailable, .categoryChange, .override, .wakeFromSleep, .noSuitableRouteForCategory,
        .routeConfigurationChange, .unknown:
        return false
    @unknown default:
        return false
    }
}
