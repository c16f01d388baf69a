import AudioModel
import Foundation
import HostPipeWire
import PipeWireRig
import SessionCore
import Synchronization

@testable import OpenAVFAudio

/// A private PipeWire with a session manager as a world: devices are sinks that come and go.
final class PipeWireWorld: World {
    let app: App
    let server: PrivatePipeWire
    let music: Music
    let devices = Mutex(Devices())
    let programs = Mutex(Programs())

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
    }

    init() throws {
        music = try Music()
        server = try PrivatePipeWire.start()
        app = try App(host: PipeWireHost(remote: server.socketPath, sleepBus: .none), music: music)
    }

    var apps: [App] { [app] + programs.withLock { $0.others } }

    func plug(_ device: WorldDevice) async throws {
        guard !device.isInput else {
            let source = try server.makeSource(
                name: device.rawValue, formFactor: device == .microphone ? "microphone" : "headset", bus: "pci",
                properties: ["device.description": "Microphone"])
            devices.withLock { $0.sources[device] = source }
            try await waitForPort(device.kind)
            return
        }
        try makeSink(device)
        devices.withLock { $0.order.append(device) }
        try server.waitUntilDefaultSink(is: device.rawValue)
        try await app.wait(for: "\(device) in the inventory") { $0.inventory.port(uid: device.rawValue) != nil }
    }

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
            case .usb: (nil, "usb", [:])
            case .hdmi, .television: ("hdmi", "pci", [:])
            case .interface: (nil, "usb", [:])
            case .monitor: (nil, "pci", [:])
            case .microphone, .headsetMicrophone: preconditionFailure("a microphone is no sink")
            }
        let channels =
            switch device {
            case .hdmi: ["FL", "FR", "FC", "LFE", "RL", "RR", "SL", "SR"]
            case .interface: ["FL", "FR", "RL", "RR"]
            case .monitor: ["MONO"]
            default: ["FL", "FR"]
            }
        let sink = try server.makeSink(
            name: device.rawValue, formFactor: formFactor, bus: bus,
            channels: channels, priority: priority, properties: more, capturing: .milliseconds(100))
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
        source?.destroy()
        try await app.wait(for: "an inventory without \(device)") {
            $0.inventory.port(uid: device.rawValue) == nil
        }
        // No hand is quicker than the session manager: the next plug comes after it has chosen another default.
        if let next { try server.waitUntilDefaultSink(is: next.rawValue) }
    }

    func setDefaultOutput(_ device: WorldDevice) async throws {
        try server.setDefault(device.rawValue)
        try server.waitUntilDefaultSink(is: device.rawValue)
    }

    func clearDefault() async throws {
        try server.setMetadata(key: "default.audio.sink", nil)
        process.settle()
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

    func changeSampleRate(to hertz: Double) async throws { try server.forceRate(Int(hertz)) }

    func holdMusic() async throws { try server.commandStream("Pause") }
    func releaseMusic() async throws { try server.commandStream("Start") }

    // MARK: Time and sound

    func run(seconds: Double) async throws {
        // Any meter's clock is the server's: so many frames have really gone by.
        guard let meter = devices.withLock({ $0.sinks.values.first?.meter }) else { return try await runCard(seconds) }
        let before = meter.reading.frames
        try meter.wait(frames: before + Int(seconds * 48_000))
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
        if let sink {
            let reading = sink.meter.reading
            guard reading.frames > 0 else { throw NothingToHear() }
            return reading.loudFrames
        }
        guard let card else { return 0 }
        return device == .headphones ? card.headphonesFrames : card.speakerFrames
    }

    func untilHeard(on device: WorldDevice) async throws {
        let (sink, card) = devices.withLock { ($0.sinks[device], $0.card) }
        if let sink {
            try sink.meter.wait(loudFrames: sink.meter.reading.loudFrames + 1)
        } else if let card {
            while card.headphonesFrames == 0 { _ = try card.wait(frames: card.reading.frames + 1024) }
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

    func samples(on device: WorldDevice) async throws -> [[Float]] {
        guard let meter = devices.withLock({ $0.sinks[device]?.meter }) else { throw NothingToHear() }
        try await fadeOut()
        meter.mark()
        try meter.wait(frames: 4800)
        return meter.capturedSamples()
    }

    func end() async {
        for app in apps { app.end() }
        let (beacon, foreign) = programs.withLock { ($0.beacon, Array($0.foreign.values)) }
        beacon?.end()
        for program in foreign { program.terminate() }
        server.stop()
    }
}
