import AudioModel
import SessionCore
import Testing

@testable import OpenAudioSession
@testable import SessionRuntime

// Helpers: NotificationLog.swift

/// The session's lifecycle notifications on the main thread: behaviours of docs/behaviours.md by name.
@Suite("Lifecycle contract", .serialized)
struct LifecycleContractTests {
    @Test(arguments: WorldKind.allCases)
    func lifecycleTrio(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let notifications = NotificationLog(world.app)
            try world.session.setActive(true)
            _ = try await world.launchInterruptingApp()
            try world.session.setActive(true)
            try world.session.setActive(false)
            try world.session.setActive(false)
            try await world.settle()
            #expect(
                notifications.kinds.filter(\.isOfLifecycle) == [
                    .didBecomeActive, .didBecomeInactive(.system, .default), .didBecomeActive,
                    .didBecomeInactive(.app, nil),
                ])
            #expect(notifications.all.filter { !$0.isOnMainThread } == [])
        }
    }

    @Test(arguments: WorldKind.allCases)
    func resumptionRecommendationAfterRejectedActivation(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let notifications = NotificationLog(world.app)
            let phone = try await world.launch("phone")
            try phone.beginCall()
            #expect(code { try world.session.setActive(true) } == .insufficientPriority)
            // Who dies says nothing, and is out of the way all the same.
            try await world.kill(phone)
            try await world.journal.wait(for: .resumptionRecommended)
            // Once; and not to an app that has lost interest.
            let call = try await world.startForeignStream(role: "Phone")
            #expect(code { try world.session.setActive(true) } == .insufficientPriority)
            try world.session.setActive(false)
            try await world.stopForeignStream(call)
            try await world.settle()
            #expect(world.journal.events == [.resumptionRecommended])
            #expect(notifications.all == [.init(kind: .recommendation(.shouldResume), phase: .inactive)])
            try world.session.setActive(true)
        }
    }

    /// Interruptions of every kind, each with the sequel that it has: the two families tell one story.
    @Test(arguments: WorldKind.allCases)
    func legacyAndNewApisAgree(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones], category: .playback) { world in
            let notifications = NotificationLog(world.app)
            let player = try await world.startPlaying(on: .headphones)
            let other = try await world.launch("other")
            for notifies in [true, false] {
                var start = world.journal.count
                try other.activate()
                try await world.journal.wait(for: .interruptionBegan(.default), from: start)
                start = world.journal.count
                try other.deactivate(notifyingOthers: notifies)
                try await world.journal.wait(for: .interruptionEnded(shouldResume: notifies), from: start)
                try await world.settle()
            }
            try await world.startPlaying(on: .headphones, player)
            try await world.unplug(.headphones)
            try await world.journal.wait(for: .interruptionBegan(.routeDisconnected))
            try world.session.setActive(true)
            try world.session.setActive(false)
            try await world.settle()
            #expect(
                notifications.kinds.filter { !$0.isOfLifecycle } == [
                    .began(.default), .ended(.shouldResume), .began(.default), .ended([]), .began(.routeDisconnected),
                ])
            #expect(
                notifications.kinds.filter(\.isOfLifecycle) == [
                    .didBecomeActive, .didBecomeInactive(.system, .default), .recommendation(.shouldResume),
                    .didBecomeActive, .didBecomeInactive(.system, .default), .recommendation(.shouldNotResume),
                    .didBecomeActive, .didBecomeInactive(.system, .routeDisconnected), .didBecomeActive,
                    .didBecomeInactive(.app, nil),
                ])
            // Each of the older family is followed by its counterpart at once.
            for (index, entry) in notifications.kinds.enumerated() where !entry.isOfLifecycle {
                let next = notifications.kinds.dropFirst(index + 1).first
                switch entry {
                case .began(let reason): #expect(next == .didBecomeInactive(.system, reason))
                case .ended(let options):
                    #expect(next == .recommendation(options.isEmpty ? .shouldNotResume : .shouldResume))
                default: Issue.record("\(entry)")
                }
            }
        }
    }

    @Test(arguments: WorldKind.allCases)
    func routeDisconnectInterruptionHasNoEnd(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones], category: .playback) { world in
            let player = try await world.startPlaying(on: .headphones)
            try await world.mark()
            try await world.unplug(.headphones)
            try await world.journal.wait(for: .interruptionBegan(.routeDisconnected))
            let other = try await world.launch("other")
            try other.activate()
            try await world.settle()
            try other.deactivate(notifyingOthers: true)
            try await world.settle()
            #expect(try await world.loudFrames(on: .speaker) == 0)
            try await world.plug(.headphones)
            try await world.waitForRoute(.headphones)
            try await world.settle()
            let disconnected: [Journal.Entry] = [
                .player(.paused, .oldDeviceUnavailable),
                .routeChange(.oldDeviceUnavailable, previous: [.headphones], current: [.builtInSpeaker]),
                .interruptionBegan(.routeDisconnected),
                .routeChange(.newDeviceAvailable, previous: [.builtInSpeaker], current: [.headphones]),
            ]
            #expect(world.journal.events == Journal.started + disconnected)
            #expect(world.journal.phases.last == .interrupted)
            #expect(try await world.loudFramesAfterFades(on: .headphones) == 0)
            // The user's play ends it.
            try await world.startPlaying(on: .headphones, player)
            #expect(world.journal.events == Journal.started + disconnected + Journal.started)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func routeDisconnectPreferenceOff(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones], category: .playback) { world in
            try world.session.setPrefersInterruptionOnRouteDisconnect(false)
            try await world.startPlaying(on: .headphones)
            try await world.unplug(.headphones)
            try await world.waitForRoute(.speaker)
            try await world.settle()
            #expect(
                world.journal.events == Journal.started + [
                    .player(.paused, .oldDeviceUnavailable),
                    .routeChange(.oldDeviceUnavailable, previous: [.headphones], current: [.builtInSpeaker]),
                ])
            #expect(world.runtime.state.activation.isActive)
        }
    }
}
