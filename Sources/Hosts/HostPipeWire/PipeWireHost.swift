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

    private var facts: PipeWireInventory { reconnector.current?.read(\.facts) ?? PipeWireInventory() }

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
        let node = PipeWireClaimNode(tag: claim.id.number, registry: .sessions, configuration: claim.configuration)
        let (status, words) = connection.loop.withLock { node.put(on: connection.pointer) }
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

    package var lacksSessionManager: Bool {
        reconnector.current.map { !$0.read(\.clients.hasManager) } ?? false
    }

    /// Facts for `doctor`; nil before `start` and after `shutdown`.
    package var diagnosis: PipeWireDiagnosis? {
        guard let connection = reconnector.current else { return nil }
        var facts = oav_pw_diagnosis()
        connection.loop.withLock { oav_pw_host_diagnose(connection.pointer, &facts) }
        let clients = connection.read(\.clients)
        return PipeWireDiagnosis(
            libraryVersion: Self.libraryVersion ?? "", serverVersion: text(&facts.server_version),
            serverName: text(&facts.server_name), sessionManager: clients.manager?.name, mayLink: clients.mayLink,
            smallestQuantum: connection.read(\.smallestQuantum), sleepWatch: sleepWatch,
            clientConfiguration: text(&facts.configuration),
            dataThread: !facts.data_thread_seen
                ? .notSeen
                : facts.data_thread_is_realtime
                    ? .realtime(priority: Int(facts.data_thread_priority)) : .ordinary)
    }

    private var sleepWatch: PipeWireDiagnosis.SleepWatch {
        switch sleep.withLock({ $0 }) {
        case .notStarted: return .off(reason: "not started")
        case .off(let reason): return .off(reason: reason)
        case .on(let sleep):
            let status = sleep.status
            return status.isArmed ? .on : .off(reason: status.words)
        }
    }

    /// The version of the libpipewire in this process; nil in a build without it.
    package static var libraryVersion: String? {
        let version = String(cString: oav_pw_library_version())
        return version.isEmpty ? nil : version
    }

    /// Whether libpipewire finds a client configuration; without one it connects to no server.
    package static var hasClientConfiguration: Bool { oav_pw_has_client_configuration() }

    package func unplugCaveat(ofPort uid: String) -> String? { facts.promiseOff(uid: uid) }
}

extension HostTime {
    package static var monotonic: HostTime { HostTime(nanoseconds: monotonicNanoseconds()) }
}

/// The text of a C array of characters, which Swift imports as a tuple.
func text<Characters>(_ characters: inout Characters) -> String {
    withUnsafeBytes(of: &characters) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
