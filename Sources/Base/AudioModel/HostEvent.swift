/// A fact that a host reports, in the past tense; the session decides what it means.
///
/// A host delivers events one after the other, never before `start` has returned and never from the render thread.
package enum HostEvent: Hashable, Sendable, Codable {
    /// Ports came, went or changed, or the host's default moved. Carries the whole new state.
    ///
    /// With it come the losses of the open streams since the inventory before. The host closed their gates and unlinked
    /// them when it learned of the loss. The inventory shows why: the port is missing where it was removed or its route
    /// is unavailable, and is listed where it is back or where only the link was cut.
    case inventoryChanged(Inventory, losses: [PortLoss] = [])
    /// A stream has lost a port and is silent; the next inventory, which is on its way, has the loss too.
    ///
    /// For a host that needs time to find out what is left. One that knows at once sends the inventory only.
    case portLost(PortLoss)
    /// The user moved our streams in a mixer (PipeWire: `target.object` metadata); nil lifts that choice.
    case outputChosenByUser(uid: String?)
    /// The stream has failed for good and renders no more.
    case streamFailed(StreamID, HostError)
    /// Something outside of this process has stopped the stream, or cut its links, although its ports are still there
    /// (a session manager's role policy, say). Its gate is closed. A `PortLoss` of the same stream ends the hold.
    case streamHeld(StreamID)
    /// The hold has ended; the stream's gate stays closed until the session links it.
    case streamReleased(StreamID)

    /// The server went away: every stream and every claim is dead, and so are the peers. The text says why where
    /// another reason than the server's end is known, and is empty else.
    case connectionLost(String)
    /// A server is available again, without any earlier state. What `AudioHost.start` reports first follows at once:
    /// peers and foreign streams that are there already, then an `inventoryChanged`.
    case connectionRestored

    /// The claim is in the claim registry, with this serial; every peer with a smaller one has been reported before.
    case claimGranted(ClaimID, ClaimSerial)
    /// The claim is not in the registry. After a grant: another program has removed it, and it need not be released.
    case claimRefused(ClaimID, HostError)
    /// A peer's claim appeared in the registry, or what it shows has changed; the serial names it.
    case peerChanged(Peer)
    /// A peer's claim left the registry. False also for a process that was killed.
    case peerLeft(ClaimSerial, notifiesOthers: Bool)
    /// The streams that run and belong to no session, all of them.
    case foreignStreamsChanged([ForeignStream])

    /// The machine is about to sleep and waits, a few seconds at most, for `AudioHost.allowSleep`.
    case sleepAnnounced
    case wokeFromSleep
    /// A time asked for by `AudioHost.wake` has come.
    case timeReached(HostTime)
}

/// A stream lost a port that it was linked to.
package struct PortLoss: Hashable, Sendable, Codable {
    package var stream: StreamID
    package var portUID: String

    package init(_ stream: StreamID, portUID: String) {
        self.stream = stream
        self.portUID = portUID
    }
}
