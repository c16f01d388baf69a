import AudioModel
import SessionCore
import SessionRest
import Testing

@testable import AudioRuntime
@testable import OpenAudioSession
@testable import SessionRuntime

/// The behaviours of category `multiRoute` in docs/behaviours.md, by name, on the simulated host and on a private
/// PipeWire.
@Suite("Multi-route contract", .serialized)
struct MultiRouteContractTests {
    // Behaviour 70, the route's part; the file plays on the first port alone, as Apple's default channel map has it.
    @Test(arguments: WorldKind.allCases)
    func multiRouteSumsChannels(_ kind: WorldKind) async throws {
        try await withMultiRoute(kind, plugged: [.hdmi, .headphones]) { world in
            let outputs = world.session.currentRoute.outputs
            #expect(outputs.map(\.portType) == [.HDMI, .headphones])
            #expect(outputs.map { $0.channels?.count } == [8, 2])
            #expect(world.session.outputNumberOfChannels == 10)
            #expect(world.session.maximumOutputNumberOfChannels == 10)
            for port in outputs {
                let channels = try #require(port.channels)
                #expect(channels.map(\.channelNumber) == Array(1...channels.count))
                #expect(Set(channels.map(\.owningPortUID)) == [port.uid])
            }
            let player = try await world.startPlaying(on: .hdmi)
            defer { player.close() }
            try await world.run(seconds: 0.2)
            #expect(try await world.loudFrames(on: .headphones) == 0)
        }
    }

    // Behaviour 71
    @Test(arguments: WorldKind.allCases)
    func speakerOnlyWhenAlone(_ kind: WorldKind) async throws {
        try await withMultiRoute(kind, plugged: [.speaker, .headphones]) { world in
            #expect(world.session.currentRoute.outputs.map(\.portType) == [.headphones])
            try await world.unplug(.headphones)
            try await world.journal.wait(
                for: .routeChange(.oldDeviceUnavailable, previous: [.headphones], current: [.builtInSpeaker]))
            try await world.plug(.usb)
            try await world.journal.wait(
                for: .routeChange(.newDeviceAvailable, previous: [.builtInSpeaker], current: [.usbAudio]))
            // Bluetooth has no part in it.
            try await world.plug(.bluetooth)
            try await world.settle()
            #expect(world.session.currentRoute.outputs.map(\.portType) == [.usbAudio])
            #expect(world.journal.routeChanges == [.oldDeviceUnavailable, .newDeviceAvailable])
        }
    }

    // Behaviour 72
    @Test(arguments: WorldKind.allCases)
    func multiRouteInputIsLastIn(_ kind: WorldKind) async throws {
        try await withMultiRoute(kind, plugged: [.headphones]) { world in
            func inputs() -> [AVAudioSession.Port] { world.session.currentRoute.inputs.map(\.portType) }
            #expect(inputs() == [])
            try await world.plug(.microphone)
            try await world.settle()
            #expect(inputs() == [.builtInMic])
            try await world.plug(.headsetMicrophone)
            try await world.settle()
            #expect(inputs() == [.headsetMic])
            #expect(world.session.inputNumberOfChannels == world.session.maximumInputNumberOfChannels)
            try await world.unplug(.headsetMicrophone)
            try await world.settle()
            #expect(inputs() == [.builtInMic])
        }
    }

    // Behaviour 74, the route's part: a stream that is bound to a device reaches it wherever it stands in the order.
    @Test(arguments: WorldKind.allCases)
    func mapRecomputedAfterRouteChange(_ kind: WorldKind) async throws {
        try await withMultiRoute(kind, plugged: [.hdmi, .headphones, .usb]) { world in
            func outputs() -> [AVAudioSession.Port] { world.session.currentRoute.outputs.map(\.portType) }
            #expect(outputs() == [.HDMI, .headphones, .usbAudio])
            let chosen = try #require(world.session.currentRoute.outputs.last?.uid)
            let player = try await world.startPlaying(
                on: .usb, policy: StreamPolicy(target: .ports(uids: [chosen]), onDeviceLoss: .continue))
            defer { player.close() }
            try await world.unplug(.hdmi)
            try await world.plug(.hdmi)
            try await world.settle()
            // Re-plugging puts a device last.
            #expect(outputs() == [.headphones, .usbAudio, .HDMI])
            try await world.mark()
            try await world.untilHeard(on: .usb)
            try await world.unplug(.usb)
            try await world.mark()
            try await world.run(seconds: 0.2)
            #expect(try await world.loudFrames(on: .headphones) == 0)
            #expect(try await world.loudFrames(on: .hdmi) == 0)
            try await world.plug(.usb)
            try await world.untilHeard(on: .usb)
            #expect(outputs() == [.headphones, .HDMI, .usbAudio])
            #expect(player.status.state == .playing)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func deviceThatLeaves_pausesThePlayer_whoseNextPlaySoundsOnTheRest(_ kind: WorldKind) async throws {
        try await withMultiRoute(kind, plugged: [.speaker, .hdmi, .headphones]) { world in
            let player = try await world.startPlaying(on: .hdmi)
            defer { player.close() }
            try await world.mark()
            // Not even the one that sounds: the output as a whole is another.
            try await world.unplug(.headphones)
            try await world.journal.wait(for: .player(.paused, .oldDeviceUnavailable))
            try await world.journal.wait(
                for: .routeChange(.oldDeviceUnavailable, previous: [.hdmi, .headphones], current: [.hdmi]))
            try await world.run(seconds: 0.2)
            #expect(try await world.loudFrames(on: .speaker) == 0)
            try player.play()
            try await world.untilHeard(on: .hdmi)
            #expect(world.journal.routeChanges == [.oldDeviceUnavailable])
        }
    }

    @Test(arguments: WorldKind.allCases)
    func deviceThatLeaves_whileThePolicyIsToGoOn_leavesTheRestPlaying(_ kind: WorldKind) async throws {
        try await withMultiRoute(kind, plugged: [.speaker, .hdmi, .headphones]) { world in
            let player = try await world.startPlaying(on: .hdmi, policy: StreamPolicy(onDeviceLoss: .continue))
            defer { player.close() }
            try await world.mark()
            try await world.unplug(.hdmi)
            // What was the second port is the first now.
            try await world.untilHeard(on: .headphones)
            try await world.plug(.usb)
            try await world.mark()
            try await world.untilHeard(on: .headphones)
            try await world.run(seconds: 0.2)
            #expect(try await world.loudFrames(on: .usb) == 0)
            #expect(try await world.loudFrames(on: .speaker) == 0)
            #expect(player.status.state == .playing)
            try await world.settle()
            #expect(
                world.journal.events == [
                    .player(.playing, .user), .becameActive,
                    .routeChange(.oldDeviceUnavailable, previous: [.hdmi, .headphones], current: [.headphones]),
                    .routeChange(.newDeviceAvailable, previous: [.headphones], current: [.headphones, .usbAudio]),
                ])
        }
    }
}

/// A world whose session has category `multiRoute` when `body` begins; the journal is empty.
func withMultiRoute(
    _ kind: WorldKind, plugged devices: [WorldDevice], _ body: (any World) async throws -> Void
) async throws {
    try await withWorld(kind, plugged: devices) { world in
        try world.session.setCategory(.multiRoute)
        world.runtime.drain()
        world.journal.clear()
        try await body(world)
    }
}
