/// A host whose machine does what its user says: devices, calls, the server, and time.
///
/// Any thread. What a call causes has been delivered when it returns.
package protocol ControllableHost: AudioHost {
    /// Plugs the headphones in or pulls them; does nothing where they are so already.
    func setHeadphones(arePlugged: Bool)

    /// Starts a phone call or ends it; does nothing where it is so already, and while the server is down.
    func setCall(isOn: Bool)

    /// The app of this host dies as with kill -9.
    func kill()

    var isServerRunning: Bool { get }
    /// The server must be running.
    func crashServer()
    /// The server must be down.
    func restartServer()

    /// Advances virtual time.
    func advance(bySeconds seconds: Double)

    /// What an output port has played, `[channel][frame]`, planar, nominal ±1; frame 0 is virtual time 0.
    ///
    /// Nil for a port that never was there.
    func samplesPlayed(onPort uid: String) -> [[Float]]?
}
