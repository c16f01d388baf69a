import AudioModel
import SessionCore
import Testing

@testable import AudioRuntime
@testable import OpenAudioSession
@testable import SessionRuntime

/// Routes that change while players are silent for another reason.
@Suite("Interrupted route contract", .serialized)
struct InterruptedRouteContractTests {
    /// No advice to resume comes: it was for a listener with headphones.
    @Test(arguments: WorldKind.allCases)
    func unplug_duringAnInterruption_isNotResumedOnTheSpeaker(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones], category: .playback) { world in
            let player = try await world.startPlaying(on: .headphones)
            let other = try await world.launchInterruptingApp()
            try await world.mark()
            try await world.unplug(.headphones)
            try await world.journal.wait(for: .player(.paused, .oldDeviceUnavailable))
            try await world.waitForRoute(.speaker)
            try other.deactivate(notifyingOthers: true)
            try await world.journal.wait(for: .interruptionEnded(shouldResume: false))
            try await world.settle()
            try await world.run(seconds: 0.3)
            #expect(try await world.loudFrames(on: .speaker) == 0)
            #expect(
                world.journal.events == Journal.started + Journal.interrupted + [
                    .player(.paused, .oldDeviceUnavailable),
                    .routeChange(.oldDeviceUnavailable, previous: [.headphones], current: [.builtInSpeaker]),
                    .interruptionEnded(shouldResume: false),
                ])
            #expect(world.runtime.state.activation.isInactive)
            #expect(!player.status.playWhenReady)
            // The user may.
            try await world.startPlaying(on: .speaker, player)
        }
    }

    /// Headphones that arrive meanwhile are where it goes on.
    @Test(arguments: WorldKind.allCases)
    func plug_duringAnInterruption_isWhereItResumes(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try await world.startPlaying(on: .speaker)
            let other = try await world.launchInterruptingApp()
            try await world.plug(.headphones)
            try await world.waitForRoute(.headphones)
            #expect(try await world.loudFramesAfterFades(on: .headphones) == 0)
            try await world.mark()
            try other.deactivate(notifyingOthers: true)
            try await world.untilHeard(on: .headphones)
            try await world.settle()
            #expect(try await world.loudFrames(on: .speaker) == 0)
            #expect(
                world.journal.events == Journal.started + Journal.interrupted + [
                    .routeChange(.newDeviceAvailable, previous: [.builtInSpeaker], current: [.headphones])
                ] + Journal.resumed)
        }
    }

    /// While nothing can play it, the intent waits; a device that comes ends that.
    @Test(arguments: WorldKind.allCases)
    func noSuitableOutputSuppressesAndRecovers(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: []) { world in
            let player = try world.app.makePlayer()
            try player.play()
            #expect(player.status.playWhenReady && player.status.suppression == .noSuitableRoute)
            try await world.plug(.speaker)
            try await world.untilHeard(on: .speaker)
            try await world.settle()
            #expect(
                world.journal.events.filter { if case .routeChange = $0 { false } else { true } } == [
                    .player(.paused, .noSuitableRoute), .becameActive, .player(.playing, .user),
                ])
            // The loss of the last one pauses, as every loss does: that is not undone by a return.
            try await world.unplug(.speaker)
            try await world.journal.wait(for: "the loss") {
                $0.contains(.player(.paused, .noSuitableRoute)) && $0.last(where: \.isPlayer)?.isPause == true
            }
            try await world.plug(.speaker)
            try await world.settle()
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            #expect(!player.status.playWhenReady)
        }
    }
}

extension Journal.Entry {
    fileprivate var isPlayer: Bool { if case .player = self { true } else { false } }
    fileprivate var isPause: Bool { if case .player(.paused, _) = self { true } else { false } }
}
