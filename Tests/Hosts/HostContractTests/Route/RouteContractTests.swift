import AudioModel
import Foundation
import SessionCore
import SessionRest
import Synchronization
import TestSupport
import Testing

@testable import AudioRuntime
@testable import OpenAudioSession
@testable import SessionRuntime

/// The route behaviours of docs/behaviours.md, by name, on the simulated host and on a private PipeWire.
@Suite("Route contract", .serialized)
struct RouteContractTests {
    @Test(arguments: WorldKind.allCases)
    func pausesWhenHeadphonesLeave(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones]) { world in
            let player = try await world.startPlaying(on: .headphones)
            try await world.mark()
            try await world.unplug(.headphones)
            try await world.journal.wait(for: .player(.paused, .oldDeviceUnavailable))
            try await world.run(seconds: 0.5)
            try await world.settle()

            #expect(
                world.journal.events == Journal.started + [
                    .player(.paused, .oldDeviceUnavailable),
                    .routeChange(.oldDeviceUnavailable, previous: [.headphones], current: [.builtInSpeaker]),
                ])
            #expect(player.status.state == .paused)
            #expect(try await world.loudFrames(on: .speaker) == 0)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func continuesWhenHeadphonesArrive(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            try await world.plug(.headphones)
            try await world.journal.wait(
                for: .routeChange(.newDeviceAvailable, previous: [.builtInSpeaker], current: [.headphones]))
            try await world.untilHeard(on: .headphones)

            #expect(
                world.journal.events == Journal.started + [
                    .routeChange(.newDeviceAvailable, previous: [.builtInSpeaker], current: [.headphones])
                ])
            #expect(player.status.state == .playing)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func doesNotAutoResumeWhenHeadphonesReturn(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones]) { world in
            let player = try await world.startPlaying(on: .headphones)
            try await world.unplug(.headphones)
            try await world.journal.wait(for: .player(.paused, .oldDeviceUnavailable))
            try await world.mark()
            try await world.plug(.headphones)
            try await world.journal.wait(
                for: .routeChange(.newDeviceAvailable, previous: [.builtInSpeaker], current: [.headphones]))
            try await world.run(seconds: 0.5)
            #expect(player.status.state == .paused)
            #expect(try await world.loudFrames(on: .headphones) == 0)
            #expect(try await world.loudFrames(on: .speaker) == 0)

            // It is paused, not broken: the user's play sounds on the headphones.
            try player.play()
            try await world.untilHeard(on: .headphones)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func noisyHandlingOffKeepsPlaying(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones]) { world in
            let player = try await world.startPlaying(
                on: .headphones, policy: StreamPolicy(onDeviceLoss: .continue))
            let before = player.status.position
            try await world.unplug(.headphones)
            try await world.untilHeard(on: .speaker)
            // It is heard as soon as it is linked, and told after that.
            try await world.settle()

            #expect(player.status.state == .playing)
            #expect(player.status.position >= before)
            #expect(
                world.journal.events == Journal.started + [
                    .routeChange(.oldDeviceUnavailable, previous: [.headphones], current: [.builtInSpeaker])
                ])
        }
    }

    @Test(arguments: WorldKind.allCases)
    func jackUnplugOnSameCardIsARouteChange(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: []) { world in
            try await world.plugCardWithJack()
            let player = try await world.startPlaying(on: .headphones)
            let start = world.journal.count
            try await world.pullJack()
            try await world.journal.wait(for: .player(.paused, .oldDeviceUnavailable), from: start)
            try await world.journal.wait(
                for: .routeChange(.oldDeviceUnavailable, previous: [.headphones], current: [.builtInSpeaker]),
                from: start)
            try await world.run(seconds: 0.5)
            try await world.settle()

            #expect(player.status.state == .paused)
            #expect(world.journal.routeChanges.filter { $0 == .oldDeviceUnavailable }.count == 1)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func unplugWhileBluetoothPresentStillPauses(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .bluetooth, .headphones]) { world in
            let player = try await world.startPlaying(on: .headphones)
            try await world.mark()
            try await world.unplug(.headphones)
            try await world.journal.wait(for: .player(.paused, .oldDeviceUnavailable))
            try await world.journal.wait(
                for: .routeChange(.oldDeviceUnavailable, previous: [.headphones], current: [.bluetoothA2DP]))
            try await world.run(seconds: 0.5)
            #expect(player.status.state == .paused)
            #expect(try await world.loudFrames(on: .bluetooth) == 0)
            #expect(try await world.loudFrames(on: .speaker) == 0)
        }
    }

    /// The user had chosen the USB card before the headset; line out is the newest, and ranks above it.
    @Test(arguments: WorldKind.allCases)
    func headsetLeaves_whileTwoOutputsStay_isOneRouteChange(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.usb, .bluetooth, .monitor]) { world in
            try await world.setDefaultOutput(.usb)
            try await world.setDefaultOutput(.bluetooth)
            _ = try await world.startPlaying(on: .bluetooth)
            try await world.mark()
            try await world.settle()
            let (before, start) = (world.journal.events, world.journal.count)
            try await world.unplug(.bluetooth)
            try await world.journal.wait(for: .player(.paused, .oldDeviceUnavailable), from: start)
            try await world.run(seconds: 0.5)
            try await world.settle()

            #expect(
                world.journal.events == before + [
                    .player(.paused, .oldDeviceUnavailable),
                    .routeChange(.oldDeviceUnavailable, previous: [.bluetoothA2DP], current: [.usbAudio]),
                ])
            #expect(try await world.loudFrames(on: .monitor) == 0)
            #expect(try await world.loudFrames(on: .usb) == 0)
        }
    }

    /// Whoever says that another output has the sound: a person needs longer, and is told of a choice then.
    @Test(arguments: WorldKind.allCases)
    func routeThatMovesAfterALossIsNoOverride(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.usb, .monitor, .bluetooth]) { world in
            let changes = RouteChanges()
            let app = try await world.launch("listener", recorders: [changes])
            try await app.wait(for: "the headset in the route") { $0.route.outputs.map(\.kind) == [.bluetoothA2DP] }
            try await world.unplug(.bluetooth)
            try await app.wait(for: "the monitor in the route") { $0.route.outputs.map(\.kind) == [.lineOut] }
            try await world.setDefaultOutput(.usb)
            try await app.wait(for: "the card in the route") { $0.route.outputs.map(\.kind) == [.usbAudio] }
            try await world.run(seconds: 1.1)
            try await world.setDefaultOutput(.monitor)
            try await app.wait(for: "the monitor again") { $0.route.outputs.map(\.kind) == [.lineOut] }

            let all = changes.history.entries
            try #require(all.count == 3)
            #expect(all[0].reason == .oldDeviceUnavailable)
            // A busy machine may take longer than that.
            let isSoon = all[1].time.seconds(since: all[0].time) <= 1
            #expect(all[1].reason == (isSoon ? .oldDeviceUnavailable : .override))
            #expect(isSoon || kind == .pipeWire)
            #expect(all[2].reason == .override)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func inactivePortLossIsNotAnOutputRouteChange(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones, .usb]) { world in
            let player = try await world.startPlaying(on: .usb)
            let start = world.journal.count
            try await world.unplug(.headphones)
            try await world.journal.wait(for: "an inventory without headphones") {
                $0.dropFirst(start).contains {
                    if case .inventory(let kinds) = $0 { !kinds.contains(.headphones) } else { false }
                }
            }
            try await world.settle()
            #expect(world.journal.events == Journal.started)
            #expect(player.status.state == .playing)
            try await world.untilHeard(on: .usb)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func previousRouteIsSnapshot(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones]) { world in
            let notifications = RouteChangeLog(session: world.session)
            let before = world.session.currentRoute.outputs.map(\.uid)
            try await world.unplug(.headphones)
            try await world.journal.wait(
                for: .routeChange(.oldDeviceUnavailable, previous: [.headphones], current: [.builtInSpeaker]))
            try await world.plug(.headphones)
            try await world.journal.wait(
                for: .routeChange(.newDeviceAvailable, previous: [.builtInSpeaker], current: [.headphones]))
            try await world.settle()
            // Read long after the event, when the route is another one again.
            #expect(notifications.all.first?.previous.outputs.map(\.uid) == before)
            #expect(notifications.all.map(\.reason) == [.oldDeviceUnavailable, .newDeviceAvailable])
        }
    }

    @Test(arguments: WorldKind.allCases)
    func eventChainIsContinuous(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let notifications = RouteChangeLog(session: world.session)
            let player = try await world.startPlaying(on: .speaker)
            defer { player.close() }
            for device in [WorldDevice.headphones, .usb, .bluetooth] {
                try await world.plug(device)
                try await world.journal.wait(for: "\(device) in the route") { $0.currentOutputs == [device.kind] }
            }
            for (device, next) in [(WorldDevice.bluetooth, WorldDevice.usb), (.usb, .headphones)] {
                try await world.unplug(device)
                try await world.journal.wait(for: "\(next) in the route") { $0.currentOutputs == [next.kind] }
            }
            try await world.settle()
            let log = notifications.all
            #expect(log.count == 5)
            for (earlier, later) in zip(log, log.dropFirst()) {
                #expect(later.previous.outputs.map(\.uid) == earlier.current.outputs.map(\.uid))
            }
        }
    }

    @Test(arguments: WorldKind.allCases)
    func defaultFlapCoalesced(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones]) { world in
            let player = try await world.startPlaying(on: .headphones)
            try await world.setDefaultOutput(.speaker)
            try await world.setDefaultOutput(.headphones)
            try await world.untilHeard(on: .headphones)
            // What was heard may still be from before the first move, or from between the two: neither may have been told.
            try await world.settle()
            try await world.untilHeard(on: .headphones)
            try await world.run(seconds: 0.5)
            try await world.settle()
            let changes = world.journal.events.dropFirst(Journal.started.count)
            // None, or two that belong together; never the same one twice.
            #expect(
                changes.isEmpty
                    || Array(changes) == [
                        .routeChange(.override, previous: [.headphones], current: [.builtInSpeaker]),
                        .routeChange(.override, previous: [.builtInSpeaker], current: [.headphones]),
                    ], "\(world.journal.events)")
            #expect(player.status.state == .playing)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func nullDefaultKeepsDevice(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones]) { world in
            let player = try await world.startPlaying(on: .headphones)
            try await world.clearDefault()
            try await world.settle()
            #expect(world.journal.events == Journal.started)
            try await world.untilHeard(on: .headphones)

            try await world.unplug(.headphones)
            try await world.journal.wait(for: .player(.paused, .oldDeviceUnavailable))
            try await world.unplug(.speaker)
            try await world.journal.wait(
                for: .routeChange(.noSuitableRouteForCategory, previous: [.builtInSpeaker], current: []))
            #expect(world.session.currentRoute.outputs.isEmpty)
            #expect(player.status.state == .paused)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func sampleRateChangeIsConfigurationChange(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones]) { world in
            let player = try await world.startPlaying(on: .headphones)
            try await world.changeSampleRate(to: 44_100)
            try await world.journal.wait(
                for: .routeChange(.routeConfigurationChange, previous: [.headphones], current: [.headphones]))
            #expect(world.journal.routeChanges == [.routeConfigurationChange])
            #expect(player.status.state == .playing)
            try await world.untilHeard(on: .headphones)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func settingsUpdatedBeforeCallback(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones]) { world in
            let session = world.session
            let seen = Mutex<[Double]>([])
            let token = NotificationCenter.default.addObserver(
                forName: AVAudioSession.routeChangeNotification, object: session, queue: nil
            ) { [unowned session] _ in seen.withLock { $0.append(session.sampleRate) } }
            defer { NotificationCenter.default.removeObserver(token) }
            let player = try await world.startPlaying(on: .headphones)
            defer { player.close() }
            #expect(session.sampleRate == 48_000)
            try await world.changeSampleRate(to: 44_100)
            try await world.journal.wait(
                for: .routeChange(.routeConfigurationChange, previous: [.headphones], current: [.headphones]))
            world.runtime.drain()
            #expect(seen.withLock { $0 } == [44_100])
        }
    }

    @Test(arguments: WorldKind.allCases)
    func specificDeviceStreamDoesNotFollow(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .usb, .headphones]) { world in
            let uid = try #require(world.runtime.state.inventory.outputs.first { $0.kind == .usbAudio }?.uid)
            let player = try await world.startPlaying(
                on: .usb, policy: StreamPolicy(target: .port(uid: uid), onDeviceLoss: .continue))
            #expect(world.session.currentRoute.outputs.map(\.portType) == [.headphones])
            try await world.mark()
            try await world.unplug(.usb)
            try await world.journal.wait(for: .player(.failed, .error))
            try await world.run(seconds: 0.5)
            #expect(try await world.loudFrames(on: .headphones) == 0)
            #expect(try await world.loudFrames(on: .speaker) == 0)
            #expect(player.status.message?.contains(uid) == true)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func callbackNotBeforeHandle(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let calls = Mutex<[Bool]>([])
            let hasHandle = Atomic<Bool>(false)
            let hasHandleNow: @Sendable () -> Bool = { hasHandle.load(ordering: .acquiring) }
            let player = try world.app.makePlayer { _ in calls.withLock { $0.append(hasHandleNow()) } }
            world.runtime.drain()
            try await world.run(seconds: 0.1)
            #expect(calls.withLock { $0 } == [])
            hasHandle.store(true, ordering: .releasing)
            try player.play()
            try await world.untilHeard(on: .speaker)
            player.close()
            world.runtime.drain()
            #expect(calls.withLock { $0 } == [true])
        }
    }
}

/// The route changes of a session, with their times.
private final class RouteChanges: SessionRecorder {
    let history = History<RouteChange>()

    func begin(on host: String, _ state: SessionState) {}

    func end() {}

    func record(_ event: SessionEvent, _ effects: [SessionEffect], _ state: SessionState) {
        for case .postRouteChange(let change) in effects { history.append(change) }
    }
}
