import AudioDeviceSelection
import AudioModel
import Foundation
import SessionRest
import Testing

@testable import OpenAVFAudio
@testable import OpenAudioSession
@testable import SessionRuntime

/// The behaviours of device selection in docs/behaviours.md, by name, on the simulated host and on a private PipeWire:
/// what is checked are the samples on the devices.
@Suite("Device selection contract", .serialized, .timeLimit(.minutes(2)))
struct DeviceSelectionContractTests {
    // Behaviour 74
    @Test(arguments: WorldKind.allCases)
    func mapRecomputedAfterRouteChange(_ kind: WorldKind) async throws {
        try await withPicker(kind, .multiRoute, plugged: [.headphones, .interface, .monitor]) { world, picker in
            let all = picker.devices.all
            #expect(all.map(\.portType) == [.headphones, .usbAudio, .lineOut])
            #expect(all.map(\.channelCount) == [2, 4, 1])
            let (interface, monitor) = (all[1], all[2])
            try picker.devices.select(interface)
            #expect(picker.maps == [[-1, -1, 0, 1, -1, -1, -1]])
            try picker.start()
            try await picker.expectSound(on: .interface, channels: 4, silentOn: [.headphones, .monitor])

            // Another order: the interface is the first, the headphones are the last.
            try await world.mark()
            try await world.unplug(.headphones)
            try await world.plug(.headphones)
            try await world.settle()
            #expect(picker.devices.all.map(\.portType) == [.usbAudio, .lineOut, .headphones])
            #expect(picker.devices.current == [interface])
            #expect(picker.maps == [[0, 1, -1, -1, -1, -1, -1]])
            try picker.start()
            try await picker.expectSound(on: .interface, channels: 4, silentOn: [.headphones, .monitor])

            // A choice while it sounds, of a device with one channel.
            try picker.devices.select(monitor)
            #expect(picker.maps == [[-1, -1, -1, -1, 0, -1, -1]])
            try await picker.expectSound(on: .monitor, channels: 1)
            try await picker.expectSilence(on: [.headphones, .interface])

            // It is gone: the first device of the route stands in.
            try await world.mark()
            try await world.unplug(.monitor)
            try await world.settle()
            #expect(!picker.engine.isRunning)
            #expect(picker.devices.current == [interface])
            #expect(picker.devices.choice == .device(uid: monitor.uid))
            #expect(picker.maps == [[0, 1, -1, -1, -1, -1]])
            try picker.start()
            try await picker.expectSound(on: .interface, channels: 4, silentOn: [.headphones])

            // It is back, and last now.
            try await world.plug(.monitor)
            try await world.settle()
            #expect(picker.devices.current == [monitor])
            #expect(picker.maps == [[-1, -1, -1, -1, -1, -1, 0]])
            try await world.fadeOut()
            try await world.mark()
            try picker.start()
            try await picker.expectSound(on: .monitor, channels: 1, silentOn: [.headphones, .interface])
        }
    }

    // Behaviour 77
    @Test(arguments: WorldKind.allCases)
    func portTypePicksFirst(_ kind: WorldKind) async throws {
        try await withPicker(kind, .multiRoute, plugged: [.headphones, .television, .hdmi]) { world, picker in
            #expect(picker.devices.all.map(\.portType) == [.headphones, .HDMI, .HDMI])
            let television = picker.devices.all[1]
            try picker.devices.select(portType: .HDMI)
            #expect(picker.devices.current == [television])
            try picker.start()
            try await picker.expectSound(on: .television, channels: 2, silentOn: [.headphones, .hdmi])
            // The first of that type is another one now.
            try await world.unplug(.television)
            try await world.plug(.television)
            try await world.settle()
            #expect(picker.devices.all.last == television)
            #expect(picker.devices.current == [picker.devices.all[1]])
            try await world.mark()
            try picker.start()
            try await picker.expectSound(on: .hdmi, channels: 8, silentOn: [.headphones, .television])
            picker.devices.selectAutomatic()
            #expect(picker.devices.current == picker.devices.all)
            try await picker.expectSound(on: .headphones, channels: 2)
            try await picker.expectSilence(on: [.hdmi, .television])
        }
    }

    // Behaviour 79
    @Test(arguments: WorldKind.allCases)
    func pickerKeepsUserChoice(_ kind: WorldKind) async throws {
        try await withPicker(kind, .playback, plugged: [.speaker, .headphones]) { world, picker in
            #expect(Set(picker.devices.all.map(\.portType)) == [.builtInSpeaker, .headphones])
            #expect(picker.devices.current.map(\.portType) == [.headphones])
            let speaker = try #require(picker.devices.all.first { $0.portType == .builtInSpeaker })
            try picker.devices.select(speaker)
            #expect(picker.devices.channelMap == nil)
            try picker.start()
            try await picker.expectSound(on: .speaker, channels: 2, silentOn: [.headphones])
            // What comes, and is what sound goes to from now on without a choice, changes the list alone.
            var updates = picker.devices.updates.makeAsyncIterator()
            #expect(await updates.next()?.count == 2)
            try await world.plug(.bluetooth)
            while let list = await updates.next(), !list.contains(where: { $0.portType == .bluetoothA2DP }) {}
            #expect(picker.devices.current == [speaker])
            #expect(picker.engine.isRunning)
            try await picker.expectSound(on: .speaker, channels: 2, silentOn: [.bluetooth])
            // The chosen one leaves: as without a choice, and not by itself. What leaves within 2 s of an arrival may have
            // made way for it.
            try await world.run(seconds: 2.1)
            try await world.mark()
            try await world.unplug(.speaker)
            try await world.settle()
            #expect(!picker.engine.isRunning)
            #expect(picker.devices.current.map(\.portType) == [.bluetoothA2DP])
            try await world.run(seconds: 0.2)
            #expect(try await world.loudFrames(on: .bluetooth) == 0)
            try picker.start()
            try await picker.expectSound(on: .bluetooth, channels: 2, silentOn: [.headphones])
            // It is back, and holds whatever the default is.
            try await world.plug(.speaker)
            try await world.setDefaultOutput(.headphones)
            try await world.settle()
            #expect(picker.devices.current == [speaker])
            try picker.start()
            try await picker.expectSound(on: .speaker, channels: 2)
            try await picker.expectSilence(on: [.headphones, .bluetooth])
            #expect(world.journal.routeChanges == [.override, .oldDeviceUnavailable, .newDeviceAvailable])
        }
    }
}

/// An engine that a picker steers, with a player of two levels in it.
private struct Picker {
    let world: any World
    let devices: AudioDevices
    let engine: AVAudioEngine
    private let player = AVAudioPlayerNode()
    private static let levels: [Float] = [0.5, 0.25]

    init(_ world: any World) throws {
        self.world = world
        devices = AudioDevices(session: world.session)
        engine = AVAudioSession.$taskSession.withValue(world.session) { AVAudioEngine() }
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 4800))
        buffer.frameLength = 4800
        for (channel, level) in Self.levels.enumerated() {
            buffer.floatChannelData?[channel].update(repeating: level, count: 4800)
        }
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: format)
        devices.steer(engine)
        player.scheduleBuffer(buffer, at: nil, options: .loops)
        player.play()
    }

    /// A player that lost its device sounds again by its own `play()` only (behaviour 83).
    func start() throws {
        try engine.start()
        player.play()
    }

    /// The engine's map and the one that is offered, where they differ.
    var maps: Set<[Int]> {
        Set([engine.outputNode.auAudioUnit.channelMap, devices.channelMap].map { $0?.map(\.intValue) ?? [] })
    }

    /// Nothing but the source on the device's first channels; and since the mark not a frame on the others.
    func expectSound(
        on device: WorldDevice, channels: Int, silentOn others: [WorldDevice] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await world.untilHeard(on: device)
        let samples = try await world.samples(on: device)
        #expect(samples.count == channels, sourceLocation: sourceLocation)
        for (channel, frames) in samples.enumerated() {
            let level = channel < Self.levels.count ? Self.levels[channel] : 0
            // Samples pass unchanged, whatever the server does with them in Float32.
            #expect(
                !frames.isEmpty && frames.allSatisfy { $0 == level },
                "channel \(channel) of \(device) is not \(level): \(Set(frames))", sourceLocation: sourceLocation)
        }
        for other in others {
            #expect(try await world.loudFrames(on: other) == 0, "on \(other)", sourceLocation: sourceLocation)
        }
    }

    func expectSilence(on others: [WorldDevice], sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for other in others {
            let samples = try await world.samples(on: other).joined()
            #expect(samples.allSatisfy { $0 == 0 }, "\(other) sounds", sourceLocation: sourceLocation)
        }
    }
}

/// A world of this category; the journal is empty when `body` begins.
private func withPicker(
    _ kind: WorldKind, _ category: AVAudioSession.Category, plugged devices: [WorldDevice],
    _ body: (any World, Picker) async throws -> Void
) async throws {
    try await withWorld(kind, plugged: devices, category: category) { world in
        let picker = try Picker(world)
        world.runtime.drain()
        world.journal.clear()
        try await world.mark()
        try await body(world, picker)
    }
}
