import Foundation
import PipeWireRig
import TestAudio
import Testing

/// Two guards of one server.
@Suite("audiosession guard, and another one", .ownThread, .serialized)
struct GuardRivalTests {
    /// Clients of the scene's server with a runtime directory of their own, as in a container or under sudo.
    private struct Elsewhere {
        let directory: TemporaryDirectory
        let environment: [String: String]

        init(_ machine: TestMachine) throws {
            directory = try TemporaryDirectory()
            environment = machine.environment.merging(["XDG_RUNTIME_DIR": directory.path]) { _, new in new }
        }

        func run(_ words: String...) throws -> ToolRun { try ToolRun(["guard"] + words, environment: environment) }
    }

    @Test func guardInAnotherRuntimeDirectory_whileTheFirstHolds_endsAndTheSpeakerHearsNothing() throws {
        let scene = try GuardScene()
        let elsewhere = try Elsewhere(scene.machine)
        let music = try scene.hold("Music")
        let target = try scene.target(of: music)
        scene.machine.speaker.meter.mark()
        let second = try elsewhere.run()
        let ending = try? second.waitForEnd()
        #expect(try scene.loudFramesOnTheSpeaker() == 0)
        #expect(try scene.target(of: music) == target)
        #expect(ending == .exited(1))
        let process = "audiosession: another guard is running: audiosession (process \(scene.run.processID)"
        #expect(second.errors.hasPrefix(process), "\(second.errors)")
        #expect(try scene.ask("status").contains { $0.hasPrefix("Held by guard: Music") })
    }

    @Test func twoGuardsStartAtOnce_oneHasTheServer_andTheOtherNamesIt() throws {
        let machine = try TestMachine()
        let elsewhere = try Elsewhere(machine)
        for _ in 0..<5 {
            let guards = [try ToolRun(["guard"], environment: machine.environment), try elsewhere.run()]
            let runs = guards.map { (try? $0.wait(forOutput: "The guard is running.")) != nil }
            #expect(runs.count { $0 } == 1)
            let (winner, loser) = runs[0] ? (guards[0], guards[1]) : (guards[1], guards[0])
            #expect(try loser.waitForEnd() == .exited(1))
            #expect(loser.errors.contains(" (process \(winner.processID)"), "\(loser.errors)")
            winner.send(SIGTERM)
            #expect(try winner.waitForEnd() == .exited(0))
        }
    }

    @Test func requests_fromAnotherRuntimeDirectory_sayWhichGuardRuns() throws {
        let scene = try GuardScene()
        let elsewhere = try Elsewhere(scene.machine)
        for words in ["status", "release", "log"] {
            let request = try elsewhere.run(words)
            #expect(try request.waitForEnd() == .exited(1))
            let text = "audiosession: a guard is running, but not with this XDG_RUNTIME_DIR: audiosession (process "
            #expect(request.errors.hasPrefix(text + "\(scene.run.processID)"), "\(request.errors)")
        }
        scene.run.send(SIGKILL)
        _ = try scene.run.waitForEnd()
        let request = try elsewhere.run("status")
        #expect(try request.waitForEnd() == .exited(1))
        #expect(request.errors.hasPrefix("audiosession: no guard is running;"), "\(request.errors)")
    }

    /// The first is stopped while the server restarts, so that the second has the new server before it.
    @Test func serverReturns_whileAnotherGuardHasIt_thisOneWaits_andTakesOver() throws {
        let scene = try GuardScene()
        let elsewhere = try Elsewhere(scene.machine)
        scene.run.send(SIGSTOP)
        scene.machine.killServer()
        try scene.machine.returnServer()
        let second = try elsewhere.run()
        try second.wait(forOutput: "The guard is running.")
        try scene.waitUntilWatching()
        let music = try scene.hold("Music")
        let target = try scene.target(of: music)
        scene.run.send(SIGCONT)
        try scene.run.wait(forOutput: "Another guard is running: audiosession (process \(second.processID)")
        #expect(try scene.ask("status").first?.hasPrefix("Another guard is running: ") == true)
        scene.machine.speaker.meter.mark()
        #expect(try scene.loudFramesOnTheSpeaker() == 0)
        #expect(try scene.target(of: music) == target)
        second.send(SIGKILL)
        try scene.run.wait(forOutput: "The other guard has ended. This one guards from now on.")
        try scene.machine.plugHeadset()
        try scene.waitUntilWatching()
        try scene.waitForNoTarget(of: music)
        try scene.machine.headset.meter.wait(loudFrames: 4_800)
        try scene.loseHeadset(holding: "Music")
        let leaked = try scene.loudFramesOnTheSpeaker()
        #expect(leaked == 0)
    }

    @Test func nodeOfAnotherProgram_withAGuardsName_isNamed_andOneOfAFactoryDoesNotCount() throws {
        let machine = try TestMachine()
        let properties =
            #"{ "factory.name": "support.null-audio-sink", "node.name": "audiosession.guard", "object.linger": "true" }"#
        try machine.server.run(["pw-cli", "create-node", "adapter", properties])
        let first = try ToolRun(["guard"], environment: machine.environment)
        try first.wait(forOutput: "The guard is running.")
        // After it: what comes later takes nothing from it.
        try machine.server.publishNode(["node.name": "audiosession.guard", "application.name": "Evil\u{1B}[2J"])
        try GuardScene.waitUntilWatching(machine.server)
        #expect(first.lines == ["The guard is running."])
        first.send(SIGTERM)
        #expect(try first.waitForEnd() == .exited(0))
        let second = try ToolRun(["guard"], environment: machine.environment)
        #expect(try second.waitForEnd() == .exited(1))
        let text = "audiosession: another guard is running: Evil\u{FFFD}[2J (process \(getpid())"
        #expect(second.errors.hasPrefix(text), "\(second.errors)")
    }

    @Test func claimIsRemoved_guardEndsAndSaysWhy() throws {
        let scene = try GuardScene()
        let music = try scene.hold("Music")
        let node = try #require(try scene.machine.server.graph.node(named: "audiosession.guard"))
        scene.machine.speaker.meter.mark()
        try scene.machine.server.run(["pw-cli", "destroy", "\(node.id)"])
        #expect(try scene.run.waitForEnd() == .exited(1))
        #expect(scene.run.errors.hasPrefix("audiosession: The PipeWire server does not let"), "\(scene.run.errors)")
        try scene.machine.speaker.meter.wait(loudFrames: 4_800)
        withExtendedLifetime(music) {}
    }
}
