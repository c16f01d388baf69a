import AudioModel
import Foundation
import GuardRuntime
import HostPipeWire
import PipeWireRig
import SessionCore
import SessionRest
import Threading

@testable import OpenAudioSession
@testable import SessionRuntime

/// What other programs do on the private server, and the server's own life.
extension PipeWireWorld {
    func launch(_ name: String, recorders: [any SessionRecorder]) throws -> App {
        let other = try App(host: WatchedHost(remote: remote), music: music, recorders: recorders)
        programs.withLock { $0.others.append(other) }
        return other
    }

    /// The connection ends and nothing is said: to the server, and to its other clients, that is the end of a process.
    ///
    /// That a process killed with SIGKILL is no other case is shown by the host's tests and those of the tool.
    func kill(_ app: App) {
        programs.withLock { $0.others.removeAll { $0 === app } }
        app.runtime.shutdown()
        app.end()
    }

    func startForeignStream(role: String) async throws -> UInt64 {
        try await startForeignStream(role: role, isSilent: false)
    }

    func startSilentForeignStream(role: String) async throws -> UInt64 {
        try await startForeignStream(role: role, isSilent: true)
    }

    private func startForeignStream(role: String, isSilent: Bool) async throws -> UInt64 {
        let known = Set(runtime.state.foreignStreams.map(\.id))
        let program = try server.play(role: role, isSilent: isSilent)
        // What begins is silent at first: programs set their volume as soon as they run.
        @Sendable func id(_ state: SessionState) -> UInt64? {
            state.foreignStreams.first { $0.role == role && !known.contains($0.id) && $0.isSilent == isSilent }?.id
        }
        for app in apps { try await app.wait(for: "a stream of role \(role)") { id($0) != nil } }
        guard let id = id(runtime.state) else { throw NothingToHear() }
        programs.withLock { $0.foreign[id] = program }
        return id
    }

    func setForeignStreamSilent(_ isSilent: Bool, _ id: UInt64) async throws {
        let role = runtime.state.foreignStreams.first { $0.id == id }?.role
        try server.setStreamProps("{ mute: \(isSilent), volume: \(isSilent ? 0 : 1) }", role: role ?? "")
        for app in apps {
            try await app.wait(for: "stream \(id) muted or heard") {
                $0.foreignStreams.contains { $0.id == id && $0.isSilent == isSilent }
            }
        }
    }

    func setForeignStreamHeld(_ isHeld: Bool, _ id: UInt64) async throws {
        let host = try guardHost()
        host.perform { host.apply(isHeld ? .hold(stream: id, cutsLinks: true) : .release(stream: id, target: nil)) }
        for app in apps {
            try await app.wait(for: "stream \(id) held or released") {
                $0.foreignStreams.contains { $0.id == id && $0.isHeld == isHeld }
            }
        }
    }

    /// It has the server, and knows all streams, when it is returned.
    private func guardHost() throws -> PipeWireGuardHost {
        if let host = programs.withLock({ $0.guardHost }) { return host }
        let host = PipeWireGuardHost(remote: server.socketPath)
        let (granted, settled) = (Latch(), Latch())
        try host.start { fact in
            if case .guardsChanged(.granted) = fact { granted.raise() }
            if fact == .settled { settled.raise() }
        }
        guard granted.wait(timeoutSeconds: 30), settled.wait(timeoutSeconds: 30) else { throw NothingToHear() }
        host.perform { host.apply(.takeServer(sparing: [])) }
        try server.waitUntil("the guard has a sink to hold streams at") { graph in
            graph.nodes.contains { node in
                node.name.hasPrefix("audiosession.guard.hold")
                    && graph.ports.contains { $0.node == node.id && $0.direction == "in" }
            }
        }
        programs.withLock { $0.guardHost = host }
        return host
    }

    func stopForeignStream(_ id: UInt64) async throws {
        let program = programs.withLock { $0.foreign.removeValue(forKey: id) }
        program?.terminate()
        for app in apps {
            try await app.wait(for: "the end of stream \(id)") { !$0.foreignStreams.contains { $0.id == id } }
        }
    }

    /// One channel of two: the host sees to the other one.
    func cutLinks(to device: WorldDevice) async throws {
        try server.cutLink(to: device.rawValue, channel: 0)
        try await app.wait(for: "the hold") { $0.streams.contains(where: \.isHeld) }
        try server.waitUntil("no link is left") { $0.links(fromStreamsTo: device.rawValue).isEmpty }
    }

    /// The first link is the sign; the session then makes its own.
    func makeLink(to device: WorldDevice) async throws {
        try server.makeLink(to: device.rawValue, channel: 0)
        try await app.wait(for: "the release") { !$0.streams.contains(where: \.isHeld) }
    }

    // MARK: The server

    func crashServer() async throws {
        let beacon = programs.withLock { programs in
            programs.foreign = [:]
            defer { programs.beacon = nil }
            return programs.beacon
        }
        try setOpen(false)
        server.killPipeWire()
        beacon?.end()
        devices.withLock { $0.sinks = [:] }
        for app in apps { try await app.wait(for: "the loss") { !$0.isConnected } }
    }

    func restartServer(without absent: WorldDevice?) async throws {
        try server.startPipeWire()
        let order = devices.withLock {
            $0.order.removeAll { $0 == absent }
            return $0.order
        }
        for device in order { try makeSink(device) }
        if let last = order.last { try server.waitUntilDefaultSink(is: last.rawValue) }
        // The rig's daemons and its sinks are not ours to be quick: an app would be told after a second without them.
        try setOpen(true)
        let kinds = Set(order.map(\.kind))
        for app in apps {
            try await app.wait(for: "the server's return") {
                $0.isConnected && $0.inventory.defaultOutputUID == order.last?.rawValue
                    && kinds.isSubset(of: $0.inventory.outputs.map(\.kind))
            }
        }
    }

    // MARK: Rest

    /// The server sends events to each app in one order: an app that has received a claim has received all earlier events.
    ///
    /// The second round is for what the apps have made of the first.
    func settle() async throws {
        let beacon = try beacon()
        for _ in 0..<2 {
            try beacon.session.setActive(true)
            guard let serial = beacon.runtime.state.ownClaim?.serial else { throw NothingToHear() }
            for app in apps { try await app.wait(for: "a claim") { $0.peers.contains { $0.serial == serial } } }
            try beacon.session.setActive(false)
            for app in apps { try await app.wait(for: "its end") { !$0.peers.contains { $0.serial == serial } } }
        }
        for app in apps { app.runtime.drain() }
    }

    /// An app whose session neither sounds nor interrupts another.
    private func beacon() throws -> App {
        if let beacon = programs.withLock({ $0.beacon }) { return beacon }
        let beacon = try App(host: WatchedHost(remote: remote), music: music)
        try beacon.session.setCategory(.ambient)
        programs.withLock { $0.beacon = beacon }
        return beacon
    }
}
