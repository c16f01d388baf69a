import AudioModel
import Foundation
import HostInterface
import HostPipeWire
import PipeWireRig
import SleepWatch
import TestSupport

/// A host on a private server, with what it has told.
final class Client: Sendable {
    let host: PipeWireHost
    let log = History<HostEvent>()
    /// When each `connectionRestored` came.
    let restorations = History<ContinuousClock.Instant>()

    convenience init(_ server: PrivatePipeWire, sleepBus: LogindSleep.Bus? = nil) throws {
        try self.init(remote: server.socketPath, sleepBus: sleepBus)
    }

    init(remote: String, sleepBus: LogindSleep.Bus? = nil) throws {
        host = PipeWireHost(remote: remote, sleepBus: sleepBus)
        try host.start { [log, restorations] event in
            if event == .connectionRestored { restorations.append(.now) }
            log.append(event)
        }
        try log.wait(for: "the first inventory") { $0.inventory != nil }
    }

    /// Opens a stream that runs, and links it nowhere.
    func openStream(_ renderer: LoudRenderer, number: UInt64 = 1) throws -> any HostStream {
        let stream = try host.openStream(
            StreamConfiguration(
                id: StreamID(number: number), title: "test", sampleRate: 48_000, role: "Music",
                renderer: renderer.renderer))
        stream.start()
        return stream
    }

    /// Waits as the log does, and listens all the while: a client without a reference would be gone by then.
    @discardableResult
    func wait(
        for what: String, from start: Int = 0, _ isThere: ([HostEvent]) -> Bool
    ) throws -> [HostEvent] {
        try log.wait(for: what, from: start, isThere)
    }

    func wait(forOutput uid: String, from start: Int = 0) throws {
        try log.wait(for: "the output \(uid)", from: start) { $0.outputs?.contains(uid) == true }
    }

    func wait(withoutOutput uid: String, from start: Int = 0) throws {
        try log.wait(for: "an inventory without \(uid)", from: start) { $0.outputs?.contains(uid) == false }
    }
}

extension PrivatePipeWire {
    /// A loudspeaker that nothing may reach unasked, and headphones that are the default.
    ///
    /// A session manager has chosen them when this returns: it chose the speaker before, and a client must not hear of that.
    func makeSpeakerAndHeadphones() throws -> (speaker: VirtualSink, headphones: VirtualSink) {
        let speaker = try makeSink(name: "speaker", formFactor: "speaker", bus: "pci", priority: 500)
        let headphones = try makeHeadphones()
        if options.hasSessionManager { try waitUntilDefaultSink(is: headphones.name) }
        return (speaker, headphones)
    }

    func makeHeadphones() throws -> VirtualSink {
        try makeSink(name: "headphones", formFactor: "headphone", bus: "usb", priority: 1500)
    }
}

extension HostStream {
    /// nil where linking succeeds.
    func failureToLink(to portUIDs: [String]) -> HostError? {
        do {
            try link(to: portUIDs)
            return nil
        } catch {
            return error
        }
    }
}

extension PrivatePipeWire {
    /// Makes a node that outlives its maker, as a session manager's monitor would; the rig keeps no account of it.
    func createNode(_ properties: [String: String], factory: String = "adapter") throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        try run(["pw-cli", "create-node", factory, String(decoding: try encoder.encode(properties), as: UTF8.self)])
    }
}
