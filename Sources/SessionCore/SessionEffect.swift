package import AudioModel

/// An imperative: what the composition must do, in order, before it applies the next event.
package enum SessionEffect: Hashable, Sendable {
    /// Answers an API call; nil means success.
    case reply(CallID, SessionError?)
    case claim(ClaimID, SessionConfiguration)
    case release(ClaimID)
    /// Link the stream to exactly these ports and open its gate.
    case linkStream(StreamID, [Port])
    /// Close the stream's gate and unlink it: there is nowhere to go.
    case unlinkStream(StreamID)
    /// Pause the stream's player at once, without a fade: its device is gone.
    case pausePlayer(StreamID, PauseCause)
    /// End the stream's player with an error.
    case failPlayer(StreamID, SessionError)
    case postRouteChange(RouteChange)
    case postAvailableInputsChange
}

package enum PauseCause: Hashable, Sendable {
    case oldDeviceUnavailable
    /// No port is left that the category can use.
    case noSuitableRoute
}

package struct RouteChange: Hashable, Sendable {
    package var time: HostTime
    package var reason: RouteChangeReason
    package var previous: Route
    package var current: Route

    package init(time: HostTime, reason: RouteChangeReason, previous: Route, current: Route) {
        self.time = time
        self.reason = reason
        self.previous = previous
        self.current = current
    }
}

/// The raw values are those of `AVAudioSession.RouteChangeReason`.
package enum RouteChangeReason: UInt, Hashable, Sendable {
    case unknown = 0, newDeviceAvailable, oldDeviceUnavailable, categoryChange, override
    case wakeFromSleep = 6, noSuitableRouteForCategory, routeConfigurationChange
}
