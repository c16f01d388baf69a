package import AudioModel

/// The machine as a session sees it: ports, other sessions, and hot-plug events.
///
/// Control plane. Called on the session thread only; a call may wait for the host's own thread, never for the renderer.
package protocol AudioHost: AnyObject, Sendable {
    /// What users call it, "pipewire" for one.
    var name: String { get }

    /// True when time moves only in `advance`; streams are then fed by `beforeVirtualCycle`.
    var hasVirtualTime: Bool { get }

    /// False while time stands still until a test moves it, and waits for what a call does.
    var timePassesByItself: Bool { get }

    /// The same object for all apps of one machine.
    var machineIdentity: AnyObject { get }

    /// The rate new streams should use, in hertz.
    var sampleRate: Double { get }

    /// Connects and begins to report: peers and foreign streams that are there already, then an `inventoryChanged`. All of
    /// it comes after `start` has returned.
    func start(deliver: @escaping @Sendable (HostEvent) -> Void) throws(HostError)

    /// Closes every stream and disconnects. No event is delivered after it has returned.
    func shutdown()

    func now() -> HostTime

    /// Puts the claim into the registry that all sessions share; answered by `claimGranted` or `claimRefused`.
    func claim(_ claim: SessionClaim)

    /// Tells the others that the claim's session is interrupted and waits (`Peer.isWaiting`); the claim has been granted.
    func suspend(_ id: ClaimID)

    /// Removes the claim from the registry, whether it has been granted yet or not.
    ///
    /// - Parameter notifyingOthers: the peers learn that they may resume (`peerLeft`).
    func release(_ id: ClaimID, notifyingOthers: Bool)

    /// Calls `body` once, when the peers can learn of every `release` so far: at once where they can already, and after
    /// 1 s at the latest.
    ///
    /// Any thread; does not wait. `body` must not wait either; it may run on the host's own thread.
    func whenReleased(_ body: @escaping @Sendable () -> Void)

    /// The session is silent; what waits for it may go to sleep. Answers `sleepAnnounced`.
    func allowSleep()

    /// Has `timeReached` delivered at that time or soon after; at once when it is past.
    ///
    /// Several times may be waited for. They do not outlive the connection.
    func wake(at time: HostTime)

    /// Sets the volume of a port for all programs; the next inventory has it.
    ///
    /// Throws: `noSuchPort`; `refused` for a port without a volume.
    func setVolume(_ volume: PortVolume, ofPort uid: String) throws(HostError)

    /// Of a simulated machine whose items come from slow servers: calls `open` when one that is asked for now has come.
    ///
    /// Any thread; does not wait. `open` must not wait either.
    ///
    /// - Returns: false where nothing delays it; `open` is not called then.
    func delayOpening(_ open: @escaping @Sendable () -> Void) -> Bool

    /// Whether a simulated machine's server takes its time for activations, or has taken it for one that is not over.
    ///
    /// Any thread.
    var answersSlowly: Bool { get }

    /// Of such a machine: calls `carryOut` when a deactivation that is asked for now is carried out.
    ///
    /// Any thread; does not wait. `carryOut` must not wait either.
    ///
    /// - Returns: false where nothing delays it; `carryOut` is not called then.
    func delayDeactivation(_ carryOut: @escaping @Sendable () -> Void) -> Bool

    /// Of such a machine, whose time stands until a test moves it: moves it, or waits until another thread has moved it so
    /// far, for a caller that waits for an answer.
    ///
    /// Application threads and observers.
    ///
    /// - Parameters:
    ///   - movesTime: the caller moves it in any case, because who else would do it waits for the caller.
    ///   - mayWait: false: returns at once where it is not the caller who moves it.
    ///   - isOver: whether the answer has come; waits so many seconds of real time for it.
    ///   - afterEvents: waits until the sessions have applied what has happened.
    func passTime(movesTime: Bool, mayWait: Bool, until isOver: (_ seconds: Double) -> Bool, afterEvents: () -> Void)

    /// Of a simulated machine whose items' servers stall: nothing more of their sound comes now.
    ///
    /// Any thread.
    var itemsAreStalled: Bool { get }

    /// Whether a test asks for mistakes of the app. Any thread.
    var isStrict: Bool { get }
    /// Whether the input node of an engine that was stopped says the format of before in a strict test, as on a Mac. Any thread.
    var stoppedEnginesKeepFormats: Bool { get }
    /// Keeps a mistake for the test; does nothing unless it asks for that. Any thread; does not wait.
    func note(_ mistake: AppMistake)

    /// Opens an output or input stream that is not linked, not running, and has its gate closed.
    func openStream(_ configuration: StreamConfiguration) throws(HostError) -> any HostStream
}

extension AudioHost {
    package var hasVirtualTime: Bool { false }
    package var timePassesByItself: Bool { true }
    package var machineIdentity: AnyObject { self }
    package var itemsAreStalled: Bool { false }
    package var isStrict: Bool { false }
    package var stoppedEnginesKeepFormats: Bool { false }
    package func note(_ mistake: AppMistake) {}
    package func delayOpening(_ open: @escaping @Sendable () -> Void) -> Bool { false }
    package var answersSlowly: Bool { false }
    package func delayDeactivation(_ carryOut: @escaping @Sendable () -> Void) -> Bool { false }
    package func passTime(
        movesTime: Bool, mayWait: Bool, until isOver: (_ seconds: Double) -> Bool, afterEvents: () -> Void
    ) {}

    package func whenReleased(_ body: @escaping @Sendable () -> Void) { body() }

    package func setVolume(_ volume: PortVolume, ofPort uid: String) throws(HostError) {
        throw .refused("the host \(name) has no volume for the port \"\(uid.printable)\"")
    }
}

/// A session's request to play, as other sessions see it.
package struct SessionClaim: Hashable, Sendable {
    package var id: ClaimID
    package var configuration: SessionConfiguration

    package init(id: ClaimID, configuration: SessionConfiguration) {
        self.id = id
        self.configuration = configuration
    }
}
