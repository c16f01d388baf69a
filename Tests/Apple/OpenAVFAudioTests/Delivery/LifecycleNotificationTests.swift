import AudioModel
import Foundation
import HostSimulated
import RuntimeTestSupport
import SessionCore
import SessionRest
import SimulatedControls
import TestAudio
import TestSupport
import Testing

@testable import AudioRuntime
@testable import OpenAudioSession
@testable import SessionRuntime

/// What both notification families tell of a session on a simulated machine.
@Suite struct LifecycleNotificationTests {
    private let machine: AppMachine
    private let session: AVAudioSession

    init() throws {
        machine = try AppMachine()
        session = machine.session
    }

    private func receiveCall() { machine.receiveCall() }
    private func endCall() { machine.endCall() }

    @Test func lifecycleTrio() async throws {
        let story = await SessionStory(of: session)
        try session.setActive(true)
        receiveCall()
        endCall()
        try session.setActive(true)
        try session.setActive(false)
        try session.setActive(false)
        machine.runtime.drain()
        #expect(
            story.newer.entries
                == ["active", "inactive system default", "shouldResume", "active", "inactive app"])
        #expect(story.messages.entries == story.newer.entries)
        #expect(story.older.entries == ["began default", "ended options 1"])
    }

    /// Calls, neighbours, crashes and what the app does, in any order: each family alone tells the whole story.
    @Test(arguments: 1...20)
    func legacyAndNewApisAgree(seed: UInt64) async throws {
        let story = await SessionStory(of: session)
        let neighbour = try Neighbour(on: machine, named: "Radio")
        var generator = Seeded(seed: seed)
        var isInCall = false
        for _ in 0..<40 {
            switch generator.next() % 6 {
            case 0 where isInCall:
                endCall()
                isInCall = false
            // A refused activation has a sequel in the newer family that the older one does not know.
            case 0 where machine.runtime.state.activation.isActive:
                receiveCall()
                isInCall = true
            case 1 where !isInCall: try session.setActive(true)
            case 2 where machine.runtime.state.interruption == nil: try session.setActive(false)
            case 3 where !isInCall: try neighbour.activate()
            case 4 where !isInCall: try neighbour.deactivate(notifyingOthers: generator.next() % 2 == 0)
            default: break
            }
        }
        machine.runtime.drain()
        let older = story.older.entries.map { entry in
            switch entry {
            case "ended options 1": "shouldResume"
            case "ended options 0": "shouldNotResume"
            default: entry.replacing("began", with: "inactive system")
            }
        }
        #expect(older == story.newer.entries.filter { $0 != "active" && $0 != "inactive app" })
        #expect(story.messages.entries == story.newer.entries)
        // Active and inactive take turns, and advice comes to the inactive only.
        var isActive = false
        for entry in story.newer.entries {
            if entry == "active" {
                #expect(!isActive, "\(story.newer.entries)")
                isActive = true
            } else if entry.hasPrefix("inactive") {
                #expect(isActive, "\(story.newer.entries)")
                isActive = false
            } else {
                #expect(!isActive, "\(story.newer.entries)")
            }
        }
        #expect(!story.newer.entries.isEmpty)
    }

    @Test func resumptionRecommendationAfterRejectedActivation() async throws {
        let story = await SessionStory(of: session)
        receiveCall()
        let error = #expect(throws: NSError.self) { try session.setActive(true) }
        #expect(error?.code == AVAudioSession.ErrorCode.insufficientPriority.rawValue)
        endCall()
        #expect(story.newer.entries == ["shouldResume"])
        #expect(story.messages.entries == ["shouldResume"])
        #expect(story.older.entries == [])
    }

    @Test func beganStopsAndDeactivates() throws {
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        try player.play()
        machine.advance(frames: 4800)
        let history = History<String>()
        let runtime = machine.runtime
        let observer = Observer(AVAudioSession.interruptionNotification, object: session) { _ in
            history.append("\(player.status.state) \(runtime.state.activation.isActive)")
        }
        receiveCall()
        #expect(history.entries == ["paused false"])
        player.close()
        _ = observer
    }

    /// As the article has it: the handler itself activates and plays.
    @Test func ended_whoseHandlerActivatesAndPlays_sounds() throws {
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        try player.play()
        machine.advance(frames: 4800)
        let history = History<String>()
        let session = session
        let observer = Observer(AVAudioSession.interruptionNotification, object: session) { notification in
            guard notification.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt == 1 else {
                return player.pause()
            }
            do {
                try session.setActive(true)
                try player.play()
                history.append("plays")
            } catch {
                history.append("\(error)")
            }
        }
        receiveCall()
        endCall()
        #expect(history.entries == ["plays"])
        #expect(player.status.state == .playing)
        player.close()
        _ = observer
    }

    @Test func endMayNeverCome_andAnActivationTakesOver() async throws {
        let story = await SessionStory(of: session)
        let neighbour = try Neighbour(on: machine, named: "Radio")
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        try player.play()
        try neighbour.activate()
        #expect(player.status.suppression == .interruption)
        try session.setActive(true)
        machine.runtime.drain()
        neighbour.runtime.drain()
        #expect(player.status.state == .playing)
        #expect(story.older.entries == ["began default"])
        #expect(story.newer.entries == ["active", "inactive system default", "active"])
        player.close()
    }

    // MARK: Other audio

    @Test func hintTracksNonMixableOnly() throws {
        let effects = machine.host.startForeignStream(role: "Game")
        machine.runtime.drain()
        #expect(session.isOtherAudioPlaying)
        #expect(!session.secondaryAudioShouldBeSilencedHint)
        let music = machine.host.startForeignStream(role: "Music")
        machine.runtime.drain()
        #expect(session.secondaryAudioShouldBeSilencedHint)
        machine.host.stopForeignStream(music)
        machine.host.stopForeignStream(effects)
        machine.runtime.drain()
        #expect(!session.isOtherAudioPlaying)
        #expect(!session.secondaryAudioShouldBeSilencedHint)
    }

    @Test func silenceHintOnlyForegroundAndActive() async throws {
        let story = await SessionStory(of: session)
        try session.setCategory(.ambient)
        func play() {
            let music = machine.host.startForeignStream(role: "Music")
            machine.runtime.drain()
            machine.host.stopForeignStream(music)
            machine.runtime.drain()
        }
        play()
        #expect(story.older.entries == [])
        try session.setActive(true)
        play()
        #expect(story.older.entries == ["hint begin", "hint end"])
    }

    // MARK: A lost route

    @Test(arguments: [true, false])
    func routeDisconnectInterruption_followsThePreference(prefersInterruption: Bool) async throws {
        let story = await SessionStory(of: session)
        #expect(session.prefersInterruptionOnRouteDisconnect)
        try session.setPrefersInterruptionOnRouteDisconnect(prefersInterruption)
        #expect(session.prefersInterruptionOnRouteDisconnect == prefersInterruption)
        try session.setCategory(.playback)
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        try player.play()
        machine.advance(frames: 4800)
        machine.unplugHeadphones()
        machine.host.plug(.wiredHeadphones)
        machine.runtime.drain()
        #expect(story.older.entries == (prefersInterruption ? ["began routeDisconnected"] : []))
        #expect(
            story.newer.entries == ["active"] + (prefersInterruption ? ["inactive system routeDisconnected"] : []))
        #expect(machine.states == ["playing (user)", "paused (oldDeviceUnavailable)"])
        player.close()
    }

    // MARK: Media services

    @Test func crashAndRestart_areLostAndResetOnceEach() async throws {
        let story = await SessionStory(of: session)
        try session.setCategory(.playback)
        try session.setActive(true)
        for _ in 0..<2 {
            machine.host.crashServer()
            machine.runtime.drain()
            #expect(code { try session.setActive(true) } == AVAudioSession.ErrorCode.mediaServicesFailed.rawValue)
            #expect(code { try session.setCategory(.record) } == AVAudioSession.ErrorCode.mediaServicesFailed.rawValue)
            machine.host.restartServer()
            machine.runtime.drain()
        }
        #expect(story.older.entries == ["lost", "reset", "lost", "reset"])
        #expect(story.newer.entries == ["active", "inactive system default"])
        #expect(session.category == .soloAmbient)
        try session.setActive(true)
    }
}

/// The code of the error that a call throws; 0 when it does not.
func code(_ body: () throws -> Void) -> Int {
    do {
        try body()
        return 0
    } catch {
        return (error as NSError).code
    }
}
