import AudioModel
import Foundation
import GuardRuntime
import HostPipeWire
import PipeWireRig
import SessionCore
import SessionRest
import Synchronization
import TestAudio

@testable import SessionRuntime

/// A private PipeWire with a session manager as a world: devices are sinks that come and go.
final class PipeWireWorld: World {
    let app: App
    let server: PrivatePipeWire
    let music: Music
    /// Where the apps look for the server; a name of its own, which is there only while the machine is complete.
    private let entrance: TemporaryDirectory
    var remote: String { entrance.path("server") }
    let devices = Mutex(Devices())
    let programs = Mutex(Programs())

    /// What the meters keep.
    private static let captureSeconds = 0.5

    struct Devices: Sendable {
        var sinks: [WorldDevice: VirtualSink] = [:]
        var sources: [WorldDevice: VirtualSource] = [:]
        var card: VirtualCard?
        /// The plugged sinks, the default last.
        var order: [WorldDevice] = []
        /// The newest sink becomes the default, as on the simulated machine.
        var priority = 1000
    }

    struct Programs: Sendable {
        var others: [App] = []
        var foreign: [UInt64: Process] = [:]
        /// Puts claims up and takes them down, for `settle`.
        var beacon: App?
        /// The one that holds streams of other programs.
        var guardHost: PipeWireGuardHost?
    }

    init() throws {
        music = try Music()
        server = try PrivatePipeWire.start()
        entrance = try TemporaryDirectory()
        let remote = entrance.path("server")
        try FileManager.default.createSymbolicLink(atPath: remote, withDestinationPath: server.socketPath)
        app = try App(host: WatchedHost(remote: remote), music: music)
    }

    /// Lets the apps find the server, or no more.
    func setOpen(_ isOpen: Bool) throws {
        if isOpen {
            try FileManager.default.createSymbolicLink(atPath: remote, withDestinationPath: server.socketPath)
        } else {
            try FileManager.default.removeItem(atPath: remote)
        }
    }

    var apps: [App] { [app] + programs.withLock { $0.others } }

    func plug(_ device: WorldDevice) async throws {
        guard !device.isInput else {
            let isBluetooth = device == .handsFreeMicrophone
            let source = try server.makeSource(
                name: device.rawValue, formFactor: device == .microphone ? "microphone" : "headset",
                bus: isBluetooth ? "bluetooth" : "pci",
                properties: isBluetooth ? Self.handsFree : ["device.description": "Microphone"])
            let names = devices.withLock {
                $0.sources[device] = source
                return Set($0.sources.keys.map(\.rawValue))
            }
            // Until the session manager has chosen one, none of several is the default.
            try server.waitUntil("a microphone becomes the default") { _ in
                (try? server.defaultSourceName()).flatMap(\.self).map(names.contains) == true
            }
            try await waitForPort(device.kind)
            return
        }
        try makeSink(device)
        devices.withLock { $0.order.append(device) }
        try server.waitUntilDefaultSink(is: device.rawValue)
        try await app.wait(for: "\(device) as the default") { $0.inventory.defaultOutputUID == device.rawValue }
    }

    private static let handsFree = [
        "device.description": "Hands-Free", "device.api": "bluez5", "api.bluez5.profile": "headset-head-unit",
    ]

    func makeSink(_ device: WorldDevice) throws {
        let priority = devices.withLock {
            $0.priority += 100
            return $0.priority
        }
        let (formFactor, bus, more): (String?, String, [String: String]) =
            switch device {
            case .speaker: ("speaker", "pci", [:])
            case .headphones: ("headphone", "pci", [:])
            case .bluetooth: ("headset", "bluetooth", ["device.api": "bluez5", "api.bluez5.profile": "a2dp-sink"])
            case .handsFree: ("headset", "bluetooth", Self.handsFree)
            case .usb: (nil, "usb", [:])
            case .hdmi, .television: ("hdmi", "pci", [:])
            case .interface: (nil, "usb", [:])
            case .monitor: (nil, "pci", [:])
            case .microphone, .headsetMicrophone, .handsFreeMicrophone: preconditionFailure("a microphone is no sink")
            }
        let channels =
            switch device {
            case .hdmi: ["FL", "FR", "FC", "LFE", "RL", "RR", "SL", "SR"]
            case .interface: ["FL", "FR", "RL", "RR"]
            case .monitor, .handsFree: ["MONO"]
            default: ["FL", "FR"]
            }
        let sink = try server.makeSink(
            name: device.rawValue, formFactor: formFactor, bus: bus,
            channels: channels, priority: priority, properties: more, capturing: .seconds(Self.captureSeconds))
        devices.withLock { $0.sinks[device] = sink }
    }

    private func waitForPort(_ kind: PortKind) async throws {
        try await app.wait(for: "\(kind) in the inventory") { $0.inventory.ports.contains { $0.kind == kind } }
    }

    func unplug(_ device: WorldDevice) async throws {
        let (sink, source, next) = devices.withLock { devices in
            defer {
                devices.sources[device] = nil
                devices.sinks[device] = nil
            }
            devices.order.removeAll { $0 == device }
            return (devices.sinks[device], devices.sources[device], devices.order.last)
        }
        _ = sink?.destroy()
        // Else it goes on with the next sink of that name.
        sink?.meter.stop()
        source?.destroy()
        try await app.wait(for: "an inventory without \(device)") {
            $0.inventory.port(uid: device.rawValue) == nil
        }
        // The next plug comes after the session manager has chosen another default, or none.
        if let next {
            try server.waitUntilDefaultSink(is: next.rawValue)
        } else if sink != nil {
            try server.waitUntil("\(device) is no default") { _ in (try? server.defaultSinkName()) != device.rawValue }
        }
    }

    func setDefaultOutput(_ device: WorldDevice) async throws {
        devices.withLock {
            $0.order.removeAll { $0 == device }
            $0.order.append(device)
        }
        try server.setDefault(device.rawValue)
        try server.waitUntilDefaultSink(is: device.rawValue)
    }

    func clearDefault() async throws {
        try server.setMetadata(key: "default.audio.sink", nil)
        runtime.drain()
    }

    func plugCardWithJack() async throws {
        let card = try server.makeCard()
        devices.withLock { $0.card = card }
        try card.waitUntilActive(.headphones)
        try await waitForPort(.headphones)
    }

    func pullJack() async throws {
        let card = devices.withLock { $0.card }
        _ = card?.unplugHeadphones()
    }

    func plugHeadset() async throws {
        let card = try server.makeCard(.headset)
        devices.withLock { $0.card = card }
        try server.waitUntilDefaultSink(is: card.sinkName)
        try await waitForPort(.bluetoothHFP)
        try await app.wait(for: "the headset as the default") { state in
            state.inventory.defaultOutputUID.flatMap(state.inventory.port(uid:))?.kind == .bluetoothA2DP
        }
    }

    func untilHeadset(is profile: Headset.Profile) async throws {
        try devices.withLock { $0.card }?.waitForProfile(profile == .hfp ? .handsFree : .on)
    }

    func untilHeardOnHeadset() async throws {
        guard let card = devices.withLock({ $0.card }) else { throw NothingToHear() }
        card.mark()
        try card.waitUntilHeardOnHeadphones(frames: 1)
    }

    func changeSampleRate(to hertz: Double) async throws { try server.forceRate(Int(hertz)) }

    func hold(_ hold: StreamHold) async throws {
        switch hold {
        case .pausedNode: try server.commandStream("Pause")
        case .cutLinks(let device): try await cutLinks(to: device)
        }
    }

    func release(_ hold: StreamHold) async throws {
        switch hold {
        case .pausedNode: try server.commandStream("Start")
        case .cutLinks(let device): try await makeLink(to: device)
        }
    }

    // MARK: Time and sound

    func run(seconds: Double) async throws {
        // The meters' clock is the server's: so many frames have really gone by, on every sink.
        let meters = devices.withLock { $0.sinks.values.map(\.meter) }
        if meters.isEmpty { return try await runCard(seconds) }
        for (meter, before) in meters.map({ ($0, $0.reading.frames) }) {
            try meter.wait(frames: before + Int(seconds * 48_000))
        }
    }

    private func runCard(_ seconds: Double) async throws {
        guard let card = devices.withLock({ $0.card }) else { return }
        _ = try card.wait(frames: card.reading.frames + Int(seconds * 48_000))
    }

    func mark() async throws {
        let (sinks, card) = devices.withLock { ($0.sinks, $0.card) }
        for sink in sinks.values { _ = sink.meter.mark() }
        _ = card?.mark()
    }

    func loudFrames(on device: WorldDevice) async throws -> Int {
        let (sink, card) = devices.withLock { ($0.sinks[device], $0.card) }
        // One frame at least: the meter is alive.
        if let sink { return try sink.meter.wait(frames: 1).loudFrames }
        guard let card else { return 0 }
        return device == .headphones ? card.headphonesFrames : card.speakerFrames
    }

    func untilHeard(on device: WorldDevice) async throws {
        let (sink, card) = devices.withLock { ($0.sinks[device], $0.card) }
        if let sink {
            try sink.meter.wait(loudFrames: sink.meter.reading.loudFrames + 1)
        } else if let card {
            try card.waitUntilHeardOnHeadphones(frames: 1)
        } else {
            throw NothingToHear()
        }
    }

    func level(on device: WorldDevice) async throws -> Float {
        guard let meter = devices.withLock({ $0.sinks[device]?.meter }) else { throw NothingToHear() }
        try await fadeOut()
        meter.mark()
        return try meter.wait(frames: 4800).peak
    }

    func record(
        _ devices: [WorldDevice], frames: Int, during change: () throws -> Void
    ) async throws -> [[[Float]]] {
        precondition(Double(frames) < Self.captureSeconds * 48_000, "the meters keep as much")
        let sinks = self.devices.withLock { state in devices.compactMap { state.sinks[$0] } }
        guard sinks.count == devices.count else { throw NothingToHear() }
        // What the machine keeps from running, a meter or the app, is no sound: such a recording proves nothing.
        for _ in 1...20 {
            let lostBefore = lostCycles
            // What was lost just before, and what is lost at the end, is heard and counted within two cycles.
            try await run(seconds: 0.05)
            for sink in sinks { sink.meter.mark() }
            try change()
            for sink in sinks { try sink.meter.wait(frames: frames) }
            let heard = sinks.map { $0.meter.capturedSamples() }
            let isComplete = sinks.allSatisfy { $0.meter.reading.missedFrames == 0 }
            try await run(seconds: 0.05)
            if isComplete && lostCycles == lostBefore { return heard }
        }
        throw MachineTooBusy()
    }

    private var lostCycles: Int { apps.reduce(0) { $0 + (($1.runtime.host as? WatchedHost)?.lostCycles ?? 0) } }

    func samples(on device: WorldDevice) async throws -> [[Float]] {
        try await fadeOut()
        return try await record([device], frames: 4800) {}[0]
    }

    func end() async {
        for app in apps { app.end() }
        let (beacon, foreign) = programs.withLock { ($0.beacon, Array($0.foreign.values)) }
        beacon?.end()
        programs.withLock { $0.guardHost }?.shutdown()
        for program in foreign { program.terminate() }
        server.stop()
    }
}

/// In each of many recordings a cycle was lost.
struct MachineTooBusy: Error {}

extension VirtualCard {
    /// Waits until so many frames were loud on the headphones; fails after 20 s of the card's time.
    func waitUntilHeardOnHeadphones(frames: Int) throws {
        let end = reading.frames + 20 * 48_000
        while headphonesFrames < frames {
            guard reading.frames < end else { throw NothingToHear() }
            try wait(frames: reading.frames + 1024)
        }
    }
}
