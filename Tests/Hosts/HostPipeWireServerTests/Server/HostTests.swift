import AudioModel
import Foundation
import GuardCore
import GuardRuntime
import HostInterface
import HostPipeWire
import PipeWireRig
import Synchronization
import TestSupport
import Testing

extension ServerTests {
    @Suite struct HostTests {
        /// A session manager that is restarted, by a package upgrade say, takes its metadata with it; that is no news.
        @Test func sessionManager_thatEnds_movesNobody_andItsSuccessorsChoiceIsFollowed() throws {
            // PipeWire 0.3.65 may stop calling nodes that play while a session manager starts (PipeWireTier.md), and the
            // session manager may choose nothing then: another server is asked in its place.
            let isFollowed = try (0..<3).contains { _ in try isSuccessorFollowed() }
            #expect(isFollowed)
        }

        /// Expects that the end moves no stream, in any case.
        private func isSuccessorFollowed() throws -> Bool {
            let server = try PrivatePipeWire.start()
            _ = try server.makeSpeakerAndHeadphones()
            // The user's choice, and neither the best nor the first.
            let chosen = try server.makeSink(name: "chosen", bus: "usb", priority: 100)
            try server.setDefault("chosen")
            let client = try Client(server)
            try client.log.wait(for: "the default") { $0.inventory?.defaultOutputUID == "chosen" }
            let renderer = LoudRenderer()
            let stream = try client.openStream(renderer)
            defer { stream.close() }
            try stream.link(to: ["chosen"])
            try chosen.meter.wait(loudFrames: 4800)
            let start = client.log.count
            try server.killSessionManager()
            chosen.meter.mark()
            try chosen.meter.wait(loudFrames: 24_000)
            #expect(client.log.entries.dropFirst(start).isEmpty, "\(client.log.entries.dropFirst(start))")
            // The new one is to have heard of no choice; WirePlumber saves them a second late.
            let states = try #require(server.environment["XDG_STATE_HOME"])
            try? FileManager.default.removeItem(atPath: states + "/wireplumber")
            try server.startSessionManager()
            let told = try? client.log.wait(for: "the new default", from: start) {
                $0.inventory?.defaultOutputUID == "headphones"
            }
            #expect(client.log.entries.lostPorts == [])
            // Not by the meter: WirePlumber 0.4.13 makes those of its predecessor's time stand still.
            let isPlaying = (try? renderer.wait(openCycles: 20)) != nil
            withExtendedLifetime(renderer) {}
            return told != nil && isPlaying
        }

        /// While a program binds the metadata, the server tells a change to that program alone (decision 58).
        @Test func defaultsThatChange_whileProgramsConnect_areAllHeardOf() throws {
            let server = try PrivatePipeWire.start()
            defer { server.stop() }
            for name in ["first", "second"] { _ = try server.makeSink(name: name, bus: "usb") }
            let client = try Client(server)
            defer { client.host.shutdown() }
            try changeDefaults(of: server) { name in
                try client.wait(for: "default \(name)") { $0.inventory?.defaultOutputUID == name }
            }
        }

        /// The same, of a guard: a default that it does not know of has no catch.
        @Test func defaultsThatChange_whileProgramsConnect_areHeardOfByAGuard() throws {
            let server = try PrivatePipeWire.start()
            defer { server.stop() }
            for name in ["first", "second"] { _ = try server.makeSink(name: name, bus: "usb") }
            let guardian = PipeWireGuardHost(remote: server.socketPath, role: .dryRun)
            defer { guardian.shutdown() }
            let log = History<GuardFact>()
            try guardian.start { if case .outputsChanged = $0 { log.append($0) } }
            try changeDefaults(of: server) { name in
                try log.wait(for: "default \(name)") { facts in
                    for case .outputsChanged(let outputs) in facts.reversed() {
                        return outputs.defaultSink == .sink(name)
                    }
                    return false
                }
            }
        }

        /// Other programs connect meanwhile, one after the other.
        private func changeDefaults(
            of server: PrivatePipeWire, _ expect: (_ name: String) throws -> Void
        ) throws {
            let isOver = Atomic(false)
            let remote = server.socketPath
            try withThread {
                while !isOver.load(ordering: .relaxed) {
                    let other = PipeWireHost(remote: remote)
                    try? other.start { _ in }
                    other.shutdown()
                }
            } during: {
                defer { isOver.store(true, ordering: .relaxed) }
                for change in 0..<Self.changes {
                    let name = change.isMultiple(of: 2) ? "first" : "second"
                    try server.setMetadata(
                        key: "default.configured.audio.sink", type: "Spa:String:JSON", #"{"name":"\#(name)"}"#)
                    try expect(name)
                }
            }
        }

        /// More by AUDIOSESSION_DEFAULT_CHANGES.
        private static let changes =
            ProcessInfo.processInfo.environment["AUDIOSESSION_DEFAULT_CHANGES"].flatMap { Int($0) } ?? 50

        /// Runs one beside the other.
        private func withThread(_ body: @escaping @Sendable () -> Void, during test: () throws -> Void) throws {
            let end = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                body()
                end.signal()
            }
            defer { end.wait() }
            try test()
        }

        @Test func start_whereNoPipeWireListens_saysSoAtOnce() throws {
            let server = try WordySocket(saying: Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
            let begin = ContinuousClock.now
            let host = PipeWireHost(remote: server.path)
            #expect {
                try host.start { _ in }
            } throws: { error in
                guard case HostError.unreachable(let words)? = error as? HostError else { return false }
                return words.contains("is it a PipeWire server") && words.contains("connection error")
            }
            // Below the 3 s after which a server that says nothing is given up.
            #expect(ContinuousClock.now - begin < .seconds(2.5))
        }

        @Test func socket_thatIsNamed_winsOverTheEnvironment() async throws {
            await #expect(processExitsWith: .success) {
                let server = try PrivatePipeWire.start()
                _ = try server.makeSink(name: "only-here", bus: "pci")
                setenv("PIPEWIRE_REMOTE", "/nowhere/pipewire-0", 1)
                let client = try Client(server)
                try client.wait(forOutput: "only-here")
                client.host.shutdown()
                server.stop()
            }
        }

        /// A session whose last reference is the event that is being delivered to it.
        @Test func host_whoseLastReferenceGoesWhileItDelivers_endsItsLoop() async throws {
            await #expect(processExitsWith: .success) {
                let server = try PrivatePipeWire.start()
                let sink = try server.makeSink(name: "speaker", bus: "pci")
                let threads = try Self.threads(named: "oav-pipewire")
                let holder = Holder()
                let isGone = DispatchSemaphore(value: 0)
                holder.host.withLock { $0 = PipeWireHost(remote: server.socketPath) }
                try holder.host.withLock { $0 }?.start { _ in
                    holder.host.withLock { $0 = nil }
                    isGone.signal()
                }
                #expect(isGone.wait(timeout: .now() + 20) == .success)
                // Its end comes on another thread; the server sees it.
                try server.waitUntil("the host's end") { _ in
                    (try? Self.threads(named: "oav-pipewire")) == threads
                }
                sink.destroy()
                server.stop()
            }
        }

        private static func threads(named name: String) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count {
                (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) == name + "\n"
            }
        }
    }

    private final class Holder: Sendable {
        let host = Mutex<PipeWireHost?>(nil)
    }
}

/// A socket that takes one connection, says something, and waits for its end.
final class WordySocket: Sendable {
    let path: String
    private let descriptor: Int32
    private let taken = DispatchSemaphore(value: 0)
    private let connection = Mutex<Int32?>(nil)

    init(saying words: [UInt8], at path: String? = nil) throws {
        self.path =
            path ?? FileManager.default.temporaryDirectory.appending(path: "oav-\(UUID().uuidString.prefix(8))").path
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: self.path.utf8) }
        let result = withUnsafePointer(to: address) { [descriptor] address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0, listen(descriptor, 4) == 0 else { throw POSIXError(.EADDRINUSE) }
        let thread = Thread { [descriptor, taken, weak self] in
            let connection = accept(descriptor, nil, nil)
            guard connection >= 0 else { return }
            self?.connection.withLock { $0 = connection }
            taken.signal()
            _ = words.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            // Open, so that it is the words that end the connection.
            var byte: UInt8 = 0
            while recv(connection, &byte, 1, 0) > 0 {}
            self?.connection.withLock { $0 = nil }
            close(connection)
        }
        thread.start()
    }

    /// Whether a client connects in that time.
    func isTaken(within time: DispatchTimeInterval) -> Bool { taken.wait(timeout: .now() + time) == .success }

    /// Ends the connection that was taken.
    func hangUp() { connection.withLock { if let connection = $0 { shutdown(connection, Int32(SHUT_RDWR)) } } }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
        unlink(path)
    }
}
