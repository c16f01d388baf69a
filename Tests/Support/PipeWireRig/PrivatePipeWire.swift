import CRig
import Foundation
import Synchronization

/// A private, headless PipeWire server with its session manager and bus, for one test or benchmark.
///
/// Everything lives in a directory of its own, so that any number of them run side by side and none meets the
/// machine's own server. The daemons end with `stop`, with the last reference, and with this process, also if it
/// crashes (the kernel then kills them; only the directory in the temporary directory stays behind).
///
/// All calls block the calling thread until the server has answered, and may be made from any thread.
package final class PrivatePipeWire: Sendable {
    package struct Options: Sendable {
        /// Without WirePlumber nothing has a default, and only links of the tests' own exist.
        package var hasSessionManager = true
        /// Where the daemons' programs are looked for; by default PATH.
        package var programDirectories = defaultProgramDirectories
        /// How long an answer of the server may take before the rig gives up.
        ///
        /// Far above what a loaded machine needs:
        /// only a broken server or test meets it.
        package var timeout: Duration = .seconds(20)

        package init() {}

        package static var withoutSessionManager: Options {
            var options = Options()
            options.hasSessionManager = false
            return options
        }

        private static var defaultProgramDirectories: [String] {
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
            return path.split(separator: ":").map(String.init)
        }
    }

    private struct State {
        var bus: RigDaemon?
        var server: RigDaemon?
        var sessionManager: RigDaemon?
        var connection: RigConnection?
        var acceptingSince: UInt64 = 0
    }

    package let options: Options
    private let directory: RigDirectory
    private let state = Mutex(State())

    /// Starts the daemons and returns when the server, and the session manager if there is to be one, answer.
    package static func start(_ options: Options = Options()) throws(RigError) -> PrivatePipeWire {
        guard oav_rig_available() else { throw .headersMissing }
        let rig = PrivatePipeWire(options: options, directory: try RigDirectory())
        do {
            try rig.startBus()
            try rig.startPipeWire()
        } catch {
            rig.stop()
            throw error
        }
        return rig
    }

    private init(options: Options, directory: RigDirectory) {
        self.options = options
        self.directory = directory
    }

    deinit {
        stop()
    }

    // MARK: What clients need

    /// The server's socket, for clients in this process (property `remote.name`).
    package var socketPath: String { directory.socket }

    /// When the server that runs now was first seen to take connections, CLOCK_MONOTONIC in nanoseconds.
    package var acceptingSinceNanoseconds: UInt64 { state.withLock { $0.acceptingSince } }

    /// The complete environment of a child process that is to be a client of this server.
    package var environment: [String: String] {
        RigDirectory.inherited.merging(directory.variables) { _, ours in ours }
    }

    /// The process ids of the daemons that run now.
    package var processIDs: [Int32] {
        state.withLock { [$0.bus, $0.server, $0.sessionManager].compactMap { $0?.processID } }
    }

    /// The version of the client library, which is also the server's.
    package static var version: String { String(cString: oav_rig_library_version()) }

    var connection: RigConnection {
        get throws(RigError) {
            guard let connection = state.withLock({ $0.connection }) else { throw .stopped }
            return connection
        }
    }

    /// The private bus, as D-Bus writes addresses.
    package var busAddress: String { directory.variables["DBUS_SESSION_BUS_ADDRESS"]! }

    // MARK: Ending

    /// Ends every daemon and removes the directory; harmless when done already.
    package func stop() {
        let ended = state.withLock { state in
            defer { state = State() }
            return state
        }
        noteCrash(of: ended.sessionManager)
        // Clients before servers, so that none of them sees its server die.
        ended.sessionManager?.stop()
        ended.server?.stop()
        ended.bus?.stop()
        directory.remove()
    }

    // MARK: Faults

    /// Kills the server as a crash does.
    ///
    /// WirePlumber follows by itself, as it does on every machine.
    ///
    /// All devices, meters, tones and cards of the rig are dead from here on.
    package func killPipeWire() {
        let (server, sessionManager) = state.withLock { state in
            defer { (state.server, state.sessionManager) = (nil, nil) }
            return (state.server, state.sessionManager)
        }
        noteCrash(of: sessionManager)
        server?.kill()
        if let sessionManager, !sessionManager.waitForExit(within: .seconds(5)) {
            sessionManager.stop()
        }
    }

    /// Starts the server again after `killPipeWire`, on the same socket, and the session manager with it.
    ///
    /// - Parameter hasSessionManager: other than in the options, for this life of the server.
    package func startPipeWire(hasSessionManager: Bool? = nil) throws(RigError) {
        let hasSessionManager = hasSessionManager ?? options.hasSessionManager
        let server = try start("pipewire")
        state.withLock { $0.server = server }
        let timeout = options.timeout
        let result = oav_rig_wait_for_socket(socketPath, server.processID, timeout.nanoseconds)
        guard result == 0 else {
            throw .daemonNotReady(daemon: "pipewire", code: result, log: directory.logTail(of: "pipewire"))
        }
        state.withLock { $0.acceptingSince = oav_rig_now() }
        let connection = try RigConnection(
            socketPath: socketPath, hasSessionManager: hasSessionManager, timeout: timeout)
        state.withLock { $0.connection = connection }
        if hasSessionManager {
            try startSessionManager()
        }
    }

    /// Kills the server and starts it again.
    package func restartPipeWire() throws(RigError) {
        killPipeWire()
        try startPipeWire()
    }

    /// Kills WirePlumber alone, and returns when the server has noticed.
    package func killSessionManager() throws(RigError) {
        let sessionManager = state.withLock { state in
            defer { state.sessionManager = nil }
            return state.sessionManager
        }
        noteCrash(of: sessionManager)
        sessionManager?.kill()
        try waitUntilSessionManagerIsGone()
    }

    /// Adds a line to the file that `dev/run-tests` names: a test that fails then is run once more.
    ///
    /// WirePlumber 0.4.13 crashes now and then after a sink was destroyed.
    private func noteCrash(of sessionManager: RigDaemon?) {
        guard let file = ProcessInfo.processInfo.environment["OAV_SESSION_MANAGER_FAULTS"],
            sessionManager?.hasCrashed() == true, let handle = FileHandle(forWritingAtPath: file)
        else { return }
        handle.seekToEndOfFile()
        handle.write(Data("WirePlumber crashed\n".utf8))
        try? handle.close()
    }

    private func waitUntilSessionManagerIsGone() throws(RigError) {
        let connection = try connection
        try connection.waitUntil(
            "the session manager's metadata goes", timeout: options.timeout, seen: { "Its process has ended." },
            predicate: { !RigGraph.hasDefaultMetadata(connection) })
    }

    /// Starts another WirePlumber where it has ended by itself: 0.4.13 crashes now and then after a sink was destroyed.
    ///
    /// - Returns: whether it had ended.
    package func replaceEndedSessionManager() throws(RigError) -> Bool {
        let hasEnded = state.withLock { state in
            guard state.sessionManager?.waitForExit(within: .zero) == true else { return false }
            state.sessionManager = nil
            return true
        }
        guard hasEnded else { return false }
        try waitUntilSessionManagerIsGone()
        try startSessionManager()
        return true
    }

    /// Starts WirePlumber, and returns when it has published its metadata.
    ///
    /// A session manager that a stall of the machine has left waiting (0.4.13, seldom) is replaced.
    package func startSessionManager() throws(RigError) {
        let attempts = 3
        for attempt in 1...attempts {
            let sessionManager = try start("wireplumber")
            state.withLock { $0.sessionManager = sessionManager }
            let connection = try connection
            do {
                return try connection.waitUntil(
                    "the session manager's metadata", timeout: options.timeout / attempts, seen: { "" },
                    predicate: { RigGraph.hasDefaultMetadata(connection) })
            } catch .timedOut where attempt < attempts {
                try killSessionManager()
            } catch .timedOut {
                throw .daemonNotReady(
                    daemon: "wireplumber", code: -ETIMEDOUT, log: directory.logTail(of: "wireplumber"))
            }
        }
    }

    package func restartSessionManager() throws(RigError) {
        try killSessionManager()
        try startSessionManager()
    }

    /// Restarts it until one has chosen this sink: WirePlumber 0.4.13 does not always set up the nodes that it finds
    /// (decision 42).
    ///
    /// - Returns: how many chose another, or none.
    @discardableResult
    package func restartSessionManager(untilDefaultSinkIs name: String) throws(RigError) -> Int {
        let attempts = 5
        for attempt in 0..<attempts - 1 {
            try restartSessionManager()
            if (try? waitUntilDefaultSink(is: name)) != nil { return attempt }
        }
        try restartSessionManager()
        try waitUntilDefaultSink(is: name)
        return attempts - 1
    }

    /// Kills the bus, as a crash does.
    package func killBus() {
        let bus = state.withLock { state in
            defer { state.bus = nil }
            return state.bus
        }
        bus?.kill()
    }

    // MARK: Daemons

    /// Starts the bus again after `killBus`, on the same socket.
    package func startBus() throws(RigError) {
        // It prints its address to descriptor 3 once it listens.
        let ready = Pipe()
        let bus = try start(
            "dbus-daemon",
            arguments: [
                "--config-file=\(directory.busConfiguration)", "--nofork", "--nopidfile", "--print-address=3",
            ],
            readyDescriptor: ready.fileHandleForWriting.fileDescriptor)
        state.withLock { $0.bus = bus }
        let result = oav_rig_wait_for_data(
            ready.fileHandleForReading.fileDescriptor, bus.processID, options.timeout.nanoseconds)
        guard result == 0 else {
            throw .daemonNotReady(daemon: "dbus-daemon", code: result, log: directory.logTail(of: "dbus-daemon"))
        }
    }

    private func start(
        _ program: String, arguments: [String] = [], readyDescriptor: Int32 = -1
    ) throws(RigError) -> RigDaemon {
        try RigDaemon.start(
            program, arguments: arguments, in: directory, environment: environment,
            programDirectories: options.programDirectories, readyDescriptor: readyDescriptor)
    }
}
