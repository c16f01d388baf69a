import AudioModel
import Foundation
import SessionCore
import SessionRest
import Synchronization
import Testing

@testable import AudioRuntime
@testable import OpenAudioSession
@testable import SessionRuntime

/// Requests of the app to the route: behaviours of docs/behaviours.md by name.
@Suite("Route request contract", .serialized)
struct RouteRequestContractTests {
    @Test(arguments: WorldKind.allCases)
    func categoryChangeIgnoredByPlayer(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            try world.session.setCategory(.ambient)
            world.runtime.drain()
            #expect(
                world.journal.events == Journal.started + [
                    .routeChange(.categoryChange, previous: [.builtInSpeaker], current: [.builtInSpeaker])
                ])
            #expect(player.status.state == .playing)
            try await world.untilHeard(on: .speaker)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func settingCategoryInsideHandlerDoesNotLoop(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones]) { world in
            let session = world.session
            try session.setCategory(.playback)
            world.runtime.drain()
            let calls = Mutex(0)
            let token = NotificationCenter.default.addObserver(
                forName: AVAudioSession.routeChangeNotification, object: session, queue: nil
            ) { [unowned session] _ in
                calls.withLock { $0 += 1 }
                try? session.setCategory(.playback)
            }
            defer { NotificationCenter.default.removeObserver(token) }
            let player = try await world.startPlaying(on: .headphones)
            try await world.unplug(.headphones)
            try await world.journal.wait(for: .player(.paused, .oldDeviceUnavailable))
            world.runtime.drain()
            // Whatever the handler has caused has been delivered by now as well.
            world.runtime.drain()
            player.close()
            #expect(calls.withLock { $0 } == 1)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func hfpInAndOutMoveTogether(_ kind: WorldKind) async throws {
        let devices: [WorldDevice] = [.handsFree, .handsFreeMicrophone, .microphone, .speaker]
        try await withWorld(kind, plugged: devices) { world in
            let session = world.session
            try session.setCategory(.playAndRecord, options: .allowBluetoothHFP)
            func route() -> [AVAudioSession.Port] {
                (session.currentRoute.inputs + session.currentRoute.outputs).map(\.portType)
            }
            let pairs: [(AVAudioSession.Port, AVAudioSession.Port)] = [
                (.bluetoothHFP, .bluetoothHFP), (.builtInMic, .builtInSpeaker),
            ]
            for _ in 1...2 {
                for (input, output) in pairs {
                    let port = try #require(session.availableInputs?.first { $0.portType == input })
                    try session.setPreferredInput(port)
                    #expect(route() == [input, output])
                }
            }
            let player = try world.app.makePlayer()
            try player.play()
            try await world.untilHeard(on: .speaker)
            try session.setPreferredInput(session.availableInputs?.first { $0.portType == .bluetoothHFP })
            try await world.untilHeard(on: .handsFree)
        }
    }

    /// A headset is one card with two profiles: the microphone that is chosen decides which.
    @Test(arguments: WorldKind.allCases)
    func headsetProfileFollowsTheMicrophone(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.microphone, .speaker]) { world in
            try await world.plugHeadset()
            let session = world.session
            try session.setCategory(.playAndRecord, options: [.allowBluetoothHFP, .allowBluetoothA2DP])
            func prefer(_ type: AVAudioSession.Port) throws {
                let port = try #require(session.availableInputs?.first { $0.portType == type })
                try session.setPreferredInput(port)
            }
            func route() -> [AVAudioSession.Port] {
                (session.currentRoute.inputs + session.currentRoute.outputs).map(\.portType)
            }
            // The option alone means HFP.
            #expect(route() == [.bluetoothHFP, .bluetoothHFP])
            try prefer(.builtInMic)
            #expect(route() == [.builtInMic, .bluetoothA2DP])
            let player = try world.app.makePlayer()
            try player.play()
            try await world.untilHeardOnHeadset()
            try await world.mark()
            for _ in 1...2 {
                try prefer(.bluetoothHFP)
                try await world.untilHeadset(is: .hfp)
                #expect(route() == [.bluetoothHFP, .bluetoothHFP])
                try await world.untilHeardOnHeadset()
                try prefer(.builtInMic)
                try await world.untilHeadset(is: .a2dp)
                #expect(route() == [.builtInMic, .bluetoothA2DP])
                try await world.untilHeardOnHeadset()
                // Faster than the headset: what it leaves and comes back to meanwhile is not lost.
                for _ in 1...3 {
                    try prefer(.bluetoothHFP)
                    try prefer(.builtInMic)
                }
            }
            try await world.untilHeadset(is: .a2dp)
            try await world.untilHeardOnHeadset()
            #expect(player.status.state == .playing)
            #expect(try await world.loudFrames(on: .speaker) == 0)
            #expect(!world.journal.events.contains { if case .player(.paused, _) = $0 { true } else { false } })
        }
    }

    @Test(arguments: WorldKind.allCases)
    func headsetReturnsToA2DPAfterTheCall(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.microphone, .speaker]) { world in
            try await world.plugHeadset()
            try world.session.setCategory(.playAndRecord, options: .allowBluetoothHFP)
            let player = try world.app.makePlayer()
            try player.play()
            try await world.untilHeadset(is: .hfp)
            try await world.untilHeardOnHeadset()
            player.pause()
            try await world.untilHeadset(is: .a2dp)
            // It waits on the same port, which is no loss.
            #expect(world.session.currentRoute.outputs.map(\.portType) == [.bluetoothHFP])
            try player.play()
            try await world.untilHeadset(is: .hfp)
            try await world.untilHeardOnHeadset()
            #expect(try await world.loudFrames(on: .speaker) == 0)
            try world.session.setCategory(.playback)
            try await world.untilHeadset(is: .a2dp)
            try await world.untilHeardOnHeadset()
            #expect(try await world.loudFrames(on: .speaker) == 0)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func ownOverrideReportsOverrideOnce(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones, .microphone]) { world in
            try world.session.setCategory(.playAndRecord)
            world.runtime.drain()
            let start = world.journal.count
            try world.session.overrideOutputAudioPort(.speaker)
            try world.session.overrideOutputAudioPort(.speaker)
            world.runtime.drain()
            #expect(
                world.journal.entries.dropFirst(start).filter(\.isEvent) == [
                    .routeChange(.override, previous: [.headphones], current: [.builtInSpeaker])
                ])
        }
    }

    @Test(arguments: WorldKind.allCases)
    func overrideEndsOnNextRouteChange(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .usb, .microphone]) { world in
            try world.session.setCategory(.playAndRecord)
            try world.session.overrideOutputAudioPort(.speaker)
            try await world.plug(.headphones)
            try await world.journal.wait(
                for: .routeChange(.newDeviceAvailable, previous: [.builtInSpeaker], current: [.headphones]))
            #expect(world.runtime.state.override == .none)
            #expect(world.session.currentRoute.outputs.map(\.portType) == [.headphones])
        }
    }
}
