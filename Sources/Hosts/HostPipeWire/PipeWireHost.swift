package import AudioModel
internal import CPipeWireShims
internal import Dispatch
package import HostInterface
internal import Synchronization
internal import Threading

/// A session's host on a PipeWire server, and on the servers that follow it.
///
/// PipeWireTier.md explains how each term maps to PipeWire.
///
/// Control functions: session thread only. Events are delivered on the connection's own loop thread or on the sleep watch's
/// thread, which never wait: `deliver` must store the event and return, and must not call the host.
package final class PipeWireHost: AudioHost {
    private let delivery = PipeWireDelivery()
    private let reconnector: PipeWireReconnector<PipeWireConnection>
    private let sleepBus: (any SleepBus)?
    private let sleep = Mutex<SleepWatch>(.notStarted)
    private let streams = Mutex<[ObjectIdentifier: PipeWireStream]>([:])

    private enum SleepWatch {
        case notStarted
        case on(any SleepWatcher)
        case off(reason: String)
    }

    /// - Parameters:
    ///   - remote: the server's socket as an absolute path; nil uses the environment (`PIPEWIRE_REMOTE`,
    ///     `PIPEWIRE_RUNTIME_DIR`, `XDG_RUNTIME_DIR`).
    ///   - sleepBus: the bus that announces the machine's sleep; nil: sleep is not reported.
    package init(remote: String? = nil, sleepBus: (any SleepBus)? = nil) {
        reconnector = PipeWireReconnector(remote: remote, delivery: delivery)
        self.sleepBus = sleepBus
    }

    deinit { shutdown() }

    package var name: String { "pipewire" }

    /// The graph's rate in hertz; 48 000 Hz before `start`.
    package var sampleRate: Double { facts.graphRate }

    package var facts: PipeWireInventory { reconnector.current?.read(\.facts) ?? PipeWireInventory() }

    /// Connects and begins to report.
    ///
    /// If the server ends later, the host waits for the next one until `shutdown`.
    /// Throws: `unreachable`, with the server and the reason; `refused` if called twice.
    package func start(deliver: @escaping @Sendable (HostEvent) -> Void) throws(HostError) {
        try reconnector.start(delivery, deliver: deliver)
        // Without a sleep watch, sessions are not told of sleep, but they can still play.
        let watch: SleepWatch
        do throws(SleepUnavailable) {
            guard let sleepBus else { throw SleepUnavailable(reason: "not asked for") }
            watch = .on(try sleepBus.watch { [delivery] event in delivery.deliver([event], mayBegin: false) })
        } catch {
            watch = .off(reason: error.reason)
        }
        sleep.withLock { $0 = watch }
    }

    /// Idempotent.
    package func shutdown() {
        let streams = streams.withLock { streams in
            defer { streams = [:] }
            return Array(streams.values)
        }
        let watch = sleep.withLock { watch in
            defer { watch = .notStarted }
            return watch
        }
        let close: @Sendable () -> Void = { [reconnector, delivery] in
            reconnector.current?.restoreProfiles()
            if case .on(let sleep) = watch { sleep.close() }
            reconnector.shutdown()?.silence()
            for stream in streams { stream.close() }
            delivery.end()
        }
        // The last reference to a host may be released inside `deliver`: the delivering thread cannot end itself.
        if delivery.isCalling {
            delivery.end()
            DispatchQueue.global(qos: .utility).async(execute: close)
        } else {
            close()
        }
    }

    package func now() -> HostTime {
        .monotonic
    }

    package func claim(_ claim: SessionClaim) {
        guard let connection = reconnector.current else { return }
        let (status, words) = connection.loop.withLock {
            connection.loop.calls.putClaim(
                claim.id.number, in: OAV_PW_CLAIMS_OF_SESSIONS, configuration: claim.configuration)
        }
        guard status != OAV_PW_OK else { return }
        connection.update { $0.send(.claimRefused(claim.id, HostError(status, words))) }
        connection.report()
    }

    package func suspend(_ id: ClaimID) {
        guard let connection = reconnector.current else { return }
        connection.loop.withLock {
            // Other sessions read that it is interrupted, and waits for the end of the interruption.
            oav_pw_claim_say(connection.pointer, id.number, "audiosession.claim.waiting", "true")
        }
    }

    package func release(_ id: ClaimID, notifyingOthers: Bool) {
        guard let connection = reconnector.current else { return }
        connection.loop.withLock {
            let wasGranted = connection.emitter.update { $0.server.forgetClaim(id.number) }
            let seq = oav_pw_claim_withdraw(connection.pointer, id.number, notifyingOthers && wasGranted)
            if seq >= 0 { connection.emitter.update { $0.expectReading(of: .release(seq)) } }
        }
    }

    package func whenReleased(_ body: @escaping @Sendable () -> Void) {
        guard let connection = reconnector.current else { return body() }
        connection.whenRead(body)
    }

    package func allowSleep() {
        if case .on(let sleep) = sleep.withLock({ $0 }) { sleep.allow() }
    }

    package func wake(at time: HostTime) {
        reconnector.current?.update { $0.server.deadlines.set(.alarm(time), at: time) }
    }

    package func setVolume(_ volume: PortVolume, ofPort uid: String) throws(HostError) {
        guard let connection = reconnector.current, !connection.read(\.isLost) else { throw .connectionLost }
        let facts = connection.read(\.facts)
        guard let location = facts.location(uid: uid) else { throw .noSuchPort(uid: uid) }
        guard let (known, owner) = facts.volume(at: location),
            connection.loop.withLock({
                var volume = oav_pw_volume(volume, channelCount: known.channelCount)
                switch owner {
                case .node(let id): return oav_pw_host_set_volume(connection.pointer, id, &volume)
                case .route(let device, let cardDevice, let index):
                    return oav_pw_host_set_route(connection.pointer, device, cardDevice, index, &volume, true)
                }
            })
        else { throw .refused("the server knows no volume for the port \"\(uid.printable)\"") }
    }

    package func openStream(_ configuration: StreamConfiguration) throws(HostError) -> any HostStream {
        guard let connection = reconnector.current else {
            throw .unreachable("the host is not connected; call start first")
        }
        if connection.read(\.isLost) { throw .connectionLost }
        let stream = try PipeWireStream(configuration, connection: connection) { [weak self] stream in
            self?.streams.withLock { $0[ObjectIdentifier(stream)] = nil }
        }
        streams.withLock { $0[ObjectIdentifier(stream)] = stream }
        return stream
    }

    // MARK: What HostDiagnosis reads: nil before `start` and after `shutdown`

    package var loop: PipeWireLoop? { reconnector.current?.loop }
    package var clients: PipeWireClients? { reconnector.current?.read(\.clients) }
    package var smallestQuantum: Int? { reconnector.current?.read(\.smallestQuantum) }

    /// Whether the machine would wait for this host before it sleeps, and what there is, in a few words.
    package var sleepStatus: (isArmed: Bool, words: String) {
        switch sleep.withLock({ $0 }) {
        case .notStarted: (false, "not started")
        case .off(let reason): (false, reason)
        case .on(let sleep): sleep.status
        }
    }
}

extension HostTime {
    package static var monotonic: HostTime { HostTime(nanoseconds: monotonicNanoseconds()) }
}
