import Foundation
import PipeWireRig
import Testing

/// What is held stands at the sink of a guard that answers for it, or is heard.
@Suite("audiosession guard, and its connection", .ownThread, .serialized)
struct GuardConnectionTests {
    /// Which of the guard's two clients the server removes.
    enum Cut: CaseIterable { case first, second, both }

    @Test(arguments: Cut.allCases)
    func clientIsRemoved_whileAProgramIsHeld_itIsHeldAgain_andContinuesWithTheHeadset(cut: Cut) throws {
        let scene = try GuardScene()
        let music = try scene.hold("Music")
        let target = try scene.target(of: music)
        let clients = try scene.clients(of: scene.run.processID)
        #expect(clients.count == 2)
        for client in cut == .first ? clients.prefix(1) : cut == .second ? clients.suffix(1) : clients[...] {
            try? scene.machine.server.run(["pw-cli", "destroy", "\(client)"])
        }
        try scene.run.wait(forOutput: "Music stays paused: the guard has the server again.")
        try scene.machine.server.waitUntil("the program stands at another sink") { graph in
            let sinks = graph.targets(of: "Music")
            return sinks.count == 1 && sinks != [target] && sinks[0].hasPrefix("audiosession.guard.hold")
        }
        #expect(try scene.target(of: music) != target)
        // Between the cut and the new sink the session manager may have moved it to the speaker (decision 62).
        #expect(try scene.becomesSilentOnTheSpeaker())
        #expect(try scene.ask("status").contains { $0.hasPrefix("Held by guard: Music, USB Headset left ") })
        #expect(!scene.run.output.contains("ended while it was paused"))
        try scene.machine.plugHeadset()
        try scene.waitForNoTarget(of: music)
        scene.machine.headset.meter.mark()
        try scene.machine.headset.meter.wait(loudFrames: 4_800)
    }

    @Test func holdingSinkIsRemoved_programIsHeldAgain() throws {
        let scene = try GuardScene()
        let music = try scene.hold("Music")
        let target = try #require(try scene.target(of: music))
        let first = try #require(try scene.machine.server.graph.node(named: target)?.id)
        try scene.machine.server.run(["pw-cli", "destroy", "\(first)"])
        try scene.machine.server.waitUntil("the program stands at another sink") { graph in
            graph.targets(of: "Music") == [target] && graph.node(named: target).map { $0.id != first } == true
        }
        // The session manager moved it to the speaker until there was another one.
        #expect(try scene.becomesSilentOnTheSpeaker())
        #expect(try scene.ask("status").contains { $0.hasPrefix("Held by guard: Music, USB Headset left ") })
        try scene.machine.plugHeadset()
        try scene.waitForNoTarget(of: music)
        scene.machine.headset.meter.mark()
        try scene.machine.headset.meter.wait(loudFrames: 4_800)
    }

    @Test func guardEnds_whileFourProgramsAreHeld_noTargetIsLeft() throws {
        let scene = try GuardScene()
        let names = (0..<4).map { "Music \($0)" }
        // Equal tones can cancel each other out.
        let programs = try names.enumerated().map {
            try scene.play($1, process: 20 + $0, amplitude: 0.5 / Float($0 + 1))
        }
        for round in 0..<4 {
            if round > 0 {
                try scene.startGuard()
                try scene.machine.plugHeadset()
                try scene.waitUntilWatching()
                for name in names { try scene.machine.server.waitUntil(name, feeds: scene.machine.headset.name) }
            }
            scene.machine.pullHeadset()
            for name in names { try scene.waitUntilHeld(name) }
            scene.run.send(SIGTERM)
            #expect(try scene.run.waitForEnd() == .exited(0))
            #expect(try programs.compactMap { try scene.target(of: $0) } == [])
        }
    }

    @Test func guardIsKilled_targetsAreGoneWithTheNextOne() throws {
        let scene = try GuardScene()
        let music = try scene.hold("Music")
        scene.run.send(SIGKILL)
        _ = try scene.run.waitForEnd()
        try scene.startGuard()
        try scene.run.wait(forOutput: "The guard is running.")
        try scene.waitForNoTarget(of: music)
        try scene.machine.speaker.meter.wait(loudFrames: 4_800)
        #expect(try scene.ask("status").last == "Nothing is paused.")
    }

    /// What another guard has asked for last may come after the next one has set its target.
    @Test func targetIsLifted_justAfterATakeover_programIsHeldAgain() throws {
        let scene = try GuardScene()
        let music = try scene.hold("Music")
        #expect(try scene.ask("stop", "--keep").last == "The guard has ended.")
        try scene.startGuard()
        try scene.run.wait(forOutput: "Music stays paused, as under the guard before.")
        try scene.waitUntilHeld("Music")
        let target = try #require(try scene.target(of: music))
        try scene.machine.server.setTarget(ofNode: music.nodeID, to: nil)
        #expect(try scene.becomesSilentOnTheSpeaker())
        #expect(try scene.gets(target, music))
        #expect(try scene.ask("status").contains { $0.hasPrefix("Held by guard: Music") })
        #expect(!scene.run.output.contains("moved in a mixer"))
        try scene.machine.plugHeadset()
        try scene.waitForNoTarget(of: music)
    }

    /// A unit and a hand, during an upgrade.
    @Test func twoGuardsStart_afterOneThatKept_oneHasWhatWasHeld_andTheOtherSaysSo() throws {
        let scene = try GuardScene()
        let music = try scene.hold("Music")
        let held = music.playedFrames
        scene.machine.speaker.meter.mark()
        for _ in 0..<3 {
            #expect(try scene.ask("stop", "--keep").last == "The guard has ended.")
            let guards = try (0..<2).map { _ in try ToolRun(["guard"], environment: scene.machine.environment) }
            let runs = guards.map { (try? $0.wait(forOutput: "The guard is running.")) != nil }
            #expect(runs.count { $0 } == 1)
            let (winner, loser) = runs[0] ? (guards[0], guards[1]) : (guards[1], guards[0])
            #expect(try loser.waitForEnd() == .exited(1))
            let text = "audiosession: another guard is running: audiosession (process \(winner.processID)"
            #expect(loser.errors.hasPrefix(text), "\(loser.errors)")
            try winner.wait(forOutput: "Music stays paused, as under the guard before.")
            scene.run = winner
        }
        #expect(try scene.loudFramesOnTheSpeaker() == 0)
        #expect(music.playedFrames == held)
        #expect(try scene.ask("status").contains { $0.hasPrefix("Held by guard: Music") })
        try scene.machine.plugHeadset()
        try scene.waitForNoTarget(of: music)
        try scene.machine.headset.meter.wait(loudFrames: 4_800)
    }
}
