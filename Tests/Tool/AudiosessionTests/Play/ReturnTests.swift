import TestSupport
import Testing

@testable import AudioRuntime
@testable import audiosession

/// What goes on when the output is back that left.
@Suite struct ReturnTests {
    private typealias Rig = PlayRunnerRig

    private func rig(_ change: (inout PlayPlan) -> Void = { _ in }) -> Rig {
        Rig(["a.wav": 8], play: ["a.wav"], isInteractive: true) {
            $0.onReturn = .resume(withinSeconds: 600)
            change(&$0)
        }
    }

    private func state(_ rig: Rig) -> FilePlayer.State? { rig.backend.players.last?.status.state }

    @Test func headphones_thatReturn_playOn() {
        let rig = rig()
        rig.run(seconds: 2)
        rig.unplug()
        #expect(rig.runner.nowPlaying?.blockReason == .outputLeft(waitsFor: ["Cans"]))
        rig.plug()
        #expect(
            rig.story == [
                "host pipewire; route: Cans (Headphones)", "playing a.wav at 0:00",
                "paused a.wav at 0:02: Cans left",
                "Cans (Headphones) connected; now on Cans (Headphones)", "playing a.wav at 0:02",
            ])
        rig.unplug()
        rig.plug()
        #expect(state(rig) == .playing)
    }

    @Test func aScript_isToldWhatItWaitsFor() {
        let rig = Rig(["a.wav": 8], play: ["a.wav"]) { $0.onReturn = .resume(withinSeconds: 600) }
        rig.unplug()
        #expect(rig.story.last == "waiting until it is back; playerctl play continues, Control-C ends")
    }

    @Test func headphones_thatReturnTooLateOrAreToStay_leaveItPaused() {
        for limit in [.stay, .resume(withinSeconds: -1)] as [ReturnRule.Limit] {
            let rig = rig { $0.onReturn = limit }
            rig.unplug()
            #expect(rig.runner.nowPlaying?.blockReason == .outputLeft())
            rig.plug()
            #expect(state(rig) == .paused)
        }
    }

    @Test func pause_byThePerson_endsTheWait() {
        let rig = rig()
        rig.unplug()
        rig.runner.handle(.remote(.pause))
        rig.plug()
        #expect(state(rig) == .paused)
    }

    /// Also before the loss: what did not play is not started.
    @Test func pause_beforeTheLoss_staysAPause() {
        let rig = rig()
        rig.press(.character(" "))
        rig.unplug()
        rig.plug()
        #expect(state(rig) == .paused)
    }

    @Test func anotherProgramThatPlays_keepsTheSound() {
        let rig = rig()
        rig.unplug()
        rig.backend.isOtherAudioPlaying = true
        rig.plug()
        #expect(state(rig) == .paused)
    }

    @Test func call_meanwhile_comesFirst() {
        let rig = rig()
        rig.unplug()
        rig.interrupt()
        rig.plug()
        #expect(state(rig) == .paused)
        rig.endInterruption(shouldResume: true)
        #expect(state(rig) == .playing)
    }

    /// The events come late: the headphones have left again, and the speaker is to stay silent.
    @Test func headphones_thatHaveLeftAgain_letNothingPlay() {
        let rig = rig()
        rig.unplug()
        rig.backend.setHeadphones(true)
        rig.backend.setHeadphones(false)
        rig.settle()
        #expect(state(rig) == .paused)
        rig.plug()
        #expect(state(rig) == .playing)
    }

    // MARK: The rule

    private static let ports = ["a", "b", "c"].map { PortFacts(uid: $0, name: $0, portType: "Headphones", channels: 2) }

    /// Against a model that is told the loss and the pause at once.
    @Test(arguments: 0..<200)
    func rule_inRandomScripts_goesOnOnlyWhereTheOutputsReturned(seed: Int) {
        var random = Seeded(seed: UInt64(seed))
        var rule = ReturnRule(.resume(withinSeconds: 5))
        var (route, isPlaying, time) = (RouteFacts(outputs: Self.ports), true, 0.0)
        var (lost, lossTime): ([PortFacts]?, Double) = (nil, 0)
        _ = rule.routeChanged(to: route, isLoss: false, at: 0)
        for _ in 0..<200 {
            time += Double(Int.random(in: 0...3, using: &random))
            if Int.random(in: 0..<5, using: &random) == 0 {
                // A person plays or pauses.
                (isPlaying, lost) = (Bool.random(using: &random), nil)
                rule.forget()
                continue
            }
            let new = RouteFacts(outputs: Self.ports.filter { _ in Bool.random(using: &random) })
            // The speaker that makes way for a new device is no loss.
            let isLoss = !new.has(route.outputs) && Bool.random(using: &random)
            let isPaused = isPlaying && isLoss
            let isPauseFirst = Bool.random(using: &random)
            let isBack = lost.map { new.has($0) } ?? false
            let expected = isBack && time - lossTime <= 5
            if isPaused, isPauseFirst { rule.pausedByLoss(at: time) }
            let back = rule.routeChanged(to: new, isLoss: isLoss, at: time)
            if isPaused, !isPauseFirst { rule.pausedByLoss(at: time) }
            #expect(back == expected)
            if isBack { lost = nil }
            if isPaused { (isPlaying, lost, lossTime) = (false, route.outputs, time) }
            if back {
                isPlaying = true
                rule.forget()
            }
            #expect((rule.awaited(at: time) != nil) == (lost != nil && time - lossTime <= 5))
            route = new
        }
    }
}
