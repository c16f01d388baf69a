import AudioModel
import AudioRuntime
import GuardCore
import HostSimulated
import RuntimeTestSupport
import SessionRest
import SessionRuntime
import SimulatedControls
import TestSupport
import Testing

@testable import GuardRuntime

/// The guard and a session on one simulated machine: the session decides for its own player, the guard for the others.
@Suite struct GuardAndSessionTests {
    /// A machine with a session's player, and a guard.
    private final class Scene {
        let machine: RuntimeMachine
        let player: FilePlayer
        let host: SimulatedGuardHost
        let guardController: GuardController
        let log = History<GuardController.Report>()

        init(_ options: GuardController.Options = GuardController.Options()) throws {
            machine = try RuntimeMachine()
            player = try machine.playing(seconds: 30)
            host = SimulatedGuardHost(machine.host)
            guardController = GuardController(host: host, options: options) { [log] in log.append($0) }
            try guardController.start()
        }

        deinit {
            player.close()
            guardController.shutdown()
        }

        func program(_ name: String, role: String? = nil) {
            machine.host.startForeignStream(role: role, name: name)
            settle()
        }

        func settle() {
            machine.runtime.drain()
            host.settle()
        }

        func wait(seconds: Double) {
            settle()
            machine.advance(frames: Int(seconds * 48_000))
            settle()
        }

        var held: [String] { guardController.held.map(\.program) }
    }

    private static let headphones = RuntimeMachine.headphones
    private static let speaker = RuntimeMachine.speaker

    @Test func headphonesLeave_sessionPausesItsPlayer_andTheGuardHoldsTheOther() throws {
        let scene = try Scene()
        scene.program("Radio", role: "Music")
        scene.wait(seconds: 1)
        let start = scene.machine.host.frame
        scene.machine.unplugHeadphones()
        scene.wait(seconds: 1)
        #expect(scene.player.status.state == .paused)
        #expect(scene.held == ["Radio"])
        #expect(scene.machine.host.loudFrames(of: Self.speaker, since: start) == 0)
        #expect(scene.host.heard["Radio"] == [Self.headphones])
    }

    private static func isTaken(_ guardController: GuardController) -> Bool {
        do throws(GuardController.StartError) {
            try guardController.start()
            return false
        } catch {
            if case .taken = error { return true }
            return false
        }
    }

    @Test func secondGuard_whileTheFirstHolds_isRefused_andTheFirstHoldsOn() throws {
        let scene = try Scene()
        scene.program("Radio", role: "Music")
        scene.wait(seconds: 1)
        scene.machine.unplugHeadphones()
        scene.wait(seconds: 1)
        func second() -> GuardController {
            GuardController(
                host: SimulatedGuardHost(scene.machine.host, server: scene.host.server),
                options: GuardController.Options(), onReport: { _ in })
        }
        #expect(Self.isTaken(second()))
        scene.wait(seconds: 1)
        #expect(scene.held == ["Radio"])
        #expect(scene.host.heard["Radio"] == [Self.headphones])
        scene.guardController.shutdown()
        let next = second()
        #expect(!Self.isTaken(next))
        next.shutdown()
    }

    /// A guard that ends gives what it holds to one that keeps it, and that one to the next guard: nothing is heard.
    @Test func guardHandsOver_heldProgramIsSilent_andContinuesUnderTheNextGuard() throws {
        let scene = try Scene()
        scene.program("Radio", role: "Music")
        scene.wait(seconds: 1)
        scene.machine.unplugHeadphones()
        scene.wait(seconds: 1)
        func guardian(_ scope: GuardOptions.Scope) throws -> (SimulatedGuardHost, GuardController) {
            let host = SimulatedGuardHost(
                scene.machine.host, server: scene.host.server, purpose: scope == .keeping ? .keeping : .guarding)
            var options = GuardController.Options()
            options.scope = scope
            let controller = GuardController(host: host, options: options, onReport: { _ in })
            try controller.start()
            return (host, controller)
        }
        let (_, keeper) = try guardian(.keeping)
        scene.guardController.handOver()
        #expect(scene.guardController.hasHandedOver)
        scene.guardController.shutdown()
        #expect(keeper.held.map(\.program) == ["Radio"])
        let (host, next) = try guardian(.everything)
        #expect(keeper.hasHandedOver)
        keeper.shutdown()
        host.settle()
        #expect(next.held.map(\.program) == ["Radio"])
        #expect(host.heard["Radio"] == nil)
        scene.machine.plug(.wiredHeadphones)
        scene.machine.advance(frames: 48_000)
        host.settle()
        #expect(next.held.isEmpty)
        #expect(host.heard["Radio"] == [Self.headphones])
        next.shutdown()
    }

    @Test func guardRuns_othersLearnItFromTheServer_untilItEnds() throws {
        let scene = try Scene()
        func running() throws -> GuardRival? {
            try GuardController.running(
                on: SimulatedGuardHost(scene.machine.host, server: scene.host.server, isObserving: true))
        }
        #expect(try running()?.name == "guard")
        scene.guardController.shutdown()
        #expect(try running() == nil)
    }

    /// Its user starts the player again: only the session reacts, and no other program is released.
    @Test func sessionPlaysOnTheSpeaker_otherStaysHeld_untilTheHeadphonesReturn() throws {
        let scene = try Scene()
        scene.program("Radio", role: "Music")
        scene.wait(seconds: 1)
        scene.machine.unplugHeadphones()
        scene.wait(seconds: 1)
        try scene.player.play()
        scene.wait(seconds: 1)
        #expect(scene.player.status.state == .playing)
        #expect(scene.held == ["Radio"])
        scene.machine.plug(.wiredHeadphones)
        scene.wait(seconds: 1)
        #expect(scene.held == [])
        #expect(scene.host.heard["Radio"] == [Self.headphones])
        #expect(scene.player.status.state == .playing)
    }

    @Test func call_interruptsTheSession_andHoldsTheOther_andBothGoOn() throws {
        let scene = try Scene()
        scene.program("Radio", role: "Music")
        scene.program("Game", role: "Game")
        scene.wait(seconds: 1)
        scene.machine.receiveCall()
        scene.wait(seconds: 1)
        #expect(scene.player.status.state == .paused)
        #expect(scene.held == ["Radio"])
        scene.machine.endCall()
        scene.wait(seconds: 1)
        #expect(scene.player.status.state == .playing)
        #expect(scene.held == [])
    }

    @Test func callsOff_sessionIsInterruptedAllTheSame_andNobodyIsHeld() throws {
        var options = GuardController.Options()
        options.holdsForCalls = false
        let scene = try Scene(options)
        scene.program("Radio", role: "Music")
        scene.wait(seconds: 1)
        scene.machine.receiveCall()
        scene.wait(seconds: 1)
        #expect(scene.player.status.state == .paused)
        #expect(scene.held == [])
        scene.machine.endCall()
        scene.wait(seconds: 1)
        #expect(scene.player.status.state == .playing)
    }

    @Test func newProgramAfterTheLoss_playsOnTheSpeaker() throws {
        let scene = try Scene()
        scene.program("Radio", role: "Music")
        scene.wait(seconds: 1)
        scene.machine.unplugHeadphones()
        scene.program("Film", role: "Movie")
        scene.wait(seconds: 1)
        #expect(scene.held == ["Radio"])
        #expect(scene.host.heard["Film"] == [Self.speaker])
    }

    /// Whatever happens in whatever order: what sounded on the headphones when they left is not heard elsewhere before it is
    /// released, and the session's own player is silent on the speaker until it is played.
    @Test(arguments: UInt64(1)...8)
    func anyScript_keepsTheSpeakerSilent(seed: UInt64) throws {
        var random = Seeded(seed: seed)
        let scene = try Scene()
        var isInCall = false
        for _ in 0..<40 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: scene.program("Radio \(Int.random(in: 0..<1000, using: &random))", role: "Music")
            case 1:
                guard scene.machine.host.isPlugged(.wiredHeadphones) else {
                    scene.machine.plug(.wiredHeadphones)
                    break
                }
                let start = scene.machine.host.frame
                let before = scene.host.heard
                scene.machine.unplugHeadphones()
                scene.wait(seconds: 0.5)
                #expect(scene.machine.host.loudFrames(of: Self.speaker, since: start) == 0, "seed \(seed)")
                for name in scene.held { #expect(scene.host.heard[name] == before[name], "seed \(seed)") }
            case 2:
                if isInCall { scene.machine.endCall() } else { scene.machine.receiveCall() }
                isInCall.toggle()
            case 3: scene.guardController.release(nil)
            default: break
            }
            scene.wait(seconds: Double.random(in: 0...2, using: &random))
        }
    }
}
