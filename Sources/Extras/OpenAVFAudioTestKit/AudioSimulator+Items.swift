internal import SimulatedControls

extension AudioSimulator {
    // MARK: Slow servers

    /// Sets how long it takes to open an item of an `AVPlayer`, in seconds of virtual time.
    ///
    /// As from a slow server, for local files too. 0, as at first, is at once. An opening that has begun already keeps its
    /// time. `AVAudioPlayer` opens its file in its initialiser, which takes no virtual time.
    ///
    ///     phone.setOpening(seconds: 2)
    ///     player.play()
    ///     phone.advance(bySeconds: 1)     // player.timeControlStatus is waitingToPlayAtSpecifiedRate
    ///     phone.unplug(.wiredHeadphones)
    ///     phone.advance(bySeconds: 5)     // nothing is heard on the speaker
    ///
    /// - Parameter seconds: 0 or more.
    public func setOpening(seconds: Double) { host.setOpening(seconds: seconds) }

    /// Has the files of all players send nothing more, from now on for some seconds of virtual time.
    ///
    /// As a server that stalls in the middle of a song, for local files too. What was read ahead, 0.65 s at the most, still
    /// plays; then the players wait, and go on where they were.
    ///
    /// - Parameter seconds: 0 or more.
    public func stallItems(seconds: Double) { host.stallItems(seconds: seconds) }
}
