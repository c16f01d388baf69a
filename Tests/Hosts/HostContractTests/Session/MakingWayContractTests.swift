import AudioModel
import SessionCore
import Testing

@testable import AudioRuntime
@testable import OpenAudioSession
@testable import SessionRuntime

// Helpers: App.swift

/// A session that was interrupted or ducked gets back exactly what it had: behaviours of docs/behaviours.md by name.
@Suite("Making way contract", .serialized)
struct MakingWayContractTests {
    /// From both sides: what the one says as it leaves the other hears.
    @Test(arguments: WorldKind.allCases)
    func notifyOthersResumesThem(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try await world.startPlaying(on: .speaker)
            let other = try await world.launch("other")
            let voice = try other.makePlayer()
            try voice.play()
            try await world.journal.wait(for: .interruptionBegan(.default))
            // What is heard then is the other's: its stream runs, and is known to, before it deactivates.
            try await world.fadeOut()
            try await world.untilHeard(on: .speaker)
            try other.deactivate(notifyingOthers: true)
            try await world.untilHeard(on: .speaker)
            try await world.app.wait(for: "the resumption") { $0.activation.isActive }
            try voice.play()
            try await world.journal.wait(for: "a second interruption") {
                $0.filter { $0 == .interruptionBegan(.default) }.count == 2
            }
            try other.deactivate(notifyingOthers: false)
            try await world.journal.wait(for: .interruptionEnded(shouldResume: false))
            try await world.settle()
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            #expect(
                world.journal.events == Journal.started + Journal.interrupted + Journal.resumed + Journal.interrupted
                    + Journal.givenUp)
            let turn = Journal.started + [.player(.paused, .deactivation), .becameInactive]
            #expect(other.journal.events == turn + turn)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func corkOnlyReversesWhatItDid(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            // One that the user has paused beside one that plays: only the latter plays on.
            let paused = try await world.startPlaying(on: .speaker)
            paused.pause()
            let playing = try await world.startPlaying(on: .speaker)
            world.app.startAfresh()
            let call = try await world.startForeignStream(role: "Phone")
            try await world.journal.wait(for: .interruptionBegan(.default))
            try await world.stopForeignStream(call)
            try await world.journal.wait(for: .becameActive)
            try await world.settle()
            #expect(
                world.journal.events == [
                    .player(.paused, .interruption), .player(.paused, .interruption), .interruptionBegan(.default),
                    .interruptionEnded(shouldResume: true), .player(.playing, .user), .becameActive,
                ])
            #expect(paused.status.state == .paused && playing.status.state == .playing)
            // Without one that plays, nothing is activated.
            playing.pause()
            world.app.startAfresh()
            let second = try await world.startForeignStream(role: "Phone")
            try await world.journal.wait(for: .interruptionBegan(.default))
            try await world.stopForeignStream(second)
            try await world.settle()
            #expect(world.journal.events.last == .interruptionEnded(shouldResume: true))
            #expect(world.runtime.state.activation.isInactive)
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func streamStartingDuringTriggerIsSilenced(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try world.session.setActive(true)
            try await world.mark()
            let call = try await world.startForeignStream(role: "Phone")
            try await world.journal.wait(for: .interruptionBegan(.default))
            let player = try world.app.makePlayer()
            try player.play()
            try await world.run(seconds: 0.3)
            #expect(try await world.loudFrames(on: .speaker) == 0)
            #expect(player.status.suppression == .interruption && player.status.position == 0)
            try await world.stopForeignStream(call)
            try await world.untilHeard(on: .speaker)
            try await world.settle()
            #expect(
                world.journal.events == [
                    .becameActive, .interruptionBegan(.default), .player(.paused, .interruption),
                ] + Journal.resumed)
        }
    }

    /// A policy outside takes our stream off its device; in the end it gives it back.
    @Test(arguments: WorldKind.allCases)
    func heldStream_isAnInterruption_andItsReleaseResumes(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones]) { world in
            let player = try await world.startPlaying(on: .headphones)
            try await world.hold(.cutLinks(.headphones))
            try await world.journal.wait(for: .interruptionBegan(.default))
            #expect(try await world.loudFramesAfterFades(on: .headphones) == 0)
            #expect(player.status.suppression == .interruption)
            try await world.release(.cutLinks(.headphones))
            try await world.journal.wait(for: .interruptionEnded(shouldResume: true))
            try await world.untilHeard(on: .headphones)
            try await world.settle()
            #expect(world.journal.events == Journal.started + Journal.interrupted + Journal.resumed)
            #expect(try await world.loudFrames(on: .speaker) == 0)
        }
    }

    /// What is held outside may not come back on another device: its own has left meanwhile.
    @Test(arguments: WorldKind.allCases)
    func heldStream_whoseHeadphonesLeave_staysPaused(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones]) { world in
            let player = try await world.startPlaying(on: .headphones)
            try await world.mark()
            try await world.hold(.cutLinks(.headphones))
            try await world.journal.wait(for: .interruptionBegan(.default))
            try await world.unplug(.headphones)
            try await world.journal.wait(for: .player(.paused, .oldDeviceUnavailable))
            try await world.release(.cutLinks(.speaker))
            try await world.journal.wait(for: .interruptionEnded(shouldResume: false))
            try await world.run(seconds: 0.3)
            try await world.settle()
            #expect(try await world.loudFrames(on: .speaker) == 0)
            #expect(!player.status.playWhenReady)
            #expect(
                world.journal.events == Journal.started + Journal.interrupted + [
                    .player(.paused, .oldDeviceUnavailable),
                    .routeChange(.oldDeviceUnavailable, previous: [.headphones], current: [.builtInSpeaker]),
                    .interruptionEnded(shouldResume: false),
                ])
        }
    }
}
