import AudioModel
import Foundation
import SessionCore
import SessionRest
import Testing

@testable import AudioRuntime
@testable import OpenAudioSession
@testable import SessionRuntime

/// The sound server ends and another one starts: behaviours 55 to 58 of docs/behaviours.md.
@Suite("Media services contract", .serialized)
struct MediaServicesContractTests {
    @Test(arguments: WorldKind.allCases)
    func lostThenResetOnMainWithoutPayload(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            let notifications = NotificationLog(world.app, players: [player])
            let failed = [FilePlayer.State.failed]
            try await world.crashServer()
            try await world.restartServer()
            // An app that is inactive is told as well.
            try await world.crashServer()
            try await world.restartServer()
            try await world.settle()
            #expect(
                notifications.all.map(\.kind) == [
                    .lost, .didBecomeInactive(.system, .default), .reset, .lost, .reset,
                ])
            #expect(notifications.all.allSatisfy { $0.isOnMainThread && $0.players == failed && $0.phase == .inactive })
            #expect(notifications.all.filter { $0.hasPayload }.map(\.kind) == [.didBecomeInactive(.system, .default)])
        }
    }

    @Test(arguments: WorldKind.allCases)
    func resetDropsObjects(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones]) { world in
            let session = world.session
            try session.setCategory(.playback, mode: .spokenAudio, options: .interruptSpokenAudioAndMixWithOthers)
            try session.setPrefersInterruptionOnRouteDisconnect(false)
            let (old, idle) = (try world.app.makePlayer(), try world.app.makePlayer())
            try await world.startPlaying(on: .headphones, old)
            try await world.crashServer()
            // There is no server to ask.
            #expect(code { try session.setActive(true) } == .mediaServicesFailed)
            #expect(code { try session.setActive(false) } == .mediaServicesFailed)
            #expect(code { try session.setCategory(.record) } == .mediaServicesFailed)
            #expect(code { try session.overrideOutputAudioPort(.speaker) } == .mediaServicesFailed)
            #expect(throws: SessionError.self) { try old.play() }
            #expect(throws: (any Error).self) { _ = try world.app.makePlayer() }
            try await world.restartServer()
            #expect(session.category == .soloAmbient && session.mode == .default && session.categoryOptions == [])
            #expect(session.prefersInterruptionOnRouteDisconnect)
            for player in [old, idle] {
                #expect(player.status.state == .failed && player.status.errorCode == .mediaServicesFailed)
                #expect(throws: SessionError.self) { try player.play() }
                player.pause()
                player.close()
            }
            try await world.startPlaying(on: .headphones)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func resetDoesNotRestartSound(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            try await world.startPlaying(on: .speaker)
            try await world.crashServer()
            try await world.restartServer()
            try await world.settle()
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            #expect(
                world.journal.events == Journal.started + [.player(.failed, .error), .lost, .reset])
            #expect(world.runtime.state.activation.isInactive)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func serverReturnKeepsPrivateSoundPrivate(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones]) { world in
            try await world.startPlaying(on: .headphones)
            try await world.crashServer()
            try await world.restartServer(without: .headphones)
            try await world.mark()
            let player = try world.app.makePlayer(
                policy: StreamPolicy(onInterruption: .pauseAndResume, continuesPrivately: true))
            try player.play()
            try await world.run(seconds: 0.3)
            #expect(try await world.loudFrames(on: .speaker) == 0)
            #expect(player.status.suppression == .noSuitableRoute)
            try await world.plug(.headphones)
            try await world.untilHeard(on: .headphones)
            #expect(try await world.loudFrames(on: .speaker) == 0)
        }
    }

    /// Two sessions live through three servers: each is told once, and the route is right at once.
    @Test(arguments: WorldKind.allCases)
    func daemonRestartReconnects(_ kind: WorldKind) async throws {
        // One device: of two, a session manager may choose the wrong one at first.
        try await withWorld(kind, plugged: [.headphones]) { world in
            let other = try await world.launch("other")
            try other.session.setActive(true)
            other.startAfresh()
            for _ in 1...2 {
                try await world.crashServer()
                try await world.restartServer()
                for app in [world.app, other] {
                    #expect(app.session.currentRoute.outputs.map(\.portType) == [.headphones])
                }
                // Claims of before are gone, and new ones count.
                #expect(world.runtime.state.peers == [])
                let player = try await world.startPlaying(on: .headphones)
                try other.activate()
                try await world.journal.wait(for: .interruptionBegan(.default))
                try other.deactivate(notifyingOthers: true)
                try await world.app.wait(for: "the resumption") { $0.activation.isActive }
                try await world.settle()
                #expect(
                    world.journal.events == [.lost, .reset] + Journal.started + Journal.interrupted + Journal.resumed)
                try world.session.setActive(false)
                player.close()
                world.app.startAfresh()
            }
            #expect(other.journal.events.filter { $0 == .lost || $0 == .reset } == [.lost, .reset, .lost, .reset])
        }
    }

    /// Who interrupted us is gone with the server: there is no end to wait for, and nothing resumes.
    @Test(arguments: WorldKind.allCases)
    func crash_duringAnInterruption_endsItWithoutAWord(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            let notifications = NotificationLog(world.app)
            let other = try await world.launchInterruptingApp()
            try await world.crashServer()
            try await world.restartServer()
            try await world.settle()
            #expect(
                world.journal.events == Journal.started + Journal.interrupted + [
                    .player(.failed, .error), .lost, .reset,
                ])
            // It was inactive already, and is not told that again.
            #expect(notifications.kinds == [.began(.default), .didBecomeInactive(.system, .default), .lost, .reset])
            #expect(player.status.state == .failed)
            #expect(other.journal.events.suffix(3) == [.becameActive, .lost, .reset])
            try await world.startPlaying(on: .speaker)
        }
    }

    /// A server that stands still answers nothing; none of these waits for an answer.
    @Test func frozenServer_blocksNeitherTheRouteNorACategoryNorANotification() async throws {
        let world = try PipeWireWorld()
        do {
            try await world.plug(.headphones)
            let player = try await world.startPlaying(on: .headphones)
            world.app.startAfresh()
            let server = world.server.processIDs[1]
            kill(server, SIGSTOP)
            do {
                defer { kill(server, SIGCONT) }
                #expect(world.session.currentRoute.outputs.map(\.portType) == [.headphones])
                try world.session.setCategory(.playback)
                player.pause()
                world.runtime.drain()
                #expect(player.status.state == .paused)
                try await world.journal.wait(
                    for: .routeChange(.categoryChange, previous: [.headphones], current: [.headphones]))
            }
            try player.play()
            try await world.untilHeard(on: .headphones)
        } catch {
            await world.end()
            throw error
        }
        await world.end()
    }

    /// Only a private PipeWire has a session manager that can start again.
    @Test func sessionManagerRestart_isNoNews() async throws {
        let world = try PipeWireWorld()
        do {
            // One device: of two, a session manager that starts may choose the wrong one at first, which is one more event.
            try await world.plug(.headphones)
            try await world.waitForRoute(.headphones)
            try world.session.setCategory(.playback)
            try world.session.setActive(true)
            let other = try await world.launch("other")
            world.app.startAfresh()
            try world.server.restartSessionManager(untilDefaultSinkIs: WorldDevice.headphones.rawValue)
            try await world.settle()
            #expect(world.journal.events == [])
            // The claim registry is the server's, not the session manager's.
            #expect(other.runtime.state.peers.count == 1)
            try other.activate()
            try await world.journal.wait(for: .interruptionBegan(.default))
        } catch {
            await world.end()
            throw error
        }
        await world.end()
    }
}
