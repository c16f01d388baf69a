package import AudioModel
internal import CPipeWireShims
internal import Dispatch
package import HostInterface
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A PipeWire server as a session's host.
///
/// PipeWireTier.md says what stands behind each notion.
///
/// Control plane: session thread only. Events are delivered on the connection's own loop thread, which waits for nobody:
/// `deliver` must store the event and return, and must not call the host.
package final class PipeWireHost: AudioHost {
    private struct State {
        var connection: PipeWireConnection?
        var streams: [StreamID: PipeWireStream] = [:]
        var isShutDown = false
    }

    private let remote: String?
    let reporter = PipeWireReporter()
    private let state = Mutex(State())

    /// - Parameter remote: the server's socket as an absolute path; nil asks the environment (`PIPEWIRE_REMOTE`,
    ///   `PIPEWIRE_RUNTIME_DIR`, `XDG_RUNTIME_DIR`).
    package init(remote: String? = nil) { self.remote = remote }

    deinit { shutdown() }

    package var kind: HostKind { .pipeWire }

    /// The rate that the graph is set to; 48 000 Hz before `start`.
    package var sampleRate: Double { reporter.facts.graphRate }

    /// Connects and begins to report.
    ///
    /// Throws: `unreachable`, with what was tried; `refused` when called twice.
    package func start(deliver: @escaping @Sendable (HostEvent) -> Void) throws(HostError) {
        guard state.withLock({ $0.connection == nil && !$0.isShutDown }) else {
            throw .refused("this host was started before; make another one")
        }
        var events = reporter.makeEvents()
        var pointer: OpaquePointer?
        let (status, words) = withShimText { text, size in
            guard let remote else { return oav_pw_host_open(nil, &events, &pointer, text, size) }
            return oav_pw_host_open(remote, &events, &pointer, text, size)
        }
        guard status == OAV_PW_OK, let pointer else { throw HostError(status, words) }
        state.withLock { $0.connection = PipeWireConnection(pointer: pointer) }
        reporter.begin(deliver)
        // The first inventory comes with this poke, and nothing before it. The delay lets this function return first;
        // no callee can promise more to a caller that is not scheduled meanwhile.
        oav_pw_host_poke(pointer, 5)
    }

    /// Idempotent.
    package func shutdown() {
        let (connection, streams) = state.withLock { state in
            defer {
                state.connection = nil
                state.streams = [:]
                state.isShutDown = true
            }
            return (state.connection, Array(state.streams.values))
        }
        guard let connection else { return }
        let close: @Sendable () -> Void = { [reporter] in
            for stream in streams { stream.close() }
            oav_pw_host_close(connection.pointer)
            withExtendedLifetime(reporter) {}
        }
        // The last reference to a host may go inside `deliver`: the loop that calls it cannot end itself.
        if oav_pw_host_is_calling(connection.pointer) {
            reporter.end()
            DispatchQueue.global(qos: .utility).async(execute: close)
        } else {
            close()
        }
    }

    package func now() -> HostTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return HostTime(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    package func claim(_ claim: SessionClaim) {
        guard let connection = state.withLock({ $0.connection }) else { return }
        put(claim, on: connection)
    }

    package func release(_ id: ClaimID, notifyingOthers: Bool) {
        guard let connection = state.withLock({ $0.connection }) else { return }
        oav_pw_claim_withdraw(connection.pointer, id.number, notifyingOthers)
    }

    package func allowSleep() {}

    package func wake(at time: HostTime) {
        guard let connection = state.withLock({ $0.connection }) else { return }
        oav_pw_host_alarm(connection.pointer, time.nanoseconds)
    }

    package func openStream(_ configuration: StreamConfiguration) throws(HostError) -> any HostStream {
        guard let connection = state.withLock({ $0.connection }) else {
            throw .unreachable("the host is not connected; call start first")
        }
        if reporter.isLost { throw .connectionLost }
        let stream = try PipeWireStream(configuration, connection: connection, reporter: reporter) { [weak self] id in
            self?.state.withLock { $0.streams[id] = nil }
        }
        state.withLock { $0.streams[stream.id] = stream }
        return stream
    }

    /// Facts for `doctor`; nil before `start` and after `shutdown`.
    package var diagnosis: PipeWireDiagnosis? {
        guard let connection = state.withLock({ $0.connection }) else { return nil }
        var facts = oav_pw_diagnosis()
        oav_pw_host_diagnose(connection.pointer, &facts)
        let manager = text(&facts.session_manager)
        return PipeWireDiagnosis(
            libraryVersion: text(&facts.library_version), serverVersion: text(&facts.server_version),
            serverName: text(&facts.server_name), sessionManager: manager.isEmpty ? nil : manager,
            mayLink: facts.has_link_factory, clientConfiguration: text(&facts.configuration),
            dataThread: !facts.data_thread_seen
                ? .notSeen
                : facts.data_thread_is_realtime
                    ? .realtime(priority: Int(facts.data_thread_priority)) : .ordinary)
    }

    /// Version of the libpipewire in this process; nil in a build without it.
    package static var libraryVersion: String? {
        let version = String(cString: oav_pw_library_version())
        return version.isEmpty ? nil : version
    }

    /// Why the promise of silence does not hold for a port; nil where it does, and for unknown ports.
    package func promiseOff(portUID: String) -> String? { reporter.facts.promiseOff(uid: portUID) }
}

/// A C array of characters, which Swift sees as a tuple.
private func text<Characters>(_ characters: inout Characters) -> String {
    withUnsafeBytes(of: &characters) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
